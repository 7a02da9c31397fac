/** One conversation: sends what the user says, shows what comes, also from the user's other windows. */
import { ContextureError } from "../protocol/errors.js";
import { isA } from "../protocol/messages.js";
import { wishes } from "../turn.js";
import { showState } from "./panel.js";
const REMEMBERED = "contexture.context";
/** Earlier messages that are shown when a page is opened again. */
const SHOWN = 500;
export class Conversation {
    #client;
    #log;
    #seen = new Set();
    /** Calls of earlier messages, until their results come. */
    #calls = new Map();
    #contextId;
    #subscription;
    #turn;
    constructor(client, log) {
        this.#client = client;
        this.#log = log;
    }
    get running() {
        return this.#turn !== undefined;
    }
    /** Goes on with the conversation of this tab, if there was one. */
    async resume() {
        const contextId = sessionStorage.getItem(REMEMBERED);
        if (contextId === null)
            return;
        try {
            let shown = 0;
            for await (const message of this.#client.contexts.allMessages(contextId)) {
                this.#past(message);
                shown += 1;
                if (shown === SHOWN) {
                    this.#log.notice(`Only the first ${SHOWN} messages are shown here.`);
                    break;
                }
            }
            this.#follow(contextId);
        }
        catch (error) {
            if (error instanceof ContextureError && error.code === "CONTEXT_NOT_FOUND")
                sessionStorage.removeItem(REMEMBERED);
            else
                this.#log.notice(`The conversation can't be shown: ${String(error)}`);
        }
    }
    /** Forgets the conversation; the next message begins another. */
    begin() {
        this.stop();
        this.#subscription?.close();
        this.#subscription = undefined;
        this.#contextId = undefined;
        this.#seen.clear();
        this.#calls.clear();
        sessionStorage.removeItem(REMEMBERED);
        this.#log.clear();
        showState(undefined);
    }
    stop() {
        this.#turn?.cancel().catch(() => { });
    }
    /** Says something and shows the answer; done when the turn is. */
    async say(text) {
        this.#log.user(text);
        const answers = new Map();
        const answerOf = (messageId) => {
            const answer = answers.get(messageId) ?? this.#log.answer();
            answers.set(messageId, answer);
            return answer;
        };
        const turn = this.#client.send(text, {
            ...(this.#contextId === undefined ? {} : { contextId: this.#contextId }),
            onMessage: (message) => this.#turnMessage(message, answerOf),
        });
        this.#seen.add(turn.messageId);
        this.#turn = turn;
        turn.contextId.then((contextId) => this.#follow(contextId)).catch(() => { });
        try {
            for await (const piece of turn)
                answerOf(piece.messageId).append(piece.text);
            const { messageId, content, metadata } = await turn.answer;
            answerOf(messageId).finish(content.text ?? "", metadata);
        }
        catch (error) {
            const failed = [...answers.values()].at(-1) ?? this.#log.answer();
            failed.fail(error instanceof ContextureError ? error : new ContextureError("INTERNAL", String(error)));
        }
        finally {
            this.#turn = undefined;
        }
    }
    #turnMessage(message, answerOf) {
        this.#seen.add(message.messageId);
        if (isA(message, "MODEL_RESPONSE") && wishes(message)) {
            answerOf(message.messageId).finish(message.content.text ?? "");
            for (const { callId, name, parameters } of message.content.toolCalls ?? [])
                this.#log.call({ callId, name, parameters, status: "running" });
        }
        else if (isA(message, "TOOL_CALL_RESPONSE")) {
            for (const result of message.content.results)
                this.#log.call({ callId: result.callId, name: result.callId, status: "done", result });
        }
        else if (isA(message, "SYSTEM_MESSAGE"))
            this.#log.notice(message.content.text);
    }
    #follow(contextId) {
        if (this.#contextId === contextId)
            return;
        this.#contextId = contextId;
        sessionStorage.setItem(REMEMBERED, contextId);
        const subscription = this.#client.subscribe(contextId);
        this.#subscription = subscription;
        showState(subscription);
        subscription.on("change", ({ changes }) => {
            for (const { message } of changes)
                if (message)
                    this.#past(message);
        });
        subscription.on("error", (error) => this.#log.notice(error.message));
    }
    /** Shows a stored message that this page has not shown yet. */
    #past(message) {
        const ours = message.metadata?.inReplyTo;
        if (this.#seen.has(message.messageId) || (ours !== undefined && ours === this.#turn?.messageId))
            return;
        this.#seen.add(message.messageId);
        if (isA(message, "USER_INPUT"))
            this.#log.user(message.content.text);
        else if (isA(message, "MODEL_RESPONSE") && message.content.text)
            this.#log.agent(message.content.text, message.metadata);
        else if (isA(message, "TOOL_CALL_REQUEST"))
            for (const call of message.content.calls ?? [])
                this.#calls.set(call.callId, call);
        else if (isA(message, "TOOL_CALL_RESPONSE"))
            for (const result of message.content.results)
                this.#pastCall(result);
    }
    #pastCall(result) {
        const { name, parameters } = this.#calls.get(result.callId) ?? { name: result.callId, parameters: undefined };
        this.#calls.delete(result.callId);
        const title = this.#client.tools.find((tool) => tool.toolId === name)?.name;
        this.#log.call({ callId: result.callId, name, title, parameters, status: "done", result });
    }
}
