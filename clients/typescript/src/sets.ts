/**
 * Tool calls and instruction sets that the server runs (FL-1, FL-12): what they tell on the way, how they are
 * steered, what came of them.
 */
import { ContextureError } from "./protocol/errors.js";
import { isA, type AnyMessage, type Control, type InstructionResponse, type Progress, type ToolResult } from "./protocol/messages.js";
import { deferred, guard } from "./events.js";

export interface SetHooks {
  steer(action: Control["action"]): Promise<void>;
  onProgress?: (progress: Progress) => void;
  onResult?: (result: ToolResult) => void;
}

/** A set that the server runs. It goes on when the connection breaks, and when the server is started anew. */
abstract class SetRun<Answer> {
  /** The id of the message that brought it. */
  readonly messageId: string;
  protected readonly hooks: SetHooks;
  readonly #answer = deferred<Answer>();
  #ended = false;

  constructor(messageId: string, hooks: SetHooks) {
    this.messageId = messageId;
    this.hooks = hooks;
  }

  /** What came of it; fails when the set was refused. */
  get answer(): Promise<Answer> {
    return this.#answer.promise;
  }

  /** Ends it: what runs is CANCELLED, what has not begun is skipped. */
  cancel(): Promise<void> {
    return this.#ended ? Promise.resolve() : this.hooks.steer("CANCEL");
  }

  /** Begins nothing more until it is resumed. */
  pause(): Promise<void> {
    return this.#ended ? Promise.resolve() : this.hooks.steer("PAUSE");
  }

  resume(): Promise<void> {
    return this.#ended ? Promise.resolve() : this.hooks.steer("RESUME");
  }

  /** Takes a message about the set; whether it was the last. @internal */
  take(message: AnyMessage): boolean {
    const { onProgress } = this.hooks;
    if (isA(message, "PROGRESS") && onProgress) guard(() => onProgress(message.content));
    if (isA(message, "ERROR_RESPONSE")) this.fail(ContextureError.of(message.content));
    else this.read(message);
    return this.#ended;
  }

  /** Ends it with an error. @internal */
  fail(error: ContextureError): void {
    this.#ended = true;
    this.#answer.reject(error);
  }

  protected end(answer: Answer): void {
    this.#ended = true;
    this.#answer.resolve(answer);
  }

  protected abstract read(message: AnyMessage): void;
}

/** Calls of tools, of the server's and of front ends. */
export class ToolRun extends SetRun<ToolResult[]> {
  readonly #open: Set<string>;
  readonly #order: string[];
  readonly #results = new Map<string, ToolResult>();

  constructor(messageId: string, callIds: string[], hooks: SetHooks) {
    super(messageId, hooks);
    this.#order = callIds;
    this.#open = new Set(callIds);
  }

  // An asynchronous request has a response for each call; one that comes twice counts once.
  protected read(message: AnyMessage): void {
    if (!isA(message, "TOOL_CALL_RESPONSE")) return;
    const { onResult } = this.hooks;
    for (const result of message.content.results) {
      if (!this.#open.delete(result.callId)) continue;
      this.#results.set(result.callId, result);
      if (onResult) guard(() => onResult(result));
    }
    if (this.#open.size === 0) this.end(this.#order.flatMap((id) => this.#results.get(id) ?? []));
  }
}

/** Instructions that depend on each other. */
export class InstructionRun extends SetRun<InstructionResponse> {
  protected read(message: AnyMessage): void {
    if (isA(message, "INSTRUCTION_RESPONSE")) this.end(message.content);
  }
}
