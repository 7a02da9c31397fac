// Drives a Chromium over the DevTools protocol, with nothing but Node's WebSocket.
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless=new", "--window-size=1240,860", "--remote-debugging-port=0", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio", "--hide-scrollbars",
  // There is no screen, camera or microphone where this runs; the camera's picture is made up.
  "--disable-gpu", "--disable-dev-shm-usage", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
];

export async function launch(program = process.env.CHROMIUM ?? "chromium") {
  const profile = await mkdtemp(join(tmpdir(), "contexture-chromium-"));
  const flags = [...FLAGS, `--user-data-dir=${profile}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "about:blank"];
  const child = spawn(program, flags, { stdio: ["ignore", "ignore", "pipe"] });
  // Whatever ends this process ends the browser too.
  process.once("exit", () => child.kill("SIGKILL"));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  let said = "";
  const address = new Promise((resolve, reject) => {
    child.stderr.on("data", (bytes) => {
      said += bytes;
      const found = /DevTools listening on (ws:\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}: ${said.slice(-2_000)}`)));
  });
  const close = async () => {
    const ended = new Promise((done) => (child.exitCode === null ? child.once("exit", done) : done()));
    child.kill();
    const force = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(force);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { devtools: await Devtools.connect(await address), close };
  } catch (error) {
    await close();
    throw error;
  }
}

class Devtools {
  #socket;
  #next = 0;
  #waiting = new Map();
  #listeners = [];

  static async connect(address) {
    const tools = new Devtools();
    tools.#socket = new WebSocket(address);
    await new Promise((done, fail) => {
      tools.#socket.onopen = done;
      tools.#socket.onerror = () => fail(new Error("The DevTools can't be reached."));
    });
    tools.#socket.onmessage = ({ data }) => tools.#take(JSON.parse(data));
    return tools;
  }

  send(method, params = {}, sessionId) {
    const id = (this.#next += 1);
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, method }));
  }

  on(method, listener) {
    this.#listeners.push([method, listener]);
  }

  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return new Page(this, sessionId);
  }

  #take({ id, result, error, method, params }) {
    if (id === undefined) {
      for (const [wanted, listener] of this.#listeners) if (wanted === method) listener(params);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(`${waiting.method}: ${error.message}`));
    else waiting?.resolve(result);
  }
}

export class Page {
  // What the browser had to complain about: errors, refusals of the policy, exceptions.
  complaints = [];
  #tools;
  #session;

  constructor(tools, session) {
    this.#tools = tools;
    this.#session = session;
  }

  send(method, params) {
    return this.#tools.send(method, params, this.#session);
  }

  on(method, listener) {
    this.#tools.on(method, listener);
  }

  async prepare() {
    this.on("Runtime.exceptionThrown", ({ exceptionDetails }) => this.complaints.push(exceptionDetails.exception?.description ?? exceptionDetails.text));
    this.on("Log.entryAdded", ({ entry }) => entry.level === "error" && this.complaints.push(`${entry.text} ${entry.url ?? ""}`));
    this.on("Runtime.consoleAPICalled", ({ type, args }) => type === "error" && this.complaints.push(args.map((one) => one.value ?? one.description).join(" ")));
    for (const domain of ["Page", "Runtime", "Log", "DOM"]) await this.send(`${domain}.enable`);
  }

  async open(url) {
    const loaded = new Promise((done) => this.on("Page.loadEventFired", done));
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Waits until an expression is true in the page. */
  async until(expression, what = expression, seconds = 15) {
    const end = Date.now() + seconds * 1_000;
    while (!(await this.value(`Boolean(${expression})`))) {
      if (Date.now() > end) throw new Error(`Not within ${seconds} s: ${what}\nThe page says: ${await this.value("document.body.innerText")}\n${this.complaints.join("\n")}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Clicks where the element is, as a person would. */
  async click(selector) {
    const place = await this.value(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "nearest" });
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    for (const type of ["mousePressed", "mouseReleased"]) await this.send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
  }

  async key(key) {
    const text = key === "Enter" ? { text: "\r" } : {};
    const code = { Enter: 13, Escape: 27, Tab: 9 }[key];
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: code, ...text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
  }

  async type(text) {
    await this.send("Input.insertText", { text });
  }

  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }
}
