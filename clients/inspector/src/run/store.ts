/** Fetches the events of a run as they are opened, and again while it grows (IN-5). */

import { api } from "../api.js";
import type { RunEvent, RunHead } from "../types.js";
import { add, isUnder, nodeOf, type Node } from "./tree.js";

/** Rows that open by themselves, so that a small run is seen whole. */
const OPENED = 60;

export class RunTree {
  root: Node | undefined;
  error: unknown;
  readonly #run: string;
  readonly #changed: () => void;
  readonly #asking = new Map<number, Promise<void>>();
  #opened = 0;
  #left = false;

  constructor(run: string, changed: () => void) {
    this.#run = run;
    this.#changed = changed;
  }

  /** Shows the run as its head has it now: the first time with its first events, later with those that it may have got since. */
  async show(head: RunHead): Promise<void> {
    if (this.root) return this.#grow(this.root, runEvent(head));
    this.root = nodeOf(runEvent(head), 0);
    await this.open(this.root);
    // Records of some runs do not say when they began: then it was when their first event did.
    const first = this.root.children?.[0]?.event.start_us;
    if (this.root.event.start_us === 0 && first !== undefined) this.root.event = { ...this.root.event, start_us: first };
    this.#changed();
  }

  /** Opens an event and, while the run is small, what is in it. */
  async open(node: Node): Promise<void> {
    node.open = true;
    this.#changed();
    if (node.children === undefined) await this.more(node);
    await this.#openSmall(node);
  }

  /** Opens the events in one that nobody has opened or closed yet. */
  async #openSmall(node: Node): Promise<void> {
    for (const child of node.children ?? []) {
      const many = child.event.children ?? 0;
      if (child.children !== undefined || many === 0 || this.#opened + many > OPENED) continue;
      this.#opened += many;
      await this.open(child);
    }
  }

  close(node: Node): void {
    node.open = false;
    this.#changed();
  }

  /** Fetches the next page of the children of an event. Asked twice, it fetches once. */
  more(node: Node): Promise<void> {
    const under = this.#asking.get(node.event.id);
    if (under) return under;
    const asked = this.#guard(() => this.#page(node, node.next)).finally(() => this.#asking.delete(node.event.id));
    this.#asking.set(node.event.id, asked);
    return asked;
  }

  /** Fetches all children of an event, page after page, until the reader leaves. */
  async all(node: Node): Promise<void> {
    do await this.more(node);
    while (node.next !== undefined && this.error === undefined && !this.#left);
  }

  leave(): void {
    this.#left = true;
  }

  async #page(node: Node, after: string | number | undefined): Promise<void> {
    const page = await api.events(this.#run, node.event.id, after);
    add(node, page.events);
    node.next = page.next ?? undefined;
    this.#changed();
  }

  /** Fetches the children of open events that had no end. */
  async #grow(root: Node, event: RunEvent): Promise<void> {
    const under = this.#unfinished();
    root.event = event;
    await this.#guard(async () => {
      for (const node of under) {
        await this.#again(node);
        await this.#openSmall(node);
      }
    });
  }

  #unfinished(): Node[] {
    const found: Node[] = [];
    const waiting = this.root ? [this.root] : [];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.children === undefined || !isUnder(node.event)) continue;
      found.push(node);
      waiting.push(...node.children);
    }
    return found;
  }

  /** Fetches the pages of children that are known, and those after them up to the next unfetched one. */
  async #again(node: Node): Promise<void> {
    const known = node.children?.length ?? 0;
    let fetched = 0;
    let after: string | number | undefined;
    do {
      const page = await api.events(this.#run, node.event.id, after);
      add(node, page.events);
      node.next = page.next ?? undefined;
      after = node.next;
      fetched += page.events.length;
    } while (after !== undefined && fetched <= known);
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.error = undefined;
    } catch (error) {
      this.error = error;
    }
    this.#changed();
  }
}

/** The event of the run itself, which is around all others: what its head says of it. */
function runEvent(head: RunHead): RunEvent {
  return { id: 1, kind: "run", start_us: Date.parse(head.start ?? "") * 1_000 || 0, duration_us: head.duration_us ?? null, data: { program: head.program ?? "" } };
}
