// A server that answers the page's questions from made-up records, and serves the page with the policy that the real one has.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import * as record from "./record.mjs";

const TYPES = { ".svg": "image/svg+xml", ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".txt": "text/plain" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The largest pages, as the real server has them. */
const MOST = { runs: 1_000, events: 200 };

class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

export class RecordServer {
  #http;
  #folder;
  #runs = new Map();
  #events = new Map();
  // The events of a list by the one that they are in.
  #within = new WeakMap();
  #long = Buffer.from(record.longText());
  // What follows the run that is under way.
  #followers = new Set();
  #waits = record.waits();
  /** The answers to what waited: method, call and body of each. */
  answers = [];
  /** What was asked of a model: run and body of each. */
  asked = [];

  constructor() {
    const { HOSTILE, listed } = record;
    const runs = [
      listed("run_today"), listed("run_yesterday", { start: new Date(record.START / 1_000 - 86_400_000).toISOString(), input: 1_730, models: ["local://tiny"] }),
      listed("run_live", { outcome: "running", state: "RUNNING", duration_us: null, finish: null, calls: 0, lines: 4 }),
      listed("run_dead", { outcome: "no end", state: "INTERRUPTED", duration_us: null, finish: null }),
      listed("run_failed", { outcome: "failed", state: "FAILED", error: { code: "answer_invalid", message: "The answer of the model does not have the form that the program asks for." } }),
      listed("run_hostile", { program: HOSTILE, model: HOSTILE, models: [HOSTILE], error: { code: HOSTILE, message: HOSTILE }, state: "FAILED", notes: [HOSTILE] }),
      { run: "run_old" }, listed("run_long"), listed("run_damaged", { notes: ["Line 7 of the record is damaged and was left out."] }), listed("run_many", { program: "agents/many.as" }), listed("run_torn", { program: "" }),
      listed("run_会议", { program: "示例/会议纪要.as" }),
    ];
    for (let index = 0; index < 230; index += 1) runs.push(listed(`run_filler_${index}`, { program: `agents/filler_${index % 7}.as` }));
    for (const run of runs) this.#runs.set(run.run, run);
    this.#events.set("run_many", record.manyEvents(100_000));
    this.#events.set("run_live", record.events().slice(0, 4).map((one, index) => ({ ...one, duration_us: index === 1 ? 0 : null })));
    this.#events.set("run_dead", record.events().slice(0, 10).map((one) => ([1, 3, 10].includes(one.id) ? { ...one, duration_us: null } : one)));
    this.#events.set("run_hostile", record.events().map((one) => ({ ...one, data: { program: HOSTILE, name: HOSTILE, message: HOSTILE, agent: HOSTILE, error: { code: HOSTILE, message: HOSTILE } } })));
    this.#events.set("run_old", [{ id: 1, kind: "run", start_us: record.START }, { id: 2, parent: 1, kind: "something_new", start_us: record.START + 5 }]);
  }

  async listen(folder) {
    this.#folder = folder;
    this.#http = createServer((request, response) => void this.#serve(request, response));
    await new Promise((done) => this.#http.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${this.#http.address().port}`;
    return this;
  }

  async close() {
    this.#http.closeAllConnections();
    await new Promise((done) => this.#http.close(done));
  }

  /** Lets the run that is under way have its end. */
  finish() {
    this.#events.set("run_live", record.events());
    this.#runs.set("run_live", record.listed("run_live"));
    for (const response of this.#followers) response.end('event: lines\ndata: {"lines": 11, "state": "COMPLETED"}\n\nevent: end\ndata: {}\n\n');
  }

  async #serve(request, response) {
    const url = new URL(request.url, this.url);
    const parts = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
    try {
      if (parts[0] !== "v1") return await this.#file(url.pathname, response);
      if (parts.at(-1) === "picture") return response.writeHead(200, { "content-type": "image/svg+xml" }).end(record.PICTURE);
      if (parts.at(-1) === "transcript") return response.writeHead(200, { "content-type": "text/markdown; charset=utf-8" }).end("# 会议\n");
      if (parts.at(-1) === "follow") return this.#follow(response);
      if (request.method !== "GET") return await this.#change(parts.slice(1), request, response);
      const body = JSON.stringify(this.#answer(parts.slice(1), url.searchParams));
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    } catch (error) {
      const { status = 500, code = "INTERNAL", message } = error;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code, message }));
    }
  }

  /** A program that is tried, and answers to what waits, which end it. */
  async #change([what, id, word], request, response) {
    let text = "";
    for await (const part of request) text += part;
    if (what === "waits") {
      this.answers.push([request.method, id, text === "" ? undefined : JSON.parse(text)]);
      this.#waits = this.#waits.filter(({ callId }) => callId !== id);
      for (const follower of this.#followers) follower.write('event: steps\ndata: {}\n\n');
      return response.writeHead(200, { "content-type": "application/json" }).end("{}");
    }
    if (word === "ask") {
      this.asked.push([id, JSON.parse(text)]);
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ run: "run_today" }));
    }
    if (word !== "recheck") throw new Refused(404, "path_unknown", "There is nothing of this name.");
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(record.recheck(JSON.parse(text).text)));
  }

  #answer([what, first, word, number, last], query) {
    if (Number(query.get("limit") ?? 1) > MOST[word ?? what]) throw new Refused(400, "query_invalid", `the query's \`limit\`: expected a number from 1 to ${MOST[word ?? what]}`);
    if (what === "diff") return first === word ? { calls: [] } : record.diff();
    if (what === "why") return this.#why(query);
    if (what === "usage") return record.usage();
    if (what === "about") return record.ABOUT;
    if (first === "nothing" && what !== "runs") throw new Refused(404, "not_kept", "There is nothing of this name.");
    const steps = /^flow_of_(\d+)$/.exec(what === "flows" ? (first ?? "") : "")?.[1];
    if (steps !== undefined) return record.manySteps(first, Number(steps), Number(query.get("after") ?? 0), query.get("state"));
    if (what === "flows") return first === undefined ? record.flows() : record.flow();
    if (what === "evals") return first === undefined ? record.evals() : record.evaluation();
    if (what === "waits") return { waits: this.#waits, next: null };
    if (what === "contexts") return this.#context(first, word, query);
    if (what === "knowledge") return first === undefined ? record.packs() : word === "search" ? record.hits() : record.pack();
    if (what === "texts") return this.#text(word, query);
    if (first === undefined) return this.#list(query);
    if (word === "events") return this.#page(first, query);
    const run = this.#runs.get(first);
    if (!run) throw new Refused(404, "run_unknown", `There is no run ${first}.`);
    if (word === "program") return { file: "agents/support.as", text: record.PROGRAM };
    if (word === "tokens") return record.tokens(first === "run_hostile");
    if (word !== "calls") return run;
    if (number !== "1") throw new Refused(404, "call_unknown", `The run has 1 model call; there is no call ${number}.`);
    if (first === "run_torn" && last === "prompt") throw new Refused(404, "text_missing", "The store has no text sha256:0.");
    const prompt = this.#prompt(first);
    if (last === "prompt") return prompt;
    const manifest = first === "run_old" ? { call: 1, model: { uri: "old", tokenizer: "o200k_base", tokenizer_exact: false } } : record.manifest(prompt);
    return { run: first, call: 1, calls: 1, event: record.events()[9], manifest };
  }

  #context(context, word, query) {
    if (context === undefined) return record.contexts(query.get("owner"));
    if (word === "messages") return record.messages();
    if (word === "changes") return record.changes(Number(query.get("since")));
    return record.context(query.has("version") ? Number(query.get("version")) : undefined);
  }

  #prompt(run) {
    if (run === "run_old") return { messages: [{ role: "user", text: "An old record." }] };
    if (run === "run_hostile") return record.hostilePrompt();
    const prompt = record.prompt(run === "run_yesterday");
    if (run !== "run_long") return prompt;
    const long = { role: "user", text: null, bytes: this.#long.length, tokens: 3_000_000, digest: "sha256:long" };
    const items = prompt.items.slice(0, 1).map((item) => ({ ...item, span: { message: 0, start: this.#long.length - 36, end: this.#long.length - 1 } }));
    return { ...prompt, messages: [long], items, layers: [] };
  }

  #list(query) {
    const began = (run) => Date.parse(run.start ?? "");
    const isOf = (run) => (run.models ?? []).some((model) => model.includes(query.get("model") ?? "")) || !query.has("model");
    const isThen = (run) => (!query.has("since") || began(run) >= Number(query.get("since"))) && (!query.has("until") || began(run) < Number(query.get("until")));
    const wanted = [...this.#runs.values()].filter((run) => isOf(run) && isThen(run) && (run.program ?? "").endsWith(query.get("program") ?? "") && [undefined, null, "", (run.state ?? "").toLowerCase()].includes(query.get("outcome")) && JSON.stringify(run).includes(query.get("q") ?? ""));
    const from = wanted.findIndex((run) => run.run === query.get("after")) + 1;
    const runs = wanted.slice(from, from + Number(query.get("limit") ?? 50));
    return { runs, ...(from + runs.length < wanted.length ? { next: runs.at(-1).run } : {}) };
  }

  #page(run, query) {
    const all = this.#events.get(run) ?? record.events();
    const parent = Number(query.get("parent") ?? 1);
    if (!this.#within.has(all)) this.#within.set(all, Map.groupBy(all, (event) => event.parent));
    const within = this.#within.get(all);
    const wanted = within.get(parent) ?? [];
    const from = wanted.findIndex((event) => String(event.id) === query.get("after")) + 1;
    const events = wanted.slice(from, from + Number(query.get("limit") ?? 200)).map((event) => ({ ...event, children: within.get(event.id)?.length ?? 0 }));
    return { events, ...(from + events.length < wanted.length ? { next: events.at(-1).id } : {}) };
  }

  /** A part of a text, widened to whole characters. */
  #text(digest, query) {
    const whole = digest === "sha256:long" ? this.#long : Buffer.from(JSON.stringify(record.WHOLE_POLICY));
    const inside = (at) => at < whole.length && (whole[at] & 0xc0) === 0x80;
    let offset = Math.min(Number(query.get("offset") ?? 0), whole.length);
    while (inside(offset)) offset -= 1;
    let end = Math.min(whole.length, offset + Number(query.get("limit") ?? 65_536));
    while (inside(end)) end += 1;
    return { text: whole.subarray(offset, end).toString("utf8"), offset, next: end < whole.length ? end : null, total: whole.length };
  }

  #why(query) {
    if (query.get("label") === "history") return { verdict: "gave_way", by: "max_input 1400", line: 14, detail: "history has priority 0; policy and ticket have more" };
    return { verdict: "not_declared", by: null, line: null, detail: `no item is named ${query.get("label")}` };
  }

  #follow(response) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('event: lines\ndata: {"lines": 4, "state": "RUNNING"}\n\n');
    this.#followers.add(response);
    response.on("close", () => this.#followers.delete(response));
  }

  async #file(path, response) {
    const name = path === "/" ? "index.html" : normalize(path);
    const body = await readFile(join(this.#folder, name)).catch(() => {
      throw new Refused(404, "not_found", `There is no file ${name}.`);
    });
    response.writeHead(200, { "content-type": `${TYPES[extname(name)]}; charset=utf-8`, "content-security-policy": POLICY, "x-content-type-options": "nosniff" }).end(body);
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const server = await new RecordServer().listen(new URL("../../../../crates/server/assets/inspect/", import.meta.url).pathname);
  console.log(`${server.url}/`);
}
