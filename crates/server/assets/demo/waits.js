/** What waits for clients and people: calls and questions, whichever client they belong to. */
import { ask, get } from "./http.js";
export class Waits {
    #settings;
    constructor(settings) {
        this.#settings = settings;
    }
    /** A page of what waits, the oldest first; `next` leads to the one behind it. */
    list(options = {}) {
        return get(this.#settings, "v1/waits", options);
    }
    /** Answers a wait: with the result of a call without its callId, such as `{status: "SUCCESS", result: {}}`. */
    async answer(wait, result) {
        await ask(this.#settings, "POST", ...this.#place(wait), result);
    }
    /** Cancels a wait: its call fails with CANCELLED. */
    async cancel(wait) {
        await ask(this.#settings, "DELETE", ...this.#place(wait));
    }
    #place({ callId, contextId }) {
        return [`v1/waits/${encodeURIComponent(callId)}`, { contextId }];
    }
}
