/**
 * What this client did for calls, over reloads of its page (WA-1): a call that is asked again is answered from here,
 * and is not run a second time.
 */
import { ToolFailure } from "./tools.js";
/** Calls that are remembered, and the longest result, in characters. */
const CALLS = 100;
const LENGTH = 64_000;
/** The storage of the page's tab; none outside of pages, or where the user forbids it. */
export function ofTab() {
    try {
        return typeof document === "undefined" ? undefined : globalThis.sessionStorage;
    }
    catch {
        return undefined;
    }
}
/** The id of the client of this tab: the same after a reload. */
export function clientIdOf(memory, fresh) {
    const name = "contexture.client";
    try {
        const known = memory?.getItem(name);
        if (known)
            return known;
        memory?.setItem(name, fresh);
    }
    catch {
        // Without storage it is another client after each reload.
    }
    return fresh;
}
export class CallMemory {
    #memory;
    #name;
    constructor(memory, clientId) {
        this.#memory = memory;
        this.#name = `contexture.calls.${clientId}`;
    }
    /** The result of a call that another load of the page ran. */
    result(key) {
        return this.#entries().find((entry) => entry.key === key)?.result;
    }
    /** Notes that a tool begins; fails when another load of the page began it, and what became of it is not known. */
    begin(key) {
        const entries = this.#entries();
        if (entries.some((entry) => entry.key === key)) {
            throw new ToolFailure("OUTCOME_UNCERTAIN", "The page was loaded anew while the tool ran, and it may have taken effect.");
        }
        this.#keep([...entries, { key }]);
    }
    /** Forgets the begin of a tool that did nothing. */
    forget(key) {
        this.#keep(this.#entries().filter((entry) => entry.key !== key));
    }
    /** Keeps the result of a call. */
    end(key, result) {
        const others = this.#entries().filter((entry) => entry.key !== key);
        const isShort = JSON.stringify(result).length <= LENGTH;
        this.#keep([...others, isShort ? { key, result } : { key }]);
    }
    #entries() {
        try {
            const read = JSON.parse(this.#memory?.getItem(this.#name) ?? "[]");
            return Array.isArray(read) ? read.filter((entry) => typeof entry?.key === "string") : [];
        }
        catch {
            return [];
        }
    }
    #keep(entries) {
        try {
            this.#memory?.setItem(this.#name, JSON.stringify(entries.slice(-CALLS)));
        }
        catch {
            // A full storage: the calls of this load are known all the same.
        }
    }
}
