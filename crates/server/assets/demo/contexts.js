/** Contexts over HTTP: list, read, page, changes, delete (CP-9 to CP-12). */
import { ContextureError } from "./protocol/errors.js";
import { ask, get } from "./http.js";
export class Contexts {
    #settings;
    constructor(settings) {
        this.#settings = settings;
    }
    /** A page of one's contexts; `search` leaves those whose title or texts hold it, and may give few or none with a `next`. */
    list(page = {}) {
        return get(this.#settings, "v1/contexts", page);
    }
    /** A context; `messages: 0` leaves its messages out. */
    get(contextId, page = {}) {
        return get(this.#settings, place(contextId), page);
    }
    /** A page of a context's messages, in the order they came; `after` is a message's seq. */
    messages(contextId, page = {}) {
        return get(this.#settings, `${place(contextId)}/messages`, page);
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
            const page = await get(this.#settings, `${place(contextId)}/changes`, { since: from });
            changes.push(...page.changes);
            if (typeof page.next !== "number" || page.next <= from)
                return { version: page.version, changes };
            from = page.next;
        }
    }
    /** Deletes a context for good. */
    async delete(contextId) {
        await ask(this.#settings, "DELETE", place(contextId), {});
    }
}
// Dots alone would be steps in the path, not a name.
function place(contextId) {
    if (contextId === "" || contextId === "." || contextId === "..") {
        throw new ContextureError("CONTEXT_NOT_FOUND", `${JSON.stringify(contextId)} names no context.`);
    }
    return `v1/contexts/${encodeURIComponent(contextId)}`;
}
