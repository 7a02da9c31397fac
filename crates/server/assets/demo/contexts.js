/** Contexts over HTTP: list, read, page, changes, delete (CP-9 to CP-12). */
import { ContextureError } from "./protocol/errors.js";
import { PROTOCOL_VERSION } from "./options.js";
import { failureOf } from "./session.js";
export class Contexts {
    #settings;
    constructor(settings) {
        this.#settings = settings;
    }
    /** A page of one's contexts. */
    list(page = {}) {
        return this.#get("v1/contexts", page);
    }
    /** A context; `messages: 0` leaves its messages out. */
    get(contextId, page = {}) {
        return this.#get(place(contextId), page);
    }
    /** A page of a context's messages, in the order they came; `after` is a message's seq. */
    messages(contextId, page = {}) {
        return this.#get(`${place(contextId)}/messages`, page);
    }
    /** All messages of a context, read page by page. */
    async *allMessages(contextId, limit = 200) {
        let after;
        for (;;) {
            const page = await this.messages(contextId, { limit, ...(after === undefined ? {} : { after }) });
            yield* page.messages;
            if (typeof page.next !== "number" || page.messages.length === 0)
                return;
            after = page.next;
        }
    }
    /** What changed after a version. */
    async changes(contextId, since) {
        const changes = [];
        for (let from = since;;) {
            const page = await this.#get(`${place(contextId)}/changes`, { since: from });
            changes.push(...page.changes);
            if (typeof page.next !== "number" || page.next <= from)
                return { version: page.version, changes };
            from = page.next;
        }
    }
    /** Deletes a context for good. */
    async delete(contextId) {
        await this.#ask("DELETE", place(contextId), {});
    }
    async #get(path, query) {
        const answer = await this.#ask("GET", path, query);
        try {
            return (await answer.json());
        }
        catch (cause) {
            throw new ContextureError("PARSE_ERROR", `The answer to ${path} is no JSON.`, { source: "SERVER", cause });
        }
    }
    async #ask(method, path, query) {
        const { base, token, fetch, httpTimeout } = this.#settings;
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
                },
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
}
// Dots alone would be steps in the path, not a name.
function place(contextId) {
    if (contextId === "" || contextId === "." || contextId === "..") {
        throw new ContextureError("CONTEXT_NOT_FOUND", `${JSON.stringify(contextId)} names no context.`);
    }
    return `v1/contexts/${encodeURIComponent(contextId)}`;
}
