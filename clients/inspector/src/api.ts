/** Questions to the server. Paths are relative to the page, so it works under any folder. */

import type { About, CallAnswer, CallDiff, Context, ContextChange, ContextMessage, ContextPage, EvalHead, EvalReport, Flow, FlowHead, Hit, Offer, PackDetails, PackHead, Program, Prompt, Recheck, Run, RunEvent, RunHead, RunTokens, TextPart, Usage, Wait, Why } from "./types.js";
import type { ContextFilter, Filter, UsageFilter } from "./address.js";
import { addressInFile, inFile } from "./file.js";
import { keptToken } from "./token.js";
import { t } from "./words/words.js";

/** A refusal of the server, or of the connection, as the page shows it. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 0) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

type Query = Record<string, string | number | undefined>;

function address(path: readonly (string | number)[], query: Query = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") values.set(name, String(value));
  return `v1/${path.map((part) => encodeURIComponent(part)).join("/")}${values.size > 0 ? `?${values}` : ""}`;
}

async function get<Value>(path: readonly (string | number)[], query: Query = {}, signal?: AbortSignal): Promise<Value> {
  const own = inFile()?.get(addressInFile(path, query));
  if (own !== undefined) return own as Value;
  const answer = await asked(address(path, query), "application/json", signal);
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && body !== undefined) return body as Value;
  throw refusal(answer.status, body);
}

async function blob(path: string, accept: string): Promise<Blob> {
  const answer = await asked(path, accept);
  if (answer.ok) return answer.blob();
  throw refusal(answer.status, await answer.json().catch(() => undefined));
}

/** Asks the server to do something; `above` names one beside the inspector. */
async function post(path: readonly string[], body: unknown, above = "", query: Query = {}): Promise<unknown> {
  return change("POST", above + address(path, query), JSON.stringify(body));
}

async function change(method: string, path: string, body?: string): Promise<unknown> {
  const answer = await asked(path, "application/json", undefined, body === undefined ? { method } : { method, body });
  const told: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return told;
  throw refusal(answer.status, told);
}

async function asked(path: string, accept: string, signal?: AbortSignal, more: RequestInit = {}): Promise<Response> {
  if (inFile()) throw new ApiError("not_in_file", t("not_in_file"), 404);
  const token = keptToken();
  const headers = { accept, ...(more.body ? { "content-type": "application/json" } : {}), ...(token === "" ? {} : { authorization: `Bearer ${token}` }) };
  return fetch(path, { ...more, headers, ...(signal ? { signal } : {}) }).catch((error: unknown) => {
    throw signal?.aborted ? error : new ApiError("unreachable", error instanceof Error ? error.message : String(error));
  });
}

type Said = Readonly<Record<string, unknown>>;

function object(value: unknown): Said {
  return typeof value === "object" && value !== null ? (value as Said) : {};
}

/** `contexture inspect` says `{code, message}`, `contexture serve` has the form of its protocol. */
function refusal(status: number, body: unknown): ApiError {
  const content = object(object(body)["content"]);
  const [code, message] = "errorCode" in content ? [object(content["details"])["reason"] ?? content["errorCode"], content["message"]] : [object(body)["code"], object(body)["message"]];
  return new ApiError(typeof code === "string" ? code : `HTTP ${status}`, typeof message === "string" ? message : "", status);
}

/** Reads the names of server-sent events until the stream ends. */
async function eventsOf(answer: Response, heard: (event: string) => void): Promise<void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const name = /^event: ?(.*)$/m.exec(block)?.[1];
      if (name !== undefined) heard(name);
    }
  }
}

type After = string | number;

/** A time of this place as the API takes one; what is not a time is told by the server. */
function millis(local: string): string | number {
  const time = new Date(local).getTime();
  return Number.isNaN(time) ? local : time;
}

export const api = {
  runs: (filter: Filter, after: After | undefined, signal?: AbortSignal) =>
    get<{ readonly runs: readonly Run[]; readonly next?: After | null; readonly notes?: readonly string[] }>(["runs"], { ...filter, since: millis(filter.since), until: millis(filter.until), after, limit: 100 }, signal),
  run: (run: string, signal?: AbortSignal) => get<RunHead>(["runs", run], {}, signal),
  events: (run: string, parent: number | undefined, after: After | undefined) =>
    get<{ readonly events: readonly RunEvent[]; readonly next?: After | null }>(["runs", run, "events"], { parent, after, limit: 200 }),
  call: (run: string, call: number, signal?: AbortSignal) => get<CallAnswer>(["runs", run, "calls", call], {}, signal),
  prompt: (run: string, call: number, signal?: AbortSignal) => get<Prompt>(["runs", run, "calls", call, "prompt"], {}, signal),
  text: (run: string, digest: string, offset: number, signal?: AbortSignal) => get<TextPart>(["texts", run, digest], { offset, limit: 65_536 }, signal),
  tokens: (run: string, by: string, signal?: AbortSignal) => get<RunTokens>(["runs", run, "tokens"], { by }, signal),
  usage: (filter: UsageFilter, signal?: AbortSignal) => get<Usage>(["usage"], { ...filter }, signal),
  about: (signal?: AbortSignal) => get<About>(["about"], {}, signal),
  flows: (after: string | undefined, signal?: AbortSignal) => get<{ readonly flows: readonly FlowHead[]; readonly next: string | null }>(["flows"], { after, limit: 100 }, signal),
  flow: (flow: string, after: number, state: string, signal?: AbortSignal) => get<Flow>(["flows", flow], { after: after > 0 ? after : undefined, state }, signal),
  picture: (flow: string) => blob(address(["flows", flow, "picture"]), "image/svg+xml"),
  contexts: (filter: ContextFilter, signal?: AbortSignal) => get<ContextPage>(["contexts"], { ...filter, limit: 100 }, signal),
  context: (owner: string, context: string, version: number | undefined, signal?: AbortSignal) => get<Context>(["contexts", context], { owner, version }, signal),
  transcript: (owner: string, context: string) => blob(address(["contexts", context, "transcript"], { owner }), "text/markdown"),
  messages: (owner: string, context: string, before: number | undefined) => get<{ readonly messages: readonly ContextMessage[]; readonly next?: number | null }>(["contexts", context, "messages"], { owner, before, limit: 50 }),
  changes: (owner: string, context: string, since: number, signal?: AbortSignal) => get<{ readonly changes: readonly ContextChange[] }>(["contexts", context, "changes"], { owner, since, limit: 100 }, signal),
  packs: (signal?: AbortSignal) => get<{ readonly packs: readonly PackHead[]; readonly notes: readonly string[] }>(["knowledge"], {}, signal),
  pack: (name: string, signal?: AbortSignal) => get<PackDetails>(["knowledge", name], {}, signal),
  search: (name: string, q: string) => get<{ readonly hits: readonly Hit[] }>(["knowledge", name, "search"], { q, limit: 20 }),
  evals: (signal?: AbortSignal) => get<{ readonly evals: readonly EvalHead[] }>(["evals"], {}, signal),
  eval: (name: string, signal?: AbortSignal) => get<EvalReport>(["evals", name], {}, signal),
  program: (run: string, signal?: AbortSignal) => get<Program>(["runs", run, "program"], {}, signal),
  recheck: (run: string, text: string, model: string) => post(["runs", run, "recheck"], { text, model }) as Promise<Recheck>,
  ask: (run: string, text: string, model: string, agreed: Offer) => post(["runs", run, "ask"], { text, model, agreed }) as Promise<{ readonly run: string }>,
  /** Asks the server beside the inspector, which alone changes anything. */
  steer: (flow: string, word: string) => post(["flows", flow, word], {}, "../"),
  fork: (context: string) => post(["contexts", context, "fork"], {}, "../") as Promise<{ readonly contextId: string }>,
  diff: (left: string, right: string, signal?: AbortSignal) => get<{ readonly calls: readonly CallDiff[] }>(["diff", left, right], { words: "true" }, signal),
  why: (run: string, call: number, label: string, signal?: AbortSignal) => get<Why>(["why"], { run, call, label }, signal),
  /** What waits in a run of a set, or anywhere. */
  waits: (flow: string | undefined, signal?: AbortSignal) => get<{ readonly waits: readonly Wait[]; readonly next?: number | null }>(["waits"], { flow, limit: 100 }, signal),
  answerWait: (wait: Wait, result: unknown) => post(["waits", wait.callId], result, "../", { contextId: wait.contextId }),
  cancelWait: (wait: Wait) => change("DELETE", `../${address(["waits", wait.callId], { contextId: wait.contextId })}`),
  /** Calls back whenever something under way has grown, until it ends or the connection does. */
  follow: async (kind: "runs" | "flows", id: string, heard: (event: string) => void, signal: AbortSignal): Promise<void> => {
    const answer = await asked(address([kind, id, "follow"]), "text/event-stream", signal);
    if (!answer.ok) throw refusal(answer.status, await answer.json().catch(() => undefined));
    await eventsOf(answer, heard);
  },
};
