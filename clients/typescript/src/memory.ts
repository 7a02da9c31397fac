/**
 * What this client did for calls, over reloads of its page (WA-1): a call that is asked again is answered from here,
 * and is not run a second time.
 */
import { ToolFailure } from "./tools.js";
import type { ToolResult } from "./protocol/messages.js";

/** The part of `sessionStorage` that is used. */
export interface Memory {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** Calls that are remembered, and the longest result, in characters. */
const CALLS = 100;
const LENGTH = 64_000;

/** A call that began; its result, if it has one and may be kept. */
interface Entry {
  key: string;
  result?: ToolResult;
}

/** The storage of the page's tab; none outside of pages, or where the user forbids it. */
export function ofTab(): Memory | undefined {
  try {
    return typeof document === "undefined" ? undefined : globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

/** The id of the client of this tab: the same after a reload. */
export function clientIdOf(memory: Memory | undefined, fresh: string): string {
  const name = "contexture.client";
  try {
    const known = memory?.getItem(name);
    if (known) return known;
    memory?.setItem(name, fresh);
  } catch {
    // Without storage it is another client after each reload.
  }
  return fresh;
}

export class CallMemory {
  readonly #memory: Memory | undefined;
  readonly #name: string;

  constructor(memory: Memory | undefined, clientId: string) {
    this.#memory = memory;
    this.#name = `contexture.calls.${clientId}`;
  }

  /** The result of a call that another load of the page ran. */
  result(key: string): ToolResult | undefined {
    return this.#entries().find((entry) => entry.key === key)?.result;
  }

  /** Notes that a tool begins; fails when another load of the page began it, and what became of it is not known. */
  begin(key: string): void {
    const entries = this.#entries();
    if (entries.some((entry) => entry.key === key)) {
      throw new ToolFailure("OUTCOME_UNCERTAIN", "The page was loaded anew while the tool ran, and it may have taken effect.");
    }
    this.#keep([...entries, { key }]);
  }

  /** Forgets the begin of a tool that did nothing. */
  forget(key: string): void {
    this.#keep(this.#entries().filter((entry) => entry.key !== key));
  }

  /** Keeps the result of a call. */
  end(key: string, result: ToolResult): void {
    const others = this.#entries().filter((entry) => entry.key !== key);
    const isShort = JSON.stringify(result).length <= LENGTH;
    this.#keep([...others, isShort ? { key, result } : { key }]);
  }

  #entries(): Entry[] {
    try {
      const read: unknown = JSON.parse(this.#memory?.getItem(this.#name) ?? "[]");
      return Array.isArray(read) ? (read as Entry[]).filter((entry) => typeof entry?.key === "string") : [];
    } catch {
      return [];
    }
  }

  #keep(entries: Entry[]): void {
    try {
      this.#memory?.setItem(this.#name, JSON.stringify(entries.slice(-CALLS)));
    } catch {
      // A full storage: the calls of this load are known all the same.
    }
  }
}
