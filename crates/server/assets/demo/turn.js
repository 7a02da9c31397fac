/**
 * One turn: what the user said, the pieces of the answer as they come, the answer (CP-8). The pieces of a
 * MODEL_RESPONSE joined are its text, also when some were lost with a connection: what is missing comes as a
 * last piece with the response itself.
 */
import { ContextureError } from "./protocol/errors.js";
import { isA } from "./protocol/messages.js";
import { deferred, guard } from "./events.js";
export class Turn {
    /** The USER_INPUT's id. */
    messageId;
    #hooks;
    #answer = deferred();
    #contextId = deferred();
    #pieces = [];
    #growing = new Map();
    #readers = [];
    #ended = false;
    constructor(messageId, contextId, hooks) {
        this.messageId = messageId;
        this.#hooks = hooks;
        if (contextId !== undefined)
            this.#contextId.resolve(contextId);
    }
    /** The final answer; fails with the turn's error, whose `partial` is the answer as far as it came. */
    get answer() {
        return this.#answer.promise;
    }
    /** The context of the turn; the server makes one when none was named. */
    get contextId() {
        return this.#contextId.promise;
    }
    /** Asks the server to stop; the answer then fails with CANCELLED unless it was there before. */
    cancel() {
        return this.#ended ? Promise.resolve() : this.#hooks.cancel();
    }
    /** The pieces as they come; each is given to one reader. Ends with the turn, however it went: see `answer`. */
    [Symbol.asyncIterator]() {
        return {
            next: () => {
                const piece = this.#pieces.shift();
                if (piece)
                    return Promise.resolve({ done: false, value: piece });
                if (this.#ended)
                    return Promise.resolve({ done: true, value: undefined });
                return new Promise((resolve) => this.#readers.push(resolve));
            },
        };
    }
    /** Takes a message of the turn; whether it was the last. @internal */
    take(message) {
        if (typeof message.contextId === "string")
            this.#contextId.resolve(message.contextId);
        if (isA(message, "MODEL_RESPONSE_DELTA"))
            this.#grow(message.content);
        if (isA(message, "MODEL_RESPONSE"))
            this.#complete(message);
        const { onMessage } = this.#hooks;
        if (onMessage)
            guard(() => onMessage(message));
        if (isA(message, "ERROR_RESPONSE"))
            this.fail(ContextureError.of(message.content));
        else if (isA(message, "MODEL_RESPONSE") && message.content.finishReason === "ERROR")
            this.fail(brokenOff(message));
        else if (isA(message, "MODEL_RESPONSE") && !wishes(message))
            this.#end(() => this.#answer.resolve(message));
        return this.#ended;
    }
    /** Ends the turn with an error. @internal */
    fail(error) {
        this.#end(() => this.#answer.reject(error));
        this.#contextId.reject(error);
    }
    #end(settle) {
        if (this.#ended)
            return;
        this.#ended = true;
        settle();
        for (const reader of this.#readers.splice(0))
            reader({ done: true, value: undefined });
    }
    #grow(piece) {
        const growing = this.#growing.get(piece.messageId) ?? { next: 0, text: "", broken: false };
        this.#growing.set(piece.messageId, growing);
        if (growing.broken || piece.index < growing.next)
            return;
        if (piece.index > growing.next) {
            growing.broken = true;
            return;
        }
        growing.next += 1;
        growing.text += piece.text;
        this.#give(piece);
    }
    #complete(message) {
        const { messageId, content } = message;
        const growing = this.#growing.get(messageId) ?? { next: 0, text: "", broken: false };
        this.#growing.delete(messageId);
        const text = content.text ?? "";
        if (text.length > growing.text.length && text.startsWith(growing.text)) {
            this.#give({ messageId, index: growing.next, text: text.slice(growing.text.length) });
        }
    }
    #give(piece) {
        const reader = this.#readers.shift();
        if (reader)
            reader({ done: false, value: piece });
        else
            this.#pieces.push(piece);
    }
}
/** Whether a response only says which tools it wants; the answer is yet to come. */
export function wishes({ content }) {
    if (content.finishReason)
        return content.finishReason === "TOOL_CALLS";
    return (content.toolCalls ?? []).length > 0;
}
/** What a response with finishReason ERROR tells. */
function brokenOff(message) {
    const told = message.metadata?.error;
    const code = typeof told?.code === "string" ? told.code : "EXECUTION_FAILED";
    const why = typeof told?.message === "string" ? told.message : `The answer broke off (${code}).`;
    return new ContextureError(code, why, {
        source: "SERVER",
        partial: message.content,
        details: { run: message.metadata?.run },
    });
}
