/**
 * The client: one session with a server, the turns in it, front-end tools, contexts and their states (CP-16).
 *
 * Decision: a message is done with when its last answer is in, not when it was sent. All else follows from
 * that: a cut connection is resumed, a lost session is begun anew, and callers see neither.
 */
import { ContextureError } from "./protocol/errors.js";
import { newId } from "./protocol/ids.js";
import { isA, } from "./protocol/messages.js";
import { CallRunner } from "./calls.js";
import { Contexts } from "./contexts.js";
import { Waits } from "./waits.js";
import { get } from "./http.js";
import { Events, deferred } from "./events.js";
import { settle } from "./options.js";
import { Session } from "./session.js";
import { InstructionRun, ToolRun } from "./sets.js";
import { Subscription } from "./subscription.js";
import { Toolbox } from "./tools.js";
import { Turn } from "./turn.js";
export class ContextureClient {
    /** Contexts over HTTP. */
    contexts;
    /** What waits for clients and people, over HTTP. */
    waits;
    #settings;
    #session;
    #events = new Events();
    #tools;
    #calls;
    #subscriptions = new Map();
    #announcement;
    #announcing = false;
    constructor(options) {
        this.#settings = settle(options, newId("client"));
        this.contexts = new Contexts(this.#settings);
        this.waits = new Waits(this.#settings);
        this.#tools = new Toolbox(() => this.#toolsChanged());
        this.#calls = new CallRunner(this.#settings, this.#tools, (activity) => this.#events.tell("call", activity));
        this.#session = new Session(this.#settings, {
            state: (state) => this.#events.tell("state", state),
            welcome: (resumed) => this.#welcome(resumed),
            message: (message) => this.#message(message),
            error: (error) => this.#events.tell("error", error),
            make: (type, content) => this.#make(type, content),
        });
    }
    get clientId() {
        return this.#settings.clientId;
    }
    get state() {
        return this.#session.state;
    }
    /** The session on the server, once there is one. */
    get sessionId() {
        return this.#session.sessionId;
    }
    on(name, listener) {
        return this.#events.on(name, listener);
    }
    /** Connects; done when the server welcomed this client, failed when it never will (AUTH_FAILED, say). */
    connect() {
        return this.#session.connect();
    }
    /** Ends everything; what is open fails with CONNECTION_CLOSED. */
    close() {
        this.#calls.cancelAll();
        for (const subscription of this.#subscriptions.values())
            subscription.fail(new ContextureError("CONNECTION_CLOSED", "The client was closed."));
        this.#subscriptions.clear();
        this.#session.close();
    }
    // -- turns ------------------------------------------------------------------------------------------------
    /** Says something to the agent. Needs no connection yet: it is sent as soon as there is one. */
    send(text, options = {}) {
        const { contextId, attachments, metadata, signal, onMessage } = options;
        const message = this.#make("USER_INPUT", { text, ...(attachments ? { attachments } : {}) }, { contextId, metadata });
        const turn = new Turn(message.messageId, contextId, {
            cancel: () => {
                this.#calls.cancel(message.messageId);
                return this.#stop(message.messageId);
            },
            ...(onMessage ? { onMessage } : {}),
        });
        if (signal?.aborted) {
            turn.fail(new ContextureError("CANCELLED", "The turn was cancelled before it was sent."));
            return turn;
        }
        this.#post(message, { reply: (answer) => turn.take(answer), fail: (error) => turn.fail(error) });
        if (signal) {
            const cancel = () => void turn.cancel().catch(() => { });
            signal.addEventListener("abort", cancel, { once: true });
            turn.answer.catch(() => { }).finally(() => signal.removeEventListener("abort", cancel));
        }
        return turn;
    }
    /**
     * Sends any message and gives the message that answers it: the first of the type `answer`, or the first of all
     * when none is named. Fails with ERROR_RESPONSE.
     */
    request(type, content, options = {}) {
        const { answer, ...more } = options;
        return this.#ask(this.#make(type, content, more), (message) => answer === undefined || message.type === answer);
    }
    // -- sets ----------------------------------------------------------------------------------------------------
    /**
     * Has the server run calls of tools, its own and those of front ends: one after another, at once, one side before
     * the other (FL-1). The results come in the order of the calls.
     */
    requestTools(contextId, request, options = {}) {
        const message = this.#make("TOOL_CALL_REQUEST", request, { contextId, metadata: options.metadata });
        const calls = request.calls ?? request.toolCalls ?? [];
        return this.#started(message, new ToolRun(message.messageId, calls.map((call) => call.callId), this.#hooks(message, options)), options);
    }
    /** Has the server run instructions that depend on each other (FL-4). */
    runInstructions(contextId, set, options = {}) {
        const message = this.#make("INSTRUCTION", set, { contextId, metadata: options.metadata });
        return this.#started(message, new InstructionRun(message.messageId, this.#hooks(message, options)), options);
    }
    /** The record of a run, which an answer's `metadata.run` names. */
    run(run) {
        return get(this.#settings, `v1/runs/${encodeURIComponent(run)}`, {});
    }
    // -- contexts ---------------------------------------------------------------------------------------------
    /** Updates a context; the version after it. */
    async update(contextId, update) {
        const answer = await this.#ask(this.#make("CONTEXT_UPDATE", update, { contextId }), (message) => isA(message, "ACK"));
        return isA(answer, "ACK") ? (answer.content.version ?? 0) : 0;
    }
    /** Sets a part of a context's state; see `formatPath` for names with dots. */
    setState(contextId, path, value, options = {}) {
        return this.update(contextId, { operation: "UPDATE_STATE", path, value, ...options });
    }
    removeState(contextId, path, options = {}) {
        return this.update(contextId, { operation: "REMOVE_STATE", path, ...options });
    }
    addMessage(contextId, message, options = {}) {
        return this.update(contextId, { operation: "ADD_MESSAGE", message, ...options });
    }
    /** Adds messages, all of them or none; the version after them. */
    addMessages(contextId, messages, options = {}) {
        return this.update(contextId, { changes: messages.map((message) => ({ operation: "ADD_MESSAGE", message })), ...options });
    }
    /** Changes a context's metadata by a merge patch: null removes a field. `userId` stays as it is. */
    patchMetadata(contextId, patch, options = {}) {
        return this.update(contextId, { operation: "UPDATE_METADATA", value: patch, ...options });
    }
    /** Gives a context a title, or takes it away. */
    rename(contextId, title) {
        return this.patchMetadata(contextId, { title });
    }
    /** Clears the history, or what lies strictly before a time. */
    clearHistory(contextId, beforeTimestamp) {
        return this.update(contextId, {
            operation: "CLEAR_HISTORY",
            ...(beforeTimestamp === undefined ? {} : { filter: { beforeTimestamp } }),
        });
    }
    /** Follows a context: its state is kept up to date until the subscription is closed. One per context. */
    subscribe(contextId) {
        const known = this.#subscriptions.get(contextId);
        if (known)
            return known;
        const subscription = new Subscription(contextId, {
            contexts: this.contexts,
            subscribe: (since) => this.#subscribe(subscription, since),
            unsubscribe: () => this.#unsubscribe(contextId),
        });
        this.#subscriptions.set(contextId, subscription);
        subscription.on("error", () => this.#subscriptions.delete(contextId));
        // Otherwise the welcome starts it.
        if (this.state === "open")
            subscription.start();
        return subscription;
    }
    // -- tools ------------------------------------------------------------------------------------------------
    /** Adds front-end tools and announces them. */
    addTools(...tools) {
        this.#tools.add(tools);
    }
    removeTool(toolId) {
        this.#tools.remove(toolId);
    }
    get tools() {
        return this.#tools.list();
    }
    /** Asks the user before a tool runs, and before the server does something sensitive. Without a hook the answer is no. */
    set onPermission(hook) {
        this.#calls.ask = hook;
    }
    permission(toolId) {
        return this.#tools.permission(toolId);
    }
    /** Decides for a tool until the client ends; "prompt" asks again. */
    setPermission(toolId, permission) {
        this.#tools.decide(toolId, permission);
    }
    /** Done when the server knows the tools as they are now. */
    get announced() {
        if (this.#announcement)
            return this.#announcement.done.promise;
        return this.#announcing ? this.#pending().promise : Promise.resolve();
    }
    /** Whether the server has these tools, from whichever client. */
    async availability(tools) {
        const answer = await this.#ask(this.#make("TOOL_AVAILABILITY_REQUEST", { tools }), (message) => isA(message, "TOOL_AVAILABILITY_RESPONSE"));
        return isA(answer, "TOOL_AVAILABILITY_RESPONSE") ? answer.content.availableTools : [];
    }
    /** What tool calls and instructions can call now, with schemas. */
    async callable() {
        const answer = await this.#ask(this.#make("TOOL_LIST_REQUEST", {}), (message) => isA(message, "TOOL_LIST_RESPONSE"));
        return isA(answer, "TOOL_LIST_RESPONSE") ? answer.content : { tools: [], actions: [] };
    }
    // -- what comes in ----------------------------------------------------------------------------------------
    #welcome(resumed) {
        if (resumed)
            return;
        if (this.#tools.announced().length > 0 || this.#announcement)
            this.#announce();
        for (const subscription of this.#subscriptions.values())
            subscription.start();
    }
    #message(message) {
        this.#events.tell("message", message);
        if (isA(message, "TOOL_CALL_REQUEST"))
            void this.#run(message);
        else if (isA(message, "CONTEXT_DELTA"))
            this.#subscriptions.get(message.contextId ?? "")?.receive(message.content);
        else if (isA(message, "CONTROL") && message.content.action === "CANCEL")
            this.#calls.cancel(message.content.target);
        else if (isA(message, "SYSTEM_MESSAGE") && message.content.data?.code === "CONTEXT_DELETED") {
            this.#subscriptions.get(message.contextId ?? "")?.fail(new ContextureError("CONTEXT_NOT_FOUND", message.content.text, { source: "SERVER" }));
        }
    }
    async #run(request) {
        const results = await this.#calls.run(request);
        const message = this.#make("TOOL_CALL_RESPONSE", { results }, {
            contextId: request.contextId ?? undefined,
            sender: "TOOL",
            metadata: { inReplyTo: request.messageId },
        });
        try {
            this.#post(message, { reply: () => true, fail: () => { } });
        }
        catch (error) {
            this.#events.tell("error", error);
        }
    }
    // -- what goes out ----------------------------------------------------------------------------------------
    #make(type, content, more = {}) {
        const { clientId, userId } = this.#settings;
        return {
            messageId: newId("msg"),
            ...(more.contextId === undefined ? {} : { contextId: more.contextId }),
            timestamp: new Date().toISOString(),
            type,
            sender: { id: more.sender === "TOOL" || type === "HELLO" ? clientId : userId, type: more.sender ?? "USER" },
            content,
            ...(more.metadata === undefined ? {} : { metadata: more.metadata }),
        };
    }
    #post(message, { reply, fail, ofSession = false }) {
        this.#session.post({ message, ofSession, reply, fail });
    }
    #ask(message, isAnswer) {
        const { promise, resolve, reject } = deferred();
        this.#post(message, {
            fail: reject,
            reply: (answer) => {
                if (isA(answer, "ERROR_RESPONSE"))
                    reject(ContextureError.of(answer.content));
                else if (isAnswer(answer))
                    resolve(answer);
                else
                    return false;
                return true;
            },
        });
        return promise;
    }
    async #stop(target, action = "CANCEL") {
        try {
            await this.#ask(this.#make("CONTROL", { action, target }), () => true);
        }
        catch (error) {
            // It ended in the meantime: there is nothing left to stop.
            if (!(error instanceof ContextureError && error.code === "UNKNOWN_ID"))
                throw error;
        }
    }
    #hooks({ messageId }, { onProgress, onResult }) {
        const steer = (action) => {
            if (action === "CANCEL")
                this.#calls.cancel(messageId);
            return this.#stop(messageId, action);
        };
        return { steer, ...(onProgress ? { onProgress } : {}), ...(onResult ? { onResult } : {}) };
    }
    #started(message, run, { signal }) {
        if (signal?.aborted) {
            run.fail(new ContextureError("CANCELLED", "The set was cancelled before it was sent."));
            return run;
        }
        this.#post(message, { reply: (answer) => run.take(answer), fail: (error) => run.fail(error) });
        if (signal) {
            const cancel = () => void run.cancel().catch(() => { });
            signal.addEventListener("abort", cancel, { once: true });
            const over = () => signal.removeEventListener("abort", cancel);
            run.answer.then(over, over);
        }
        return run;
    }
    #subscribe(subscription, since) {
        const { contextId } = subscription;
        const message = this.#make("SUBSCRIBE", { contextId, ...(since === undefined ? {} : { since }) }, { contextId });
        this.#post(message, {
            ofSession: true,
            fail: (error) => subscription.fail(error),
            reply: (answer) => {
                if (isA(answer, "ERROR_RESPONSE"))
                    subscription.refused(ContextureError.of(answer.content));
                else if (isA(answer, "ACK"))
                    subscription.acknowledged(answer.content.version);
                else
                    return false;
                return true;
            },
        });
    }
    #unsubscribe(contextId) {
        this.#subscriptions.delete(contextId);
        if (this.state !== "open")
            return;
        this.#post(this.#make("UNSUBSCRIBE", { contextId }, { contextId }), { ofSession: true, fail: () => { }, reply: () => true });
    }
    #toolsChanged() {
        this.#events.tell("tools", this.tools);
        if (this.#announcing)
            return;
        // Several changes at once are one announcement.
        this.#announcing = true;
        queueMicrotask(() => {
            this.#announcing = false;
            if (this.state === "open")
                this.#announce();
            else if (this.state !== "closed")
                this.#pending();
        });
    }
    #pending() {
        this.#announcement ??= { id: "", done: deferred() };
        return this.#announcement.done;
    }
    #announce() {
        const { clientId, deviceType, platform, version, supportedFeatures, limitations } = this.#settings;
        const content = { clientId, deviceType, platform, version, supportedTools: this.#tools.announced(), supportedFeatures, limitations };
        const message = this.#make("CLIENT_CAPABILITIES", content);
        const done = this.#pending();
        this.#announcement = { id: message.messageId, done };
        const settle = (act) => {
            // A later announcement stands for this one.
            if (this.#announcement?.id === message.messageId) {
                this.#announcement = undefined;
                act();
            }
            return true;
        };
        this.#post(message, {
            ofSession: true,
            fail: (error) => void settle(() => done.reject(error)),
            reply: (answer) => {
                if (!isA(answer, "ERROR_RESPONSE"))
                    return settle(() => done.resolve());
                const error = ContextureError.of(answer.content);
                this.#events.tell("error", error);
                return settle(() => done.reject(error));
            },
        });
    }
}
