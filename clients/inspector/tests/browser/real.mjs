// The views over a running `contexture inspect`, whose runs the check made: a question that a cut policy could not answer (LEFT), the same with
// more room (RIGHT), one with hostile and long texts (ODD), one of many events (MANY), one in Chinese (HAN), and one whose model asks for a tool (ASKS). The program CONTEXTURE then makes runs while the page looks.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { SlowModel } from "./slow_model.mjs";

const WIDTHS = [360, 1_280, 2_560];

export async function real(driver, { left, right, odd, many, han, asks, contexture }) {
  await api(driver);
  await story(driver, left, right);
  await strange(driver, odd);
  await large(driver, many);
  await chinese(driver, han);
  await asked(driver, asks);
  await keeps(driver);
  await alone(driver, contexture, left, odd);
  await tried(driver, right);
  await pictures(driver, left, right);
  await drawn(driver, left, right);
  await driver.look(1_280, "light");
  await live(driver, contexture);
}

/** The page has the policy that lets nothing in, and the API refuses in words. */
async function api(driver) {
  const { page } = driver;
  await driver.open("#/", "runs");
  const policy = await page.value("fetch(location.href).then((answer) => answer.headers.get('content-security-policy'))");
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"]) {
    assert.ok(policy.split(";").some((one) => one.trim() === rule), `${rule} in ${policy}`);
  }
  await page.until("document.querySelectorAll('tbody tr').length === 6");
  await driver.quiet("the list of runs");
  driver.ok("the page runs under the policy that lets no script but its own run");
}

async function story(driver, left, right) {
  const { page } = driver;
  assert.match(await driver.text("tbody"), /support\.as[^]*failed\s*nothing_supports/);
  await page.value(`document.querySelector('a[href="#/runs/${left}"]').click()`);
  await page.until("document.querySelectorAll('[role=treeitem]').length > 7");
  const rows = (await driver.texts("[role=treeitem] .what")).map((row) => row.replace(/\s+/g, " "));
  assert.ok(rows.some((row) => row.includes("tool File.read(path: policy.md)")), rows.join("\n"));
  assert.ok(rows.some((row) => row.includes("model call 1 Support.main")), rows.join("\n"));
  await driver.accessible("the run");
  await page.click(".rows [data-kind=generate] .says");
  await page.until("document.querySelector('.details a')");
  await page.click(".details a");
  await page.until("document.querySelectorAll('.message').length === 2");
  assert.match((await driver.text("header .cut")).replace(/\s+/g, " "), /Cut: 2 policy −\d+ · 3 history/);
  assert.match(await driver.text("#item-1"), /Fragile goods leave the next working day/);
  assert.doesNotMatch(await driver.text("#item-1"), /island/);
  const sent = await page.value("[...document.querySelectorAll('.message')].map((one) => [...one.querySelectorAll('.sent-text')].map((row) => row.textContent).join(''))");
  const expected = await page.value(`fetch('v1/runs/${left}/calls/1/prompt').then((answer) => answer.json()).then(({ messages }) => messages.map(({ text }) => text))`);
  assert.deepEqual(sent, expected, "the messages are exact");
  await sums(driver, left);
  await driver.accessible("the call");
  await page.value("[...document.querySelectorAll('.items button')].find((one) => one.innerText === 'Show the whole value').click()");
  await page.until("document.querySelector('.cut-text')?.innerText.includes('Orders to islands take two days more')", "the cut text can be opened");
  await page.click(".why input");
  await page.type("history");
  await page.key("Enter");
  await page.until("/it was cut|left out/.test(document.querySelector('.why-answer').innerText)", "why the history is shorter");
  driver.ok("a wrong answer leads to the policy that was cut, and to the line that it lost");

  await driver.open(`#/diff/${left}/${right}`, "diff");
  await page.until("document.querySelector('.tag.first')");
  assert.match(await page.value("document.querySelector('.tag.first').closest('li').innerText"), /cut differently policy[^]*Orders to islands/);
  await driver.accessible("the differences");
  driver.ok("the differences of both runs begin with the cut policy");
}

/** What the bar shows adds up to the tokens of the manifest. */
async function sums(driver, run) {
  const numbers = (await driver.texts(".legend .number")).map((text) => Number(text.replace(/[^\d-]/g, "")));
  const total = await driver.page.value(`fetch('v1/runs/${run}/calls/1').then((answer) => answer.json()).then(({ manifest }) => manifest.tokens)`);
  assert.equal(numbers.reduce((sum, one) => sum + one, 0), total);
}

async function strange(driver, odd) {
  const { page } = driver;
  await driver.open(`#/runs/${odd}/calls/1`, "call");
  await page.until("document.querySelector('.parts')", "the long message is shown by parts");
  assert.match(await driver.text(".sent"), /<script>document\.title = "hacked"<\/script>[^]*⟦U\+202E⟧/);
  assert.equal(await page.value("document.querySelectorAll('main script, main img').length"), 0);
  await page.value(`(() => { const select = document.querySelector('.parts select'); select.value = select.options[select.options.length - 1].value; select.dispatchEvent(new Event("change", { bubbles: true })); })()`);
  await page.until("document.querySelector('.of-layer')?.textContent.includes('JSON')", "the contract at the end of the long message");
  await driver.quiet("a hostile and long prompt");
  driver.ok("hostile texts do nothing, and a long message is shown by parts");
}

async function large(driver, many) {
  const { page } = driver;
  await driver.open(`#/runs/${many}`, "run");
  await page.until("document.querySelector('[role=treeitem][data-kind=for], [role=treeitem][data-kind=parallel_for]')");
  await page.click("[data-kind=for] .says, [data-kind=parallel_for] .says");
  await page.key("ArrowRight");
  await page.until("[...document.querySelectorAll('button')].some((one) => one.innerText === 'Load all')");
  await page.value("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Load all').click()");
  await page.until("document.querySelector('.track').clientHeight > 3000 * 30", "three thousand iterations", 60);
  assert.ok((await page.value("document.querySelectorAll('.row').length")) < 80);
  await driver.quiet("a run of many events");
  driver.ok("a loop of 3,000 iterations is loaded whole, and only the rows in view exist");
}

/** The items of a prompt in Chinese, with signs of two units and of several signs, stand where their places in bytes say (IN-3). */
async function chinese(driver, han) {
  const { page } = driver;
  await driver.open(`#/runs/${han}/calls/1`, "call");
  await page.until("document.querySelectorAll('.of-item').length > 0", "the items are marked");
  const items = await page.value(`fetch('v1/runs/${han}/calls/1/prompt').then((answer) => answer.json()).then(({ items }) => Promise.all(items.map(({ index, label, text, span }) =>
    fetch('v1/texts/${han}/' + text).then((answer) => answer.json()).then(({ text }) => ({ index, label, text, span })))))`);
  assert.deepEqual(items.map(({ label }) => label), ["客户问题 🙂", "规定", "家人"]);
  for (const { index, label, text } of items) {
    const shown = await page.value(`[...document.querySelectorAll('.of-item.hue-${index}')].map((one) => one.textContent).join('')`);
    assert.equal(shown, text, label);
  }
  assert.match(items[0].text, /^订单 A-1042 🙂🙂 什么时候发货？𠮷野家/);
  assert.ok(items[1].text.includes("…"), "the rules are cut");
  assert.match(items[2].text, /👩‍👩‍👧 é/);
  assert.match(await driver.text(".of-layer"), /用中文回答/);
  await page.click(".why input");
  await page.type("岛屿需要多两天");
  await page.key("Enter");
  await page.until("/but it was cut[^]*whole value of `rules`/.test(document.querySelector('.why-answer').innerText)", "a text in Chinese that was cut");
  for (const [width, scheme] of [[360, "dark"], [2_560, "light"]]) {
    await driver.look(width, scheme);
    await driver.fits(`a prompt in Chinese at ${width}`);
    await driver.accessible(`a prompt in Chinese at ${width}`);
    await driver.shot(`real-han-${width}-${scheme}`, true);
  }
  await driver.look(1_280, "light");
  await driver.quiet("a prompt in Chinese");
  driver.ok("in Chinese and with signs of two units, each item stands where it was sent");
}

/** What a model asked for is told apart from its prompt, and what stands behind a masked value is marked where it is (IN-3, IN-6, IN-7). */
async function asked(driver, run) {
  const { page } = driver;
  await driver.open(`#/runs/${run}`, "run");
  const trace = createHash("sha256").update(run).digest("hex").slice(0, 32);
  await page.until("document.querySelectorAll('.facts div').length > 9", "the facts of the run");
  assert.match(await driver.text(".facts"), new RegExp(`Trace \\(OpenTelemetry\\)\\s+${trace}`));
  await driver.open(`#/runs/${run}/calls/1`, "call");
  await page.until("document.querySelectorAll('.items .tag').length > 0", "the items");
  assert.match(await driver.text(".message:last-of-type .sent"), /"password": "•••"/);
  assert.equal(await driver.text(".of-item.hue-1"), "How long does it take?");
  assert.equal(await page.value("[...document.querySelectorAll('.of-layer')].map((one) => one.textContent).join('').slice(0, 20)"), "Answer the question.");
  assert.match(await driver.text(".items li:nth-child(3)"), /File_read\s+later: from a tool that the model called/);
  await sums(driver, run);
  assert.ok(!(await driver.texts(".legend li")).some((one) => /File_read|-/.test(one)), "what came later is no part of the bar");
  assert.match(await driver.text(".attempt"), /The model called:\s+File_read\(\{"path":"policy\.md"\}\)[^]*Two days more\./);
  assert.doesNotMatch(await driver.text(".attempt"), /no answer|is empty/);
  await driver.accessible("a model that asks for a tool");
  await driver.shot("real-asks-1280-light", true);
  await driver.quiet("a model that asks for a tool");
  driver.ok("the tools that a model called are shown, and their results are told apart from the prompt");
}

/** A context and a pack of the project (IN-12). */
async function keeps(driver) {
  const { page } = driver;
  await driver.open("#/contexts", "contexts");
  await page.until("document.querySelectorAll('tbody tr').length === 1", "the context");
  await page.key("j");
  await page.key("Enter");
  await page.until("document.querySelectorAll('.said').length === 4 && document.querySelector('aside .block')", "its messages and its state");
  assert.match(await driver.text(".said"), /北京今天天气怎么样/);
  await page.value("(() => { const range = document.querySelector('input[type=range]'); range.value = range.min; range.dispatchEvent(new Event('input', { bubbles: true })); })()");
  await page.until("!document.querySelector('aside').innerText.includes('Loading')");
  await driver.accessible("a context of the project");
  await driver.open("#/knowledge", "knowledge");
  await page.until("document.querySelector('article a')");
  await page.key("j");
  await page.key("Enter");
  await page.until("document.querySelectorAll('tbody tr').length > 0", "the sections of the pack");
  await page.click("input[name=q]");
  await page.type("岛屿");
  await page.key("Enter");
  await page.until("document.querySelector('article')?.innerText.includes('岛屿需要多两天')", "what a question in Chinese finds");
  await driver.accessible("a pack of the project");
  await page.key("Escape");
  await page.key("Escape");
  await page.until("location.hash === '#/knowledge'", "Esc leaves the field, and then the pack");
  await driver.quiet("what the project keeps");
  driver.ok("a context and a pack of the project are shown, by keys");
}

/** The budget of the run that went well is made small again: the page says what that would do, as a patch. */
async function tried(driver, right) {
  const { page } = driver;
  await driver.open(`#/runs/${right}/calls/1`, "call");
  await page.until("document.querySelector('.tried summary')");
  await page.value("document.querySelector('.tried summary').click()");
  await page.until("document.querySelector('.tried textarea')?.value.includes('max 400')", "the program is there");
  await page.value("(() => { const area = document.querySelector('.tried textarea'); area.value = area.value.replace('max 400', 'max 30'); })()");
  await page.value("document.querySelector('.tried button.primary').click()");
  await page.until("document.querySelector('.tried .call-diff')", "the prompts are compared");
  const told = await driver.text(".tried");
  assert.match(told, /1 of 1 prompt would change\.[^]*cut differently policy[^]*-    use policy max 400 priority 5 as policy\n\+    use policy max 30 priority 5 as policy/);
  await driver.accessible("a program that is tried");
  await driver.look(1_120, "light");
  await page.value("document.querySelector('.tried textarea').rows = 14");
  await driver.picture("tried", ".tried");
  await driver.look(1_280, "light");
  await page.value("(() => { document.querySelector('.tried input').value = 'mock'; document.querySelector('.tried button.primary').click(); })()");
  await page.until("document.querySelector('.offer')?.innerText.includes('1 call would be asked of mock')", "the mock is offered");
  await page.value("document.querySelector('.offer button').click()");
  await page.until("document.querySelector('.offer button.primary')");
  await page.value("document.querySelector('.offer button.primary').click()");
  await page.until(`/^#\\/runs\\/[^/]+$/.test(location.hash) && location.hash !== '#/runs/${right}'`, "the new run is shown");
  await page.until(`document.querySelector('[data-view=run] header a')?.getAttribute('href') === '#/runs/${right}'`, "it names the first run");
  driver.ok("the changed prompt is asked of a model, and kept as a run that is a part of the first");
  await driver.quiet("a program that is tried");
  driver.ok("a smaller budget is tried on the record: which prompt would change, and the patch");
}

/** Runs as files of their own: the same page, which asks nobody. */
async function alone(driver, contexture, left, odd) {
  const { page } = driver;
  const served = driver.url;
  // What the view before still asks for is not of these files.
  await page.open("about:blank");
  const sent = [];
  page.on("Network.requestWillBeSent", ({ request }) => sent.push(request.url));
  await page.send("Network.enable");
  for (const [run, hash] of [[left, ""], [left, `#/runs/${left}/calls/1`], [odd, `#/runs/${odd}/calls/1`]]) {
    const file = resolve(`${run}.html`);
    await writeFile(file, execFileSync(contexture, ["trace", "export", run, "--html"], { maxBuffer: 1 << 28 }));
    driver.url = pathToFileURL(file).href;
    await driver.open(hash, hash === "" ? "run" : "call");
    await page.until(hash === "" ? "document.querySelectorAll('[role=treeitem]').length > 7" : "document.querySelector('.message')");
    await driver.accessible(`${run} in a file`);
    await driver.fits(`${run} in a file`);
    await driver.shot(`file-${hash === "" ? "run" : run === odd ? "odd" : "call"}-1280-light`, true);
    await driver.quiet(`${run} in a file`);
  }
  assert.match(await driver.text(".sent"), /<script>document\.title = "hacked"<\/script>/);
  assert.ok((await driver.text("main")).includes("⟦U+202E⟧"));
  driver.url = pathToFileURL(resolve(`${left}.html`)).href;
  await driver.open(`#/runs/${left}/calls/1`, "call");
  await page.until("document.querySelector('.items button')");
  await page.value("[...document.querySelectorAll('.items button')].find((one) => one.innerText === 'Show the whole value').click()");
  await page.until("document.querySelector('.cut-text')?.innerText.includes('Orders to islands take two days more')", "the cut text can be opened");
  const asked = sent.filter((url) => !/^(file|data|about|blob):/.test(url));
  assert.deepEqual(asked, [], "nothing is fetched");
  await page.send("Network.disable");
  driver.url = served;
  driver.ok("a run in one file is shown with its prompts and what was cut, and fetches nothing");
}

async function pictures(driver, left, right) {
  for (const scheme of ["light", "dark"]) {
    for (const width of WIDTHS) {
      await driver.look(width, scheme);
      for (const [view, hash] of [["runs", "#/"], ["run", `#/runs/${left}`], ["call", `#/runs/${left}/calls/1`], ["diff", `#/diff/${left}/${right}`]]) {
        const name = `real-${view}-${width}-${scheme}`;
        await driver.open(hash, view);
        await driver.page.until("!document.querySelector('main').innerText.includes('Loading')", name);
        await driver.fits(name);
        await driver.accessible(name);
        await driver.shot(name, true);
      }
    }
  }
  driver.ok("every view of the real runs, light and dark, at three widths: axe finds nothing");
}

/** The pictures of the documents. */
async function drawn(driver, left, right) {
  await driver.look(1_120, "light");
  const views = [["run", `#/runs/${left}`, "[data-kind=generate]", ".timeline"], ["call", `#/runs/${left}/calls/1`, ".margin-note", ".prompt"], ["diff", `#/diff/${left}/${right}`, ".beside", ".call-diff"]];
  for (const [view, hash, ready, last] of views) {
    await driver.open(hash, view);
    await driver.page.until(`document.querySelector('${ready}')`);
    await driver.picture(view, last);
  }
}

/** A run that waits for its model, until it has its answer, and one that is killed while it waits. */
async function live(driver, contexture) {
  const { page } = driver;
  const model = await new SlowModel().listen();
  const env = { ...process.env, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "none" };
  const begin = () => spawn(contexture, ["run", "support.as", "--model", "openai://slow", "--quiet", "--input", '{"question":"To an island?"}'], { env, stdio: "ignore" });
  try {
    begin();
    await waits(driver);
    model.answer();
    await page.until("document.querySelector('.outcome').innerText.includes('completed') && !document.querySelector('.rows').innerText.includes('no end')", "the run has grown and ended", 60);
    driver.ok("a run under way is shown while it waits, and ends on the page");

    const killed = begin();
    await waits(driver);
    killed.kill("SIGKILL");
    await page.until("document.querySelector('.outcome').innerText.includes('interrupted')", "the run is told dead", 60);
    assert.match(await driver.text(".head"), /This run has no end/);
    await page.click("[data-kind=generate] .says");
    await page.click(".details a");
    await page.until("document.querySelectorAll('.message').length === 2", "the prompt that it waited with");
    driver.ok("a run that was killed says so, and its last prompt is there");
  } finally {
    model.answer();
    await model.close();
  }
}

/** Waits until a run is under way, and shows it. */
async function waits(driver) {
  const { page } = driver;
  await driver.open("#/?outcome=running", "runs");
  const first = "fetch('v1/runs?outcome=running').then((answer) => answer.json()).then(({ runs }) => runs[0]?.run ?? '')";
  let run = "";
  for (let tried = 0; run === "" && tried < 300; tried += 1) {
    run = await page.value(first);
    if (run === "") await new Promise((done) => setTimeout(done, 100));
  }
  await driver.open(`#/runs/${run}`, "run");
  await page.until("document.querySelector('[data-kind=generate] .took')?.innerText.includes('no end')", "the model is being asked", 60);
  assert.match(await driver.text(".head"), /running[^]*under way/);
}
