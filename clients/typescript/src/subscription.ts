/**
 * A context's state, kept up to date (CP-11). The version decides what is newer: deltas that are known are
 * passed over, and when one does not join on, what is between is read from the change log.
 */
import { ContextureError } from "./protocol/errors.js";
import type { Change, ContextDelta, JsonObject } from "./protocol/messages.js";
import { withPath, withoutPath } from "./protocol/path.js";
import type { Contexts } from "./contexts.js";
import { Events, deferred } from "./events.js";

/** Milliseconds before a reading that failed for the moment is tried again. */
const RETRY = 1_000;

/** The state of a context at a version. */
export class Replica {
  #version: number;
  #state: JsonObject;

  constructor(version: number, state: JsonObject) {
    this.#version = version;
    this.#state = state;
  }

  get version(): number {
    return this.#version;
  }

  /** Not to be changed: each change makes a new one. */
  get state(): JsonObject {
    return this.#state;
  }

  /** Takes a delta in; what was new in it, or "gap" when something before it is missing. */
  apply(delta: ContextDelta): Change[] | "gap" {
    const news = delta.changes.filter((change) => change.version > this.#version);
    const first = news[0];
    if (!first) return [];
    if (first.version > this.#version + 1) return "gap";
    let state = this.#state;
    for (const change of news) state = applied(state, change);
    this.#state = state;
    this.#version = Math.max(delta.version, news.at(-1)?.version ?? 0);
    return news;
  }
}

function applied(state: JsonObject, change: Change): JsonObject {
  if (change.op === "UPDATE_STATE" && change.path !== undefined) return withPath(state, change.path, change.value ?? null);
  if (change.op === "REMOVE_STATE" && change.path !== undefined) return withoutPath(state, change.path);
  return state;
}

export interface SubscriptionEvents {
  /** What changed, messages too, and the state after it. */
  change: { changes: Change[]; state: JsonObject; version: number };
  /** The state was read anew: changes in between are not told one by one. */
  reset: { state: JsonObject; version: number };
  /** The context can't be followed any more. */
  error: ContextureError;
}

export interface SubscriptionHooks {
  contexts: Contexts;
  /** Sends SUBSCRIBE; the replies go to `acknowledged` and `refused`. */
  subscribe(since: number | undefined): void;
  unsubscribe(): void;
}

export class Subscription {
  readonly contextId: string;
  readonly #hooks: SubscriptionHooks;
  readonly #events = new Events<SubscriptionEvents>();
  readonly #ready = deferred<void>();
  #replica: Replica | undefined;
  #waiting: ContextDelta[] = [];
  #reading = false;
  #closed = false;

  constructor(contextId: string, hooks: SubscriptionHooks) {
    this.contextId = contextId;
    this.#hooks = hooks;
  }

  /** Done when the state is there. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** The state as far as it is known; empty before `ready`. */
  get state(): JsonObject {
    return this.#replica?.state ?? {};
  }

  get version(): number {
    return this.#replica?.version ?? 0;
  }

  on<Name extends keyof SubscriptionEvents>(name: Name, listener: (value: SubscriptionEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Ends it. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ready.reject(new ContextureError("CANCELLED", "The subscription was closed."));
    this.#hooks.unsubscribe();
  }

  /** Starts it, at first and in each new session. @internal */
  start(): void {
    if (!this.#closed) this.#hooks.subscribe(this.#replica?.version);
  }

  /** The server follows for us now: what came before is read. @internal */
  acknowledged(version: number | undefined): void {
    if (!this.#replica) void this.#read();
    else if (version !== undefined && version > this.#replica.version) void this.#read();
  }

  /** The server does not follow from where we are: read anew, or end. @internal */
  refused(error: ContextureError): void {
    if (this.#closed) return;
    if (this.#replica && error.code !== "CONTEXT_NOT_FOUND" && error.code !== "PERMISSION_DENIED") {
      this.#replica = undefined;
      this.#hooks.subscribe(undefined);
    } else this.fail(error);
  }

  /** @internal */
  fail(error: ContextureError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#ready.reject(error);
    this.#events.tell("error", error);
  }

  /** @internal */
  receive(delta: ContextDelta): void {
    if (this.#closed) return;
    this.#waiting.push(delta);
    if (!this.#reading && this.#replica) this.#drain();
  }

  #drain(): void {
    for (let delta = this.#waiting[0]; delta && this.#replica; delta = this.#waiting[0]) {
      let changes: Change[] | "gap";
      try {
        changes = this.#replica.apply(delta);
      } catch {
        // A change that does not fit means that this replica is not what the server has.
        this.#replica = undefined;
        changes = "gap";
      }
      if (changes === "gap") {
        void this.#read();
        return;
      }
      this.#waiting.shift();
      if (changes.length > 0) this.#events.tell("change", { changes, state: this.state, version: this.version });
    }
  }

  async #read(): Promise<void> {
    if (this.#reading || this.#closed) return;
    this.#reading = true;
    // The server tells a change after it is done, so what came before the reading is in what is read.
    const told = this.#waiting.length;
    try {
      if (!(await this.#catchUp())) await this.#readWhole();
      this.#waiting.splice(0, told);
    } catch (cause) {
      const error = cause instanceof ContextureError ? cause : new ContextureError("INTERNAL", String(cause), { cause });
      if (!error.recoverable) this.fail(error);
      else setTimeout(() => void this.#read(), RETRY);
      return;
    } finally {
      this.#reading = false;
    }
    this.#ready.resolve();
    this.#drain();
  }

  /** Reads what lies between from the change log; whether that was possible. */
  async #catchUp(): Promise<boolean> {
    const replica = this.#replica;
    if (!replica) return false;
    try {
      const delta = await this.#hooks.contexts.changes(this.contextId, replica.version);
      const changes = replica.apply(delta);
      if (changes === "gap") return false;
      if (changes.length > 0) this.#events.tell("change", { changes, state: replica.state, version: replica.version });
      return true;
    } catch (error) {
      if (error instanceof ContextureError && error.code === "CONTEXT_NOT_FOUND") throw error;
      return false;
    }
  }

  async #readWhole(): Promise<void> {
    const context = await this.#hooks.contexts.get(this.contextId, { messages: 0 });
    this.#replica = new Replica(context.version, context.state);
    this.#events.tell("reset", { state: context.state, version: context.version });
  }
}
