/** Questions to the server. Paths are relative to the page, so it works under any folder. */

import type { CallAnswer, CallDiff, Prompt, Run, RunEvent, RunHead, TextPart, Why } from "./types.js";
import type { Filter } from "./address.js";

/** A refusal of the server, or of the connection, as the page shows it. */
export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Query = Record<string, string | number | undefined>;

function address(path: readonly (string | number)[], query: Query = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") values.set(name, String(value));
  return `v1/${path.map((part) => encodeURIComponent(part)).join("/")}${values.size > 0 ? `?${values}` : ""}`;
}

async function get<Value>(path: readonly (string | number)[], query: Query = {}, signal?: AbortSignal): Promise<Value> {
  const answer = await fetch(address(path, query), { headers: { accept: "application/json" }, ...(signal ? { signal } : {}) }).catch((error: unknown) => {
    throw signal?.aborted ? error : new ApiError("unreachable", error instanceof Error ? error.message : String(error));
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok && body !== undefined) return body as Value;
  throw refusal(answer.status, body);
}

function refusal(status: number, body: unknown): ApiError {
  const said = (typeof body === "object" && body !== null ? body : {}) as { readonly code?: unknown; readonly message?: unknown };
  const code = typeof said.code === "string" ? said.code : `HTTP ${status}`;
  return new ApiError(code, typeof said.message === "string" ? said.message : "");
}

type After = string | number;

export const api = {
  runs: (filter: Filter, after: After | undefined, signal?: AbortSignal) =>
    get<{ readonly runs: readonly Run[]; readonly next?: After | null; readonly notes?: readonly string[] }>(["runs"], { ...filter, after, limit: 100 }, signal),
  run: (run: string, signal?: AbortSignal) => get<RunHead>(["runs", run], {}, signal),
  events: (run: string, parent: number | undefined, after: After | undefined) =>
    get<{ readonly events: readonly RunEvent[]; readonly next?: After | null }>(["runs", run, "events"], { parent, after, limit: 200 }),
  call: (run: string, call: number, signal?: AbortSignal) => get<CallAnswer>(["runs", run, "calls", call], {}, signal),
  prompt: (run: string, call: number, signal?: AbortSignal) => get<Prompt>(["runs", run, "calls", call, "prompt"], {}, signal),
  text: (run: string, digest: string, offset: number, signal?: AbortSignal) => get<TextPart>(["texts", run, digest], { offset, limit: 65_536 }, signal),
  diff: (left: string, right: string, signal?: AbortSignal) => get<{ readonly calls: readonly CallDiff[] }>(["diff", left, right], {}, signal),
  why: (run: string, call: number, label: string, signal?: AbortSignal) => get<Why>(["why"], { run, call, label }, signal),
  /** Where a run under way tells that it has grown. */
  followed: (run: string) => address(["runs", run, "follow"]),
};
