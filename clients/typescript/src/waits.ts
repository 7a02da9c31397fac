/** What waits for clients and people: calls and questions, whichever client they belong to. */
import { ask, get } from "./http.js";
import type { Settings } from "./options.js";
import type { JsonObject } from "./protocol/messages.js";

export interface Wait {
  callId: string;
  contextId: string;
  kind: "CALL" | "PERMISSION";
  /** Since when it waits, and when nobody waits for it any more. */
  since: string;
  expires: string;
  /** The client that it belongs to. */
  client: string;
}

/** Part of a longer list. `next` is the place to go on from; absent at the end. */
export interface WaitPage {
  waits: Wait[];
  next?: number | null;
}

export class Waits {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** A page of what waits, the oldest first; `next` leads to the one behind it. */
  list(options: { after?: number; limit?: number; contextId?: string } = {}): Promise<WaitPage> {
    return get<WaitPage>(this.#settings, "v1/waits", options);
  }

  /** Answers a wait: with the result of a call without its callId, such as `{status: "SUCCESS", result: {}}`. */
  async answer(wait: Pick<Wait, "callId" | "contextId">, result: JsonObject): Promise<void> {
    await ask(this.#settings, "POST", ...this.#place(wait), result);
  }

  /** Cancels a wait: its call fails with CANCELLED. */
  async cancel(wait: Pick<Wait, "callId" | "contextId">): Promise<void> {
    await ask(this.#settings, "DELETE", ...this.#place(wait));
  }

  #place({ callId, contextId }: Pick<Wait, "callId" | "contextId">): [string, { contextId: string }] {
    return [`v1/waits/${encodeURIComponent(callId)}`, { contextId }];
  }
}
