/**
 * A context's state, kept up to date (CP-11). The version decides what is newer: deltas that are known are
 * passed over, and when one does not join on, what is between is read from the change log.
 */
import { ContextureError } from "./protocol/errors.js";
import { withPath, withoutPath } from "./protocol/path.js";
import { Events, deferred } from "./events.js";
/** Milliseconds before a reading that failed for the moment is tried again. */
const RETRY = 1_000;
/** The state of a context at a version. */
export class Replica {
    #version;
    #state;
    constructor(version, state) {
        this.#version = version;
        this.#state = state;
    }
    get version() {
        return this.#version;
    }
    /** Not to be changed: each change makes a new one. */
    get state() {
        return this.#state;
    }
    /** Takes a delta in; what was new in it, or "gap" when something before it is missing. */
    apply(delta) {
        const news = delta.changes.filter((change) => change.version > this.#version);
        const first = news[0];
        if (!first)
            return [];
        if (first.version > this.#version + 1)
            return "gap";
        let state = this.#state;
        for (const change of news)
            state = applied(state, change);
        this.#state = state;
        this.#version = Math.max(delta.version, news.at(-1)?.version ?? 0);
        return news;
    }
}
function applied(state, change) {
    if (change.op === "UPDATE_STATE" && change.path !== undefined)
        return withPath(state, change.path, change.value ?? null);
    if (change.op === "REMOVE_STATE" && change.path !== undefined)
        return withoutPath(state, change.path);
    return state;
}
export class Subscription {
    contextId;
    #hooks;
    #events = new Events();
    #ready = deferred();
    #replica;
    #waiting = [];
    #reading = false;
    #closed = false;
    constructor(contextId, hooks) {
        this.contextId = contextId;
        this.#hooks = hooks;
    }
    /** Done when the state is there. */
    get ready() {
        return this.#ready.promise;
    }
    /** The state as far as it is known; empty before `ready`. */
    get state() {
        return this.#replica?.state ?? {};
    }
    get version() {
        return this.#replica?.version ?? 0;
    }
    on(name, listener) {
        return this.#events.on(name, listener);
    }
    /** Ends it. */
    close() {
        if (this.#closed)
            return;
        this.#closed = true;
        this.#ready.reject(new ContextureError("CANCELLED", "The subscription was closed."));
        this.#hooks.unsubscribe();
    }
    /** Starts it, at first and in each new session. @internal */
    start() {
        if (!this.#closed)
            this.#hooks.subscribe(this.#replica?.version);
    }
    /** The server follows for us now: what came before is read. @internal */
    acknowledged(version) {
        if (!this.#replica)
            void this.#read();
        else if (version !== undefined && version > this.#replica.version)
            void this.#read();
    }
    /** The server does not follow from where we are: read anew, or end. @internal */
    refused(error) {
        if (this.#closed)
            return;
        if (this.#replica && error.code !== "CONTEXT_NOT_FOUND" && error.code !== "PERMISSION_DENIED") {
            this.#replica = undefined;
            this.#hooks.subscribe(undefined);
        }
        else
            this.fail(error);
    }
    /** @internal */
    fail(error) {
        if (this.#closed)
            return;
        this.#closed = true;
        this.#ready.reject(error);
        this.#events.tell("error", error);
    }
    /** @internal */
    receive(delta) {
        if (this.#closed)
            return;
        this.#waiting.push(delta);
        if (!this.#reading && this.#replica)
            this.#drain();
    }
    #drain() {
        for (let delta = this.#waiting[0]; delta && this.#replica; delta = this.#waiting[0]) {
            let changes;
            try {
                changes = this.#replica.apply(delta);
            }
            catch {
                // A change that does not fit means that this replica is not what the server has.
                this.#replica = undefined;
                changes = "gap";
            }
            if (changes === "gap") {
                void this.#read();
                return;
            }
            this.#waiting.shift();
            if (changes.length > 0)
                this.#events.tell("change", { changes, state: this.state, version: this.version });
        }
    }
    async #read() {
        if (this.#reading || this.#closed)
            return;
        this.#reading = true;
        // The server tells a change after it is done, so what came before the reading is in what is read.
        const told = this.#waiting.length;
        try {
            if (!(await this.#catchUp()))
                await this.#readWhole();
            this.#waiting.splice(0, told);
        }
        catch (cause) {
            const error = cause instanceof ContextureError ? cause : new ContextureError("INTERNAL", String(cause), { cause });
            if (!error.recoverable)
                this.fail(error);
            else
                setTimeout(() => void this.#read(), RETRY);
            return;
        }
        finally {
            this.#reading = false;
        }
        this.#ready.resolve();
        this.#drain();
    }
    /** Reads what lies between from the change log; whether that was possible. */
    async #catchUp() {
        const replica = this.#replica;
        if (!replica)
            return false;
        try {
            const delta = await this.#hooks.contexts.changes(this.contextId, replica.version);
            const changes = replica.apply(delta);
            if (changes === "gap")
                return false;
            if (changes.length > 0)
                this.#events.tell("change", { changes, state: replica.state, version: replica.version });
            return true;
        }
        catch (error) {
            if (error instanceof ContextureError && error.code === "CONTEXT_NOT_FOUND")
                throw error;
            return false;
        }
    }
    async #readWhole() {
        const context = await this.#hooks.contexts.get(this.contextId, { messages: 0 });
        this.#replica = new Replica(context.version, context.state);
        this.#events.tell("reset", { state: context.state, version: context.version });
    }
}
