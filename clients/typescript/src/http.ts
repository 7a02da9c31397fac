/** Requests beside the session. */
import { ContextureError } from "./protocol/errors.js";
import type { JsonObject } from "./protocol/messages.js";
import { PROTOCOL_VERSION, type Settings } from "./options.js";
import { failureOf } from "./session.js";

type Query = Record<string, string | number | undefined>;

/** Reads a value. */
export async function get<Value>(settings: Settings, path: string, query: Query): Promise<Value> {
  const answer = await ask(settings, "GET", path, query);
  try {
    return (await answer.json()) as Value;
  } catch (cause) {
    throw new ContextureError("PARSE_ERROR", `The answer to ${path} is no JSON.`, { source: "SERVER", cause });
  }
}

/** Asks the server; an answer that refuses is thrown as an error. */
export async function ask(settings: Settings, method: string, path: string, query: Query, body?: JsonObject): Promise<Response> {
  const { base, token, fetch, httpTimeout } = settings;
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers: {
        Accept: "application/json",
        "MCP-CP-Version": PROTOCOL_VERSION,
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(httpTimeout),
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
    });
  } catch (cause) {
    const late = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new ContextureError(late ? "TIMEOUT" : "CONNECTION_FAILED", `${method} ${path} got no answer.`, { recoverable: true, cause });
  }
  if (!answer.ok) throw await failureOf(answer);
  return answer;
}
