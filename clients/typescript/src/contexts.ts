/** Contexts over HTTP: list, read, page, changes, delete (CP-9 to CP-12). */
import { ContextureError } from "./protocol/errors.js";
import type { AnyMessage, Change, JsonObject } from "./protocol/messages.js";
import { ask, get } from "./http.js";
import type { Settings } from "./options.js";

/** A context without its messages. */
export interface ContextHead {
  contextId: string;
  creationTime: string;
  lastUpdateTime: string;
  version: number;
  metadata?: JsonObject;
}

/** A whole context. */
export interface Context extends ContextHead {
  messages: AnyMessage[];
  state: JsonObject;
}

/** Part of a longer list. `next` is the place to go on from; absent at the end. */
export interface MessagePage {
  messages: AnyMessage[];
  next?: number | null;
}

export interface ContextPage {
  contexts: ContextHead[];
  next?: string | null;
}

export interface ChangePage {
  version: number;
  changes: Change[];
  next?: number | null;
}

export class Contexts {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** A page of one's contexts; `search` leaves those whose title or texts hold it, and may give few or none with a `next`. */
  list(page: { search?: string; after?: string; limit?: number } = {}): Promise<ContextPage> {
    return get<ContextPage>(this.#settings, "v1/contexts", page);
  }

  /** A context; `messages: 0` leaves its messages out. */
  get(contextId: string, page: { messages?: 0 } = {}): Promise<Context> {
    return get<Context>(this.#settings, place(contextId), page);
  }

  /** A page of a context's messages, in the order they came; `after` is a message's seq. */
  messages(contextId: string, page: { after?: number; limit?: number } = {}): Promise<MessagePage> {
    return get<MessagePage>(this.#settings, `${place(contextId)}/messages`, page);
  }

  /** All messages of a context, read page by page. */
  async *allMessages(contextId: string, limit = 200): AsyncGenerator<AnyMessage> {
    let after: number | undefined;
    for (;;) {
      const page: MessagePage = await this.messages(contextId, { limit, ...(after === undefined ? {} : { after }) });
      yield* page.messages;
      if (typeof page.next !== "number" || page.messages.length === 0) return;
      after = page.next;
    }
  }

  /** What changed after a version. */
  async changes(contextId: string, since: number): Promise<{ version: number; changes: Change[] }> {
    const changes: Change[] = [];
    for (let from = since; ; ) {
      const page: ChangePage = await get<ChangePage>(this.#settings, `${place(contextId)}/changes`, { since: from });
      changes.push(...page.changes);
      if (typeof page.next !== "number" || page.next <= from) return { version: page.version, changes };
      from = page.next;
    }
  }

  /** Deletes a context for good. */
  async delete(contextId: string): Promise<void> {
    await ask(this.#settings, "DELETE", place(contextId), {});
  }
}

// Dots alone would be steps in the path, not a name.
function place(contextId: string): string {
  if (contextId === "" || contextId === "." || contextId === "..") {
    throw new ContextureError("CONTEXT_NOT_FOUND", `${JSON.stringify(contextId)} names no context.`);
  }
  return `v1/contexts/${encodeURIComponent(contextId)}`;
}
