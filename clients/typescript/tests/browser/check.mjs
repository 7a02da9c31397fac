// The demo page in a real browser: the tools of 4.5.5, permission given and refused, texts that stay texts.
//   node tests/browser/check.mjs [PAGE]     PAGE: the page of a running server whose agent is `agent.as`;
//                                           without it, a server of the tests is started.
// SCREENSHOTS=FOLDER keeps pictures of the page.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TestServer } from "../support/server.mjs";
import { PROMPT, agent } from "./agent.mjs";
import { launch } from "./chrome.mjs";
import { picture } from "./png.mjs";

const work = await mkdtemp(join(tmpdir(), "contexture-browser-"));
const demo = fileURLToPath(new URL("../../../../crates/server/assets/demo/", import.meta.url));
const server = process.argv[2] ? undefined : await new TestServer().listen(demo);
if (server) server.agent = agent;
const url = process.argv[2] ?? `${server.url}/`;
const chrome = await launch();
const ok = (what) => console.log(`ok: ${what}`);

try {
  const page = await chrome.devtools.page();
  await page.prepare();
  await check(page);
  ok("nothing to complain about in the browser's console");
} finally {
  await chrome.close();
  await server?.close();
  await rm(work, { recursive: true, force: true });
}

async function check(page) {
  await page.open(url);
  await page.until('document.querySelector("#connection").dataset.state === "open"', "the page connects");
  ok("the page is connected");
  await shot(page, "1-empty");

  const policies = await page.value("fetch(location.href).then((answer) => answer.headers.get('content-security-policy'))");
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]) {
    assert.ok(policies.split(";").some((one) => one.trim() === rule), `${rule} in ${policies}`);
  }
  await policy(page);
  await markup(page);
  await markdown(page);
  await values(page);
  await hostile(page);
  await record(page);
  if (server) await waiting(page);
  await highlighted(page);
  await photo(page);
  await file(page);
  await where(page);
  await again(page);
  await pictures(page);
  assert.deepEqual(page.complaints, []);
}

/** Says something and gives the answer, as JSON; `during` happens in between. */
async function say(page, text, during = async () => {}) {
  const count = "document.querySelectorAll('.message.agent:not([aria-busy])').length";
  const before = await page.value(count);
  await page.click("#text");
  await page.type(text);
  await page.key("Enter");
  await during();
  await page.until(`${count} > ${before} && document.querySelector("#stop").hidden`, `an answer to ${text}`);
  const answer = await page.value(`fetch("/v1/contexts/" + sessionStorage.getItem("contexture.context") + "/messages?limit=1000")
    .then((answer) => answer.json()).then(({ messages }) => messages.filter(({ type }) => type === "MODEL_RESPONSE").at(-1).content.text)`);
  return text.startsWith("show") ? answer : JSON.parse(answer);
}

/** The elements of the last answer, as a page's reader sees them. */
function last(page, selector) {
  return page.value(`[...[...document.querySelectorAll('.message.agent .text')].at(-1).querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent)`);
}

function asked(page) {
  return page.until('document.querySelector("#permission").open', "the user is asked");
}

// A script of the page's own world may not write markup, nor run what is written in it.
async function policy(page) {
  const told = await page.value(`(() => {
    const script = document.createElement("script");
    try { script.text = "document.title = 'hacked'"; document.head.append(script); return "no error"; } catch (error) { return error.name; }
  })()`);
  assert.equal(await page.value("document.title"), "Contexture");
  assert.equal(told, "TypeError", "Trusted Types refuse text as a script");
  page.complaints.length = 0;
  ok("the policy lets no inline script run");
}

async function markup(page) {
  const evil = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script> 漢字 & "quotes"`;
  assert.deepEqual(await say(page, evil), { echo: evil });
  assert.equal(await page.value("[...document.querySelectorAll('.message.user .text')].at(-1).textContent"), evil);
  assert.equal(await page.value("document.querySelectorAll('#log img, #log script').length"), 0);
  assert.equal(await page.value("document.title"), "Contexture");
  ok("markup in messages is shown as text, the user's and the agent's");
}

async function markdown(page) {
  await say(page, "show markdown", async () => {
    if (server) await page.until("document.querySelector('.message.agent[aria-busy] .text h3')", "the heading is there while the answer grows");
  });
  assert.deepEqual(await last(page, "h3"), ["Report"]);
  assert.deepEqual(await last(page, "strong"), ["bold"]);
  assert.deepEqual(await last(page, "ul > li > ul > li"), ["inner"]);
  assert.deepEqual(await last(page, "pre code"), ["let x = '<b>';"]);
  assert.deepEqual(await last(page, "th"), ["name", "count"]);
  assert.deepEqual(await last(page, "td"), ["pear", "2"]);
  assert.deepEqual(await page.value("[...document.querySelectorAll('.message.agent .text a')].map((link) => [link.href, link.rel])"), [["https://example.com/a", "noopener noreferrer nofollow"]]);
  await shot(page, "2-markdown");
  ok("a text answer is shown as Markdown, while it grows too");
}

async function values(page) {
  await say(page, "show object");
  assert.deepEqual(await last(page, ":scope > dl > dt"), ["title", "open", "lines", "customer", "tags"]);
  assert.deepEqual(await last(page, "dl dl dt"), ["name", "note"]);
  assert.deepEqual(await last(page, "th"), ["item", "price"]);
  assert.deepEqual(await last(page, "dl li"), ["new", "<i>old</i>"]);
  await say(page, "show both");
  assert.deepEqual([await last(page, "strong"), await last(page, "dt")], [["text"], ["score"]]);
  await shot(page, "2-object");
  ok("an object is shown as fields, lists and tables");
}

async function hostile(page) {
  for (const name of ["markup", "nested", "long", "deep", "bidi"]) {
    await say(page, `show ${name}`);
    // So many elements in one line of text would hold the page up for seconds.
    const parts = await page.value("[...document.querySelectorAll('.message.agent .text')].at(-1).querySelectorAll('p *').length");
    assert.ok(parts <= 2_000, `${name} makes ${parts} elements`);
    assert.equal(await page.value("document.title"), "Contexture");
    assert.equal(await page.value("document.querySelectorAll('#log img, #log script, #log iframe, #log style, #log [onclick], #log a:not([href^=https]):not(.record)').length"), 0, name);
  }
  assert.ok((await page.value("[...document.querySelectorAll('.message.agent .text')].at(-1).textContent")).includes("\ufffdlive\ufffd"));
  await page.click("#new");
  ok("hostile answers stay data, and do not hold the page up");
}

async function record(page) {
  await say(page, "show object");
  const links = "[...document.querySelectorAll('.message.agent a.record')]";
  const href = await page.value(`${links}.at(-1)?.getAttribute("href")`);
  assert.match(href, /^\/v1\/runs\/[a-z0-9]+$/);
  assert.equal(await page.value(`fetch(${JSON.stringify(href)}).then((answer) => answer.json()).then(({ run }) => run)`), href.split("/").at(-1));
  await page.click(".message.agent:last-child a.record");
  await page.until("document.querySelector('#record').open && [...document.querySelectorAll('#record-body > dl > dt')].some((name) => name.textContent === 'outcome')", "the record is shown");
  await shot(page, "2-record");
  await page.click("#record-close");
  assert.equal(await page.value("document.querySelector('#record').open"), false);
  await page.click("#new");
  ok("an answer leads to its record");
}

async function waiting(page) {
  const wait = (callId, kind) => ({ callId, contextId: "ctx_other", kind, since: new Date().toISOString(), expires: new Date(Date.now() + 60_000).toISOString(), client: "tablet" });
  server.waits.push(wait("ask_1", "PERMISSION"), wait("pick", "CALL"));
  const shown = (callId) => `document.querySelector('#waits [data-call="${callId}"]')`;
  await page.until(`${shown("ask_1")} && ${shown("pick")}`, "what waits is shown");
  await shot(page, "2-waiting");
  await page.click('#waits [data-call="ask_1"] button');
  await page.until(`!${shown("ask_1")}`, "what is answered is gone");
  await page.click('#waits [data-call="pick"] button');
  await page.until("document.querySelector('#answer').open", "the result is asked for");
  await page.click('#answer-form button[type="submit"]');
  await page.until("document.querySelector('#waiting').hidden", "nothing waits any more");
  assert.deepEqual(server.answered, [
    { callId: "ask_1", contextId: "ctx_other", result: { status: "SUCCESS", result: { allowed: true } } },
    { callId: "pick", contextId: "ctx_other", result: { status: "SUCCESS", result: {} } },
  ]);
  ok("what waits for others is answered on the page");
}

async function highlighted(page) {
  const element = "document.querySelector('#main-content[data-contexture-highlight=pulse]')";
  const answer = await say(page, "highlight", async () => {
    await page.until(element, "the element is highlighted");
    assert.match(await page.value(`getComputedStyle(${element}).outlineStyle`), /solid/);
    assert.equal(await page.value(`getComputedStyle(${element}).animationName`), "contexture-pulse");
    await shot(page, "2-highlight");
  });
  assert.deepEqual(answer, { highlighted: true, selector: "#main-content", duration: 1500 });
  await page.until(`!${element}`, "the highlight ends");
  ok("an element is highlighted, and not for ever");
}

async function photo(page) {
  assert.deepEqual(await say(page, "photo", async () => {
    await asked(page);
    // A program says what it wants of a tool, not how the user is asked: then the page has words of its own.
    assert.equal(await page.value("document.querySelector('#permission-prompt').textContent"), server ? PROMPT : 'Allow "Take a photo"?');
    assert.equal(await page.value("document.querySelectorAll('#permission img').length"), 0);
    assert.equal(await page.value("document.activeElement.id"), "refuse");
    await shot(page, "3-permission");
    await page.click("#refuse");
  }), { code: "PERMISSION_DENIED" });
  assert.deepEqual(await say(page, "photo", async () => {
    await asked(page);
    await page.key("Escape");
  }), { code: "PERMISSION_DENIED" });
  ok("a refusal, by the button or by Escape, is PERMISSION_DENIED");

  const taken = async (during) => {
    const { photo, small } = await say(page, "photo", during);
    assert.match(photo.imageId, /^img_/);
    assert.equal("imageData" in photo, false);
    const { width, height, mimeType } = photo.metadata;
    assert.equal(mimeType, "image/jpeg");
    assert.ok(width >= 320 && height >= 180, `${width} × ${height}`);
    assert.equal(small.sourceImageId, photo.imageId);
    const scale = Math.min(300 / width, 200 / height);
    assert.deepEqual([small.width, small.height], [Math.round(width * scale), Math.round(height * scale)]);
    return small.imageId;
  };
  const first = await taken(async () => {
    await asked(page);
    await page.click("#allow");
  });
  ok("a photo is taken after permission, and stays in the client");
  await page.until("[...document.querySelectorAll('[data-tool=local_image_resize] canvas')].at(-1)?.width === 300 || [...document.querySelectorAll('[data-tool=local_image_resize] canvas')].at(-1)?.height === 200", "the small image is shown");
  ok("an image is resized in the client");
  assert.equal(await page.value("document.querySelector('[data-tool=access_camera] .permission').dataset.permission"), "granted");
  assert.notEqual(await taken(), first);
  ok("consent is remembered");
}

async function file(page) {
  const path = join(work, "square <b>.png");
  const body = picture(320, 200);
  await writeFile(path, body);
  await page.send("Page.setInterceptFileChooserDialog", { enabled: true });
  const opened = new Promise((done) => page.on("Page.fileChooserOpened", done));
  const answer = await say(page, "file", async () => {
    await asked(page);
    await page.click("#allow");
    const { mode, backendNodeId } = await opened;
    assert.equal(mode, "selectSingle");
    await page.send("DOM.setFileInputFiles", { files: [path], backendNodeId });
  });
  const { fileId, ...facts } = answer.file;
  assert.match(fileId, /^img_/);
  assert.deepEqual(facts, { fileName: "square <b>.png", fileSize: body.length, mimeType: "image/png" });
  assert.equal(answer.bytes, Math.ceil(body.length / 3) * 4);
  assert.deepEqual(answer.shown, { displayed: true, marks: 1 });
  assert.equal(await page.value("[...document.querySelectorAll('#log > figure canvas')].at(-1).getAttribute('aria-label')"), "square <b>.png, square 92%");
  ok("a file is picked, and shown with marks on it");
}

async function where(page) {
  await page.send("Emulation.setGeolocationOverride", { latitude: 39.9042, longitude: 116.4074, accuracy: 25 });
  await page.send("Browser.grantPermissions", { permissions: ["geolocation"], origin: new URL(url).origin });
  assert.deepEqual(await say(page, "where", async () => {
    await asked(page);
    await page.click("#refuse");
  }), { code: "PERMISSION_DENIED" });
  const { latitude, longitude, accuracy } = await say(page, "where", async () => {
    await asked(page);
    await page.click("#allow");
  });
  assert.deepEqual([latitude, longitude, accuracy], [39.9042, 116.4074, 25]);
  ok("a location is read after permission, and not without");
}

// A page that is loaded again shows the conversation, and its state.
async function again(page) {
  const said = await page.value("document.querySelectorAll('.message.user').length");
  if (server) {
    await page.until("document.querySelector('#state').textContent.includes('where')", "the state is shown");
    server.cut();
    await page.until('document.querySelector("#connection").dataset.state !== "open"', "the cut is seen");
    await page.until('document.querySelector("#connection").dataset.state === "open"', "the page connects again");
    assert.deepEqual(await say(page, "after the cut"), { echo: "after the cut" });
    assert.equal(await page.value("document.querySelectorAll('.message.user').length"), said + 1);
    page.complaints.length = 0;
    ok("a cut connection is made again and nothing is shown twice");
  }
  const before = await page.value("document.querySelectorAll('.message.user').length");
  await page.open(url);
  await page.until(`document.querySelectorAll('.message.user').length === ${before}`, "the conversation is shown again");
  if (server) await page.until("document.querySelector('#state').textContent.includes('lastRequest')", "the state is shown again");
  assert.deepEqual(await say(page, "and on"), { echo: "and on" });
  await page.click("#new");
  assert.equal(await page.value("document.querySelectorAll('#log .message').length"), 0);
  ok("a page that is loaded again goes on with its conversation");
}

async function pictures(page) {
  if (!process.env.SCREENSHOTS) return;
  await say(page, "请用中文回答:北京今天天气怎么样?");
  await say(page, "photo", async () => {
    await asked(page);
    await page.click("#allow");
  });
  await shot(page, "4-light");
  await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await shot(page, "5-dark");
  await page.send("Emulation.setDeviceMetricsOverride", { width: 390, height: 800, deviceScaleFactor: 2, mobile: true });
  await shot(page, "6-narrow");
}

async function shot(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await new Promise((done) => setTimeout(done, 300));
  await writeFile(join(folder, `${name}.png`), await page.screenshot());
}
