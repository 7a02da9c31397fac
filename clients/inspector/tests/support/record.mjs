// Made-up records in the form of the API (IN-4): an ordinary run and its neighbour of another day, and runs with which something is the matter.
import { createHash } from "node:crypto";

export const START = Date.parse("2026-03-14T09:26:53.589Z") * 1_000;
const digestOf = (text) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const bytes = (text) => Buffer.byteLength(text);

/** A run as lists have it. */
export function listed(run, more = {}) {
  return {
    run, program: "agents/support.as", outcome: "done", state: "COMPLETED", start: new Date(START / 1_000).toISOString(), duration_us: 2_418_000, bytes: 18_322, model: "openai/gpt-5-mini",
    models: ["openai/gpt-5-mini"], trace: "9f86d081884c7d659a2feaa0c55ad015", calls: 1, input: 1_310, output: 96, cached: 512, estimated: false, finish: "stop", cost: { micros: 1_240, currency: "USD", source: "list price" }, error: null, ...more,
  };
}

/** A message of parts: plain text, items as `{item}` and layers as `{layer}`; each part's place is found by its length in bytes. */
function message(index, role, tokens, parts) {
  const spans = new Map();
  let text = "";
  for (const part of parts) {
    const piece = typeof part === "string" ? part : part.text;
    if (typeof part !== "string") spans.set(part.of, { message: index, start: bytes(text), end: bytes(text) + bytes(piece) });
    text += piece;
  }
  return { message: { role, text, bytes: bytes(text), tokens, digest: digestOf(text) }, spans };
}

const budget = (amount, keep = "head") => ({ amount, unit: "tokens", limit: amount, measure: "tokens", keep });

export const TICKET = "客户问题:订单 A-1042 什么时候发货?\nPlease answer in Chinese. 🙂";
export const POLICY_TEXT = "Orders that are paid before noon leave the same day.\nOrders of the category “fragile” leave the next working day.\n";
export const WHOLE_POLICY = `${POLICY_TEXT}Orders to islands take two days more.\nReturns are free for thirty days.\n`;

/** The prompt of an ordinary call: three items, of which one was cut and one left out. */
export function prompt(changed = false) {
  const identity = "You are a support engineer.";
  const instruction = "Answer the ticket from the policy.";
  const contract = 'Answer with one JSON object:\n{ "answer": string, "days": number }';
  const ticket = changed ? TICKET.replace("A-1042", "A-1043") : TICKET;
  const system = message(0, "system", 40, [{ of: "identity", text: identity }]);
  const user = message(1, "user", 1_270, [
    "Context:\n[ticket]\nsource: input.ticket\n", { of: 0, text: ticket }, "\n\n[policy]\nsource: Policy\n", { of: 1, text: `<untrusted_data trust="tool">\n${POLICY_TEXT}[cut: 2 more lines]\n</untrusted_data>` },
    "\n\nInstruction:\n", { of: "instruction", text: instruction }, "\n\n", { of: "contract", text: contract },
  ]);
  const span = (of) => system.spans.get(of) ?? user.spans.get(of) ?? null;
  const at = (line) => ({ file: "agents/support.as", line, column: 5 });
  const item = (index, label, source, more) => ({ index, label, source, position: at(12 + index), text: digestOf(label), value: digestOf(`value of ${label}`), tokens_before_exact: true, priority: 0, clipped: false, span: span(index), ...more });
  const items = [
    item(0, "ticket", "input.ticket", { trust: "user", priority: 9, tokens: 38, tokens_before: 38 }),
    item(1, "policy", "Policy", {
      trust: "tool", priority: 5, tokens: 1_000, tokens_before: 1_730, budget: budget(1_000), clipped: true, sources: [{ source: "docs/policy.md", trust: "tool" }],
      cuts: [{ reason: "item_budget", budget: budget(1_000), removed: 730, left_out: false, kept: { kept: 2, of: 4 } }],
    }),
    item(2, "history", "Memory.recall(ticket)", { trust: "memory", tokens: 0, tokens_before: 420, clipped: true, cuts: [{ reason: "prompt_budget", budget: budget(0), removed: 420, left_out: true }] }),
  ];
  const layers = [["identity", identity, 6], ["instruction", instruction, 8], ["contract", contract, 34]].map(([name, text, tokens]) => ({ name, digest: digestOf(text), tokens, span: span(name) }));
  const tools = [{ type: "function", function: { name: "Orders_find", description: "Finds an order", parameters: { type: "object", properties: { id: { type: "string" } } } } }];
  const attempts = [
    { attempt: 1, messages: [], answer: '{"answer": "明天发货", "days": "one"}', errors: [{ path: "days", message: "expected a number, found a string" }] },
    { attempt: 2, messages: [{ role: "assistant", text: '{"answer": "明天发货", "days": "one"}' }, { role: "user", text: "days: expected a number." }], answer: '{"answer":"明天发货","days":1}', errors: null },
  ];
  return { messages: [system.message, user.message], items, layers, tools, attempts };
}

export function manifest(of = prompt()) {
  const attempt = (number, more) => ({ attempt: number, requests: [digestOf(`request ${number}`)], finish_reason: "stop", prompt_tokens: 1_310, completion_tokens: 48, cached_tokens: 512, latency_ms: 1_020, max_output: 300, schema_form: "json_schema", options: { temperature: 0 }, ...more });
  return {
    version: 2, call: 1, site: { file: "agents/support.as", line: 21, column: 5, agent: "Support", function: "main" }, model: { uri: "openai/gpt-5-mini", tokenizer: "o200k_base", tokenizer_exact: true },
    layers: of.layers, items: of.items, messages: [], tools: [{ tool: "Orders", method: "find", function: "Orders_find", class: "read", tokens: 55, digest: digestOf("tool") }],
    packs: [{ name: "shipping", version: "1.2.0", status: "ready", tokens: 0, budget: 500, warnings: ["nothing in it matches"] }],
    ranked: [{ source: "docs/**", label: "evidence", question: "When does the order leave?", passages: [{ text: "docs/policy.md", heading: "Shipping", first_line: 3, last_line: 9, score: 7.25, tokens: 120 }], left_out: { texts: 4, passages: 31, best: [{ text: "docs/returns.md", heading: null, first_line: 1, last_line: 4, score: 1.5, tokens: 44 }] } }],
    attempts: [attempt(1, { retried: ["the provider answered 503"], waits_ms: [800] }), attempt(2, {})], cost: { micros: 1_240, currency: "USD", source: "list price" }, options: {}, tokens: 1_310, max_input: 1_400,
  };
}

const event = (id, parent, kind, start, duration, data = {}, more = {}) => ({ id, parent, kind, start_us: START + start, duration_us: duration, call: null, data, ...more });

/** The events of an ordinary run, with two tools side by side. */
export function events() {
  return [
    event(1, null, "run", 0, 2_418_000, { program: "agents/support.as" }),
    event(2, 1, "input", 100, 0, { value: { ticket: TICKET } }),
    event(3, 1, "agent", 200, 2_417_000, { agent: "Support", function: "main" }),
    event(4, 3, "parallel_for", 1_000, 300_000, { variable: "source" }),
    event(5, 4, "iteration", 1_100, 120_000, { index: 0 }),
    event(6, 4, "iteration", 1_200, 299_000, { index: 1 }),
    event(7, 5, "tool", 1_300, 119_000, { name: "File", method: "read", arguments: { path: "docs/policy.md" } }),
    event(8, 6, "memory", 1_400, 298_000, { name: "Memory", method: "recall", arguments: { query: "A-1042" } }),
    event(9, 3, "use", 301_000, 0, { label: "policy", source: "Policy" }),
    event(10, 3, "generate", 302_000, 2_100_000, { agent: "Support", function: "main", file: "agents/support.as", line: 21 }, { call: 1 }),
    event(11, 3, "warning", 2_410_000, 0, { message: "the policy was cut" }),
  ];
}

/** The events of a run of any size: a loop of so many iterations. */
export function manyEvents(count) {
  const all = [event(1, null, "run", 0, count * 10, { program: "agents/many.as" }), event(2, 1, "for", 5, count * 10 - 10, { variable: "row" })];
  for (let id = 3; id <= count; id += 1) all.push(event(id, 2, "iteration", id * 10 - 20, 9, { index: id - 3 }));
  return all;
}

export const HOSTILE = `<script>document.title = "hacked"</script><img src=x onerror="document.title='hacked'"> \u202Eevil\u202C \u{E0041}`;

/** A prompt in which every text of somebody is hostile. */
export function hostilePrompt() {
  const of = prompt();
  const user = message(1, "user", 20, [{ of: 0, text: HOSTILE }, "\n", { of: 1, text: HOSTILE }]);
  const items = of.items.slice(0, 2).map((item, index) => ({ ...item, label: HOSTILE, source: HOSTILE, position: { file: HOSTILE, line: 1, column: 1 }, trust: HOSTILE, sources: [{ source: HOSTILE, trust: HOSTILE }], span: user.spans.get(index) }));
  const attempts = [{ attempt: 1, messages: [{ role: HOSTILE, text: HOSTILE }], answer: HOSTILE, errors: [{ path: HOSTILE, message: HOSTILE }] }];
  return { messages: [{ ...of.messages[0], role: HOSTILE, text: HOSTILE }, user.message], items, layers: [{ name: HOSTILE, digest: digestOf("x"), tokens: 1, span: { message: 0, start: 0, end: 8 } }], tools: [{ name: HOSTILE }], attempts };
}

/** A prompt of 10 MB, given by parts. */
export function longText() {
  const line = "一行文字 with a number: ";
  return Array.from({ length: 300_000 }, (_, index) => `${line}${index}\n`).join("");
}

export function diff() {
  const item = (change, label, tokens, before, more = {}) => ({ change, label, source: `input.${label}`, tokens, tokens_before: before, ...more });
  return {
    calls: [
      { change: "same", left: 1, right: 1, site: "agents/support.as:14:5", tokens: [200, 200], exact: [true, true], layers: [], items: [item("same", "ticket", [38, 38], [38, 38])] },
      {
        change: "changed", left: 2, right: 2, site: "agents/support.as:21:5", tokens: [1_730, 1_310], exact: [true, true], layers: [], items: [
          item("same", "ticket", [38, 38], [38, 38]),
          item("cut_differently", "policy", [1_420, 1_000], [1_730, 1_730], { left: WHOLE_POLICY, right: POLICY_TEXT }),
          item("gone", "history", [120, 0], [120, 0], { left: "The customer asked about A-1042 before." }),
          item("added", "目录", [0, 12], [0, 12], { right: "目录:发货、退货" }),
        ],
      },
      { change: "added", left: null, right: 3, site: "agents/support.as:30:5", tokens: [0, 90], exact: [true, false], layers: [], items: [] },
    ],
  };
}

/** What the tokens of a run went to; the parts add up. */
export function tokens(isHostile) {
  const name = (text) => (isHostile ? HOSTILE : text);
  const tile = (x, y, width, height) => ({ x, y, width, height });
  return {
    total: 1_700, calls: 1,
    parts: [
      { kind: "item", name: name("policy"), tokens: 900, calls: 1, tile: tile(0, 0, 60, 88) },
      { kind: "item", name: name("ticket"), tokens: 500, calls: 1, tile: tile(60, 0, 40, 73.5) },
      { kind: "layer", name: "instruction", tokens: 200, calls: 1, tile: tile(60, 73.5, 40, 26.5) },
      { kind: "tools", name: "", tokens: 120, calls: 1, tile: tile(0, 88, 60, 12) },
      { kind: "item", name: "gone", tokens: 0, calls: 1 },
      { kind: "rest", name: "", tokens: -20, calls: 1 },
    ],
  };
}

/** What runs took, over three programs and two days. */
export function usage() {
  const row = (name, runs, calls, failed, input, output, more = {}) =>
    ({ name, runs, calls, failed, input, output, cached: 0, estimated: false, cost: { USD: input * 3 }, unpriced: 0, median_us: 2_300_000, most_us: 9_100_000, ...more });
  return {
    all: row("", 22, 70, 3, 94_000, 5_200, { cached: 12_000, unpriced: 2 }),
    rows: [row("agents/support.as", 12, 48, 2, 80_000, 4_000, { cached: 12_000 }), row("示例/会议纪要.as", 8, 20, 0, 13_000, 1_100, { estimated: true }), row(HOSTILE, 2, 2, 1, 1_000, 100, { cost: {}, unpriced: 2, median_us: null, most_us: null })],
    times: [row("2026-07-30T00:00:00Z", 10, 30, 1, 40_000, 2_000), row("2026-07-31T00:00:00Z", 12, 40, 2, 54_000, 3_200)],
    more: true, notes: [],
  };
}

export const ABOUT = { flows: true, contexts: true, knowledge: true, can_change: true, can_recheck: true, evals: true };

const FLOW = { run: "flow_1", name: HOSTILE, status: "RUNNING", context: "ctx_会议", steps: 3, done: 2, started: "2026-07-30T09:00:00Z", ended: null };

export function flows() {
  return { flows: [FLOW, { ...FLOW, run: "flow_0", name: "sales report", status: "COMPLETED", done: 3, ended: "2026-07-30T09:00:05Z" }], next: null };
}

export function flow() {
  const instructions = [
    { instructionId: "fetch", action: "http_get", parameters: { url: "https://example.org" } },
    { instructionId: "check", action: "agent:Analyst", parameters: { text: HOSTILE }, dependencies: ["fetch"], condition: "dependencies.fetch.result.score > 5" },
    { instructionId: "send", action: "file_write", parameters: {}, dependencies: ["check"] },
  ];
  const started = (id, attempt) => ({ event: "STARTED", id, action: "http_get", attempt, key: `flow_1/${id}/${attempt}`, time: "2026-07-30T09:00:00Z" });
  return {
    ...FLOW, states: { COMPLETED: 1, FAILED: 1, PENDING: 1 }, set: { type: "INSTRUCTION", content: { instructions } }, order: ["fetch", "check"], events: [started("fetch", 1), started("fetch", 2), started("check", 1)],
    results: { fetch: { status: "COMPLETED", result: { score: 7 } }, check: { status: "FAILED", error: { code: "TOOL_FAILED", message: HOSTILE } } },
    conditions: { check: { text: "dependencies.fetch.result.score > 5", values: [{ path: "dependencies.fetch.result.score", value: 7 }] } },
  };
}

/** A part of a run of many steps, which have texts in Chinese and with signs of two units; few of them failed. */
export function manySteps(run, steps, after, state) {
  const stateOf = (index) => (index % 2_500 === 2_499 ? "FAILED" : "COMPLETED");
  const all = Array.from({ length: steps }, (_, index) => index);
  const wanted = all.filter((index) => state === null || stateOf(index) === state);
  const shown = wanted.slice(after, after + 400);
  const id = (index) => `步骤_${index}`;
  const instructions = shown.map((index) => ({ instructionId: id(index), action: "http_get", parameters: { text: `发货 🙂 ${id(index)}` } }));
  const results = Object.fromEntries(shown.map((index) => [id(index), { status: stateOf(index), executionTime: 8.5, result: { text: `🙂 ${id(index)}` } }]));
  const events = shown.map((index) => ({ event: "STARTED", id: id(index), action: "http_get", attempt: 1, key: `${run}:${id(index)}`, time: "2026-07-30T09:00:00Z" }));
  const states = Object.fromEntries(["COMPLETED", "FAILED"].map((one) => [one, all.filter((index) => stateOf(index) === one).length]).filter(([, count]) => count > 0));
  const end = after + shown.length;
  return { ...FLOW, run, steps, done: steps, status: "COMPLETED", states, set: { instructions }, order: shown.map(id), events, results, conditions: {}, next: end < wanted.length ? end : null };
}

export function evals() {
  return { evals: [{ name: "base.json", passed: 4, failed: 2, skipped: 1 }, { name: HOSTILE, passed: 0, failed: 0, skipped: 0 }] };
}

/** Two cases in two variants, one of them repeated. */
export function evaluation() {
  const cell = (name, variant, outcome, more = {}) => ({ name, variant, outcome, expectations: [{ name: "matches", passed: outcome !== "failed", detail: outcome === "failed" ? HOSTILE : null }], run: `run_${outcome}`, tokens: 797, cost: 0.01, ...more });
  const cases = [cell("翻译", "small", "passed"), cell("翻译", "large", "failed"), cell("翻译", "large", "passed"), cell("refund", "small", "error", { run: null, error: { code: "AS9030", message: HOSTILE } }), cell("refund", "large", "skipped", { run: null, expectations: [] })];
  return { suites: [{ file: "tests/support.test.yaml", cases }, { file: HOSTILE, cases: [cell(HOSTILE, null, "passed")] }], passed: 4, failed: 2, skipped: 1 };
}

/** A question and a call that wait, until they are answered. */
export function waits() {
  const wait = (callId, kind, request) => ({ callId, contextId: "ctx_会议", kind, since: "2026-07-30T09:00:00Z", expires: "2026-08-06T09:00:00Z", client: "page_1", owner: "ada", flow: "flow_1", step: "send", request });
  return [wait("ask", "PERMISSION", { type: "TOOL_CALL_REQUEST", content: { prompt: HOSTILE } }), wait("pick", "CALL", { type: "TOOL_CALL_REQUEST", content: { calls: [{ name: "pick" }] } })];
}

export const PROGRAM = `main agent Support {\n${"  // …\n".repeat(10)}  main func(input) {\n    use input.ticket as ticket\n    use Policy max 1000 as policy\n    generate({ input: "Answer." })\n  }\n}\n`;

/** What a changed program changes. */
export function recheck(text) {
  if (text === PROGRAM) return { calls: [{ site: "agents/support.as:21:5", n: 1, change: "same", changed: false, stale: false, tokens_before: 1_310, tokens_after: 1_310, layers: [], items: [] }], failure: null, patch: "" };
  const item = { change: "cut_differently", label: "policy", source: "Policy", tokens: [1_000, 1_730], tokens_before: [1_730, 1_730], left: POLICY_TEXT, right: WHOLE_POLICY };
  return {
    calls: [{ site: "agents/support.as:21:5", n: 1, change: "changed", changed: true, stale: true, tokens_before: 1_310, tokens_after: 2_040, layers: [], items: [item] }, { site: "agents/support.as:30:5", n: 2, change: "same", changed: false, stale: true, tokens_before: 90, tokens_after: 90, layers: [], items: [] }],
    failure: { code: "AS9030", message: HOSTILE }, offer: { calls: [{ n: 1, model: `openai://${HOSTILE}`, changed: true }, { n: 2, model: `openai://${HOSTILE}`, changed: false }], models: [`openai://${HOSTILE}`], tokens: 9_000, cost: 0.0125 }, patch: `--- a/agents/support.as\n+++ b/agents/support.as\n-    use Policy max 1000 as policy\n+    use Policy max 4000 as policy\n`,
  };
}

export const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="420" height="90"><script>document.title = "hacked"</script><rect x="4" y="20" width="120" height="40" fill="#eef" stroke="#88a"/><text x="20" y="45">fetch</text></svg>';

const CONTEXT = { contextId: "ctx_会议", creationTime: "2026-07-30T09:00:00Z", lastUpdateTime: "2026-07-30T09:10:00Z", version: 5, messageCount: 2, metadata: { title: HOSTILE } };

export function contexts(owner) {
  return { owners: ["ada", "local"], owner: owner || "ada", contexts: [CONTEXT, { ...CONTEXT, contextId: "ctx_b", metadata: {} }], next: null };
}

export function context(version) {
  return { ...CONTEXT, owner: "ada", oldest: 1, last: 5, version: version ?? 5, state: version === 1 ? null : { topic: `version ${version ?? 5}`, nested: { list: [1, 2] } } };
}

export function messages() {
  const message = (messageId, type, content, id) => ({ messageId, timestamp: "2026-07-30T09:01:00Z", type, sender: { id, type: "USER" }, content });
  return { messages: [message("m1", "USER_INPUT", { text: HOSTILE }, "ada"), message("m2", "TOOL_CALL_REQUEST", { calls: [{ name: "x" }] }, "Helper")], next: null };
}

export function changes(since) {
  return { version: 5, changes: [{ version: since + 1, op: "UPDATE_STATE", path: "topic", value: "x", cause: "m2", time: "2026-07-30T09:01:00Z" }], next: null };
}

const PACK = { name: "acme-product-brief", description: "What Acme sells, and for how much.", type: "brand-product", status: "ready", trust: "official" };

export function packs() {
  return { packs: [{ ...PACK, closed: null, usage: { uses: 12 } }, { ...PACK, name: "draft", description: HOSTILE, status: "draft", closed: "the pack `draft` is a draft" }], notes: [HOSTILE] };
}

export function pack() {
  const sections = [1, 2, 3].map((n) => ({ path: "documents/prices.md", heading: `Prices > Part ${n}`, first_line: n * 10, tokens: n * 33 }));
  return { ...PACK, guide: `# Guide\n\n${HOSTILE}`, sections, all_sections: 3, left_out: ["logo.png"], warnings: [] };
}

export function hits() {
  return { hits: [{ anchor: "documents/prices.md#L10-L12", heading: "Prices > Part 1", score: 3.25, text: HOSTILE }] };
}
