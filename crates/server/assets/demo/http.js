/** Requests beside the session. */
import { ContextureError } from "./protocol/errors.js";
import { PROTOCOL_VERSION } from "./options.js";
import { failureOf } from "./session.js";
/** Reads a value. */
export async function get(settings, path, query) {
    const answer = await ask(settings, "GET", path, query);
    try {
        return (await answer.json());
    }
    catch (cause) {
        throw new ContextureError("PARSE_ERROR", `The answer to ${path} is no JSON.`, { source: "SERVER", cause });
    }
}
/** Asks the server; an answer that refuses is thrown as an error. */
export async function ask(settings, method, path, query, body) {
    const { base, token, fetch, httpTimeout } = settings;
    const url = new URL(path, base);
    for (const [name, value] of Object.entries(query))
        if (value !== undefined)
            url.searchParams.set(name, String(value));
    let answer;
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
    }
    catch (cause) {
        const late = cause instanceof DOMException && cause.name === "TimeoutError";
        throw new ContextureError(late ? "TIMEOUT" : "CONNECTION_FAILED", `${method} ${path} got no answer.`, { recoverable: true, cause });
    }
    if (!answer.ok)
        throw await failureOf(answer);
    return answer;
}
