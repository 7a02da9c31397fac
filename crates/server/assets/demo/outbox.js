/**
 * What was sent and is not done with. A message stays here until its last answer is in; after a cut it is sent
 * again, under its old messageId, unless the server is known to have it. The server takes each message once
 * (CP-7), so nothing is lost and nothing happens twice.
 */
import { ContextureError } from "./protocol/errors.js";
import { isA } from "./protocol/messages.js";
export class Outbox {
    #entries = new Map();
    #limit;
    /** `limit`: how many messages may be open at a time. */
    constructor(limit) {
        this.#limit = limit;
    }
    /** Takes a message in and gives its text. */
    add(open) {
        if (this.#entries.size >= this.#limit) {
            throw new ContextureError("QUEUE_FULL", `${this.#limit} messages are open already.`, { recoverable: true });
        }
        const text = JSON.stringify(open.message);
        this.#entries.set(open.message.messageId, { ...open, text, arrived: false });
        return text;
    }
    has(messageId) {
        return this.#entries.has(messageId);
    }
    /** Forgets a message whose answer nobody wants any more. */
    drop(messageId) {
        this.#entries.delete(messageId);
    }
    /** Hands an answer to the message that it answers. */
    receive(message) {
        const entry = this.#entries.get(answered(message) ?? "");
        if (!entry)
            return;
        entry.arrived = true;
        if (entry.reply(message))
            this.#entries.delete(entry.message.messageId);
    }
    /** The texts to send after a cut: what the server may not have, and in a new session all that is open. */
    again(newSession) {
        for (const [messageId, entry] of this.#entries) {
            if (!newSession)
                continue;
            entry.arrived = false;
            if (entry.ofSession)
                this.#entries.delete(messageId);
        }
        return [...this.#entries.values()].filter((entry) => !entry.arrived).map((entry) => entry.text);
    }
    failAll(error) {
        const entries = [...this.#entries.values()];
        this.#entries.clear();
        for (const entry of entries)
            entry.fail(error);
    }
}
/** The message that a message of the server answers. */
function answered(message) {
    const inReplyTo = message.metadata?.inReplyTo;
    if (typeof inReplyTo === "string")
        return inReplyTo;
    if (isA(message, "ACK"))
        return message.content.messageId;
    return isA(message, "ERROR_RESPONSE") ? message.content.details?.requestId : undefined;
}
