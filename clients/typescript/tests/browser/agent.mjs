// The agent of the browser check: what the user says names the tools that it uses, and it answers with what they
// gave, as JSON. `agent.as` is the same for a real server.
export const PROMPT = 'Take a photo? <img src=x onerror="document.title=1"> 允许吗?';

/** What is shown by `show …`: what agent.as answers, and what nobody should. */
function shown(name) {
  const deep = (levels) => (levels === 0 ? "end" : { in: deep(levels - 1) });
  return {
    markdown: "# Report\n\nSome **bold** text, [a link](https://example.com/a) and [none](javascript:alert(1)).\n\n- outer\n  - inner\n\n```js\nlet x = '<b>';\n```\n\n| name | count |\n|---|---|\n| pear | 2 |\n",
    object: { title: "Order 7", open: true, lines: [{ item: "pear", price: 2 }, { item: "fig", price: 3.5 }], customer: { name: "Ann", note: null }, tags: ["new", "<i>old</i>"] },
    both: { text: "A **text**", score: 7 },
    markup: '<script>document.title="hacked"</script> <img src=x onerror="document.title=1"> ![x](https://evil.example/x.png) [x](javascript:document.title=1) <a onclick=x>',
    nested: "[".repeat(20_000) + "> ".repeat(20_000) + "*_".repeat(20_000) + "\n" + "- ".repeat(20_000),
    long: "word *a* `b` ".repeat(40_000),
    deep: deep(60),
    bidi: "\u202elive\u202c [pay\u202e](https://evil.example/)",
  }[name];
}

async function show(turn, value) {
  const text = typeof value === "string" ? value : (value.text ?? JSON.stringify(value));
  const size = Math.max(12, Math.ceil(text.length / 50));
  if (typeof value === "string") {
    for (let at = 0; at < text.length; at += size) {
      turn.delta(text.slice(at, at + size));
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  turn.answer(text, { metadata: { run: "01testrun", ...(typeof value === "string" ? {} : { value }) } });
}

export async function agent(turn) {
  const use = async (name, parameters, more = {}) => {
    const [{ result, error }] = await turn.call([{ name, parameters, ...more }]);
    return result ?? { code: error.code };
  };
  const say = async (value) => {
    for (const piece of JSON.stringify(value).match(/.{1,12}/gsu)) {
      turn.delta(piece);
      await new Promise((done) => setTimeout(done, 2));
    }
    turn.answer();
  };
  turn.set("customState.lastRequest", turn.text);
  if (turn.text.startsWith("show ")) return show(turn, shown(turn.text.slice(5)));
  if (turn.text === "highlight") return say(await use("highlight_element", { selector: "#main-content", style: "pulse", duration: 1_500 }));
  if (turn.text === "where") return say(await use("geolocation", { accuracy: "high", timeout: 5_000 }, { userPrompt: "May the agent know where you are?" }));
  if (turn.text === "photo") {
    const photo = await use("access_camera", { mode: "photo", resolution: "high" }, { userPrompt: PROMPT });
    if (photo.code) return say(photo);
    const small = await use("local_image_resize", { imageId: photo.imageId, width: 300, height: 200, preserveAspectRatio: true });
    return say({ photo, small });
  }
  if (turn.text === "file") {
    const { fileData, files, ...file } = await use("file_picker", { accept: ".jpg,.png", multiple: false }, { userPrompt: "Which picture may the agent look at?" });
    if (file.code) return say(file);
    const overlayData = [{ label: "square", score: 0.92, box: { x: 40, y: 30, width: 80, height: 60 } }];
    const shown = await use("display_overlay", { sourceImageId: file.fileId, overlayData, style: "bounding_boxes" });
    return say({ file, bytes: fileData.length, shown });
  }
  return say({ echo: turn.text });
}
