/**
 * Tool calls and instruction sets that the server runs (FL-1, FL-12): what they tell on the way, how they are
 * steered, what came of them.
 */
import { ContextureError } from "./protocol/errors.js";
import { isA } from "./protocol/messages.js";
import { deferred, guard } from "./events.js";
/** A set that the server runs. It goes on when the connection breaks, and when the server is started anew. */
class SetRun {
    /** The id of the message that brought it. */
    messageId;
    hooks;
    #answer = deferred();
    #ended = false;
    constructor(messageId, hooks) {
        this.messageId = messageId;
        this.hooks = hooks;
    }
    /** What came of it; fails when the set was refused. */
    get answer() {
        return this.#answer.promise;
    }
    /** Ends it: what runs is CANCELLED, what has not begun is skipped. */
    cancel() {
        return this.#ended ? Promise.resolve() : this.hooks.steer("CANCEL");
    }
    /** Begins nothing more until it is resumed. */
    pause() {
        return this.#ended ? Promise.resolve() : this.hooks.steer("PAUSE");
    }
    resume() {
        return this.#ended ? Promise.resolve() : this.hooks.steer("RESUME");
    }
    /** Takes a message about the set; whether it was the last. @internal */
    take(message) {
        const { onProgress } = this.hooks;
        if (isA(message, "PROGRESS") && onProgress)
            guard(() => onProgress(message.content));
        if (isA(message, "ERROR_RESPONSE"))
            this.fail(ContextureError.of(message.content));
        else
            this.read(message);
        return this.#ended;
    }
    /** Ends it with an error. @internal */
    fail(error) {
        this.#ended = true;
        this.#answer.reject(error);
    }
    end(answer) {
        this.#ended = true;
        this.#answer.resolve(answer);
    }
}
/** Calls of tools, of the server's and of front ends. */
export class ToolRun extends SetRun {
    #open;
    #order;
    #results = new Map();
    constructor(messageId, callIds, hooks) {
        super(messageId, hooks);
        this.#order = callIds;
        this.#open = new Set(callIds);
    }
    // An asynchronous request has a response for each call; one that comes twice counts once.
    read(message) {
        if (!isA(message, "TOOL_CALL_RESPONSE"))
            return;
        const { onResult } = this.hooks;
        for (const result of message.content.results) {
            if (!this.#open.delete(result.callId))
                continue;
            this.#results.set(result.callId, result);
            if (onResult)
                guard(() => onResult(result));
        }
        if (this.#open.size === 0)
            this.end(this.#order.flatMap((id) => this.#results.get(id) ?? []));
    }
}
/** Instructions that depend on each other. */
export class InstructionRun extends SetRun {
    read(message) {
        if (isA(message, "INSTRUCTION_RESPONSE"))
            this.end(message.content);
    }
}
