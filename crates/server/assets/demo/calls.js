/**
 * Runs the calls that the server forwards (CP-14): each once, with the user's permission, within the limits. A
 * call that is asked again, because its answer was lost with a connection, is answered from memory.
 */
import { ContextureError } from "./protocol/errors.js";
import { canonical, validate, withDefaults } from "./schema.js";
import { CallMemory } from "./memory.js";
import { newId } from "./protocol/ids.js";
import { CONFIRM, ToolFailure, actionOf } from "./tools.js";
const TOGETHER = ["PARALLEL", "ASYNC", "CLIENT_SERVER_PARALLEL"];
/** Answered calls that are remembered, and sensitive results that are kept. */
const MEMORY = 1_000;
export class CallRunner {
    #settings;
    #tools;
    #activity;
    #runs = new Map();
    #memory;
    /** Sensitive results by their handles. */
    #kept = new Map();
    #ask;
    // One question at a time: the next one waits for this.
    #asked = Promise.resolve();
    constructor(settings, tools, activity) {
        this.#settings = settings;
        this.#tools = tools;
        this.#activity = activity;
        this.#memory = new CallMemory(settings.memory, settings.clientId);
    }
    set ask(hook) {
        this.#ask = hook;
        this.#tools.confirms = hook !== undefined;
    }
    /** Runs a request's calls and gives their results in the order of the request. */
    async run(request) {
        const { executionMode, frontendTimeout, timeout } = request.content;
        const calls = request.content.calls ?? request.content.toolCalls ?? [];
        const seconds = Math.min(frontendTimeout ?? Number.POSITIVE_INFINITY, timeout ?? Number.POSITIVE_INFINITY);
        const deadline = Date.now() + seconds * 1_000;
        if (TOGETHER.includes(executionMode))
            return Promise.all(calls.map((call) => this.#once(request, call, deadline)));
        const results = [];
        let stopped;
        for (const call of calls) {
            const result = stopped ? notStarted(call, stopped) : await this.#once(request, call, deadline);
            if (isUnavailable(result) && (call.fallbackBehavior ?? "ABORT") === "ABORT")
                stopped ??= call;
            results.push(result);
        }
        return results;
    }
    /** Stops what runs for a request, a turn or a call with this id. */
    cancel(target) {
        for (const run of this.#runs.values()) {
            if (run.names.includes(target))
                run.abort.abort(new ToolFailure("CANCELLED", "The call was cancelled."));
        }
    }
    cancelAll() {
        for (const run of this.#runs.values())
            run.abort.abort(new ToolFailure("CANCELLED", "The client was closed."));
    }
    #once(request, call, deadline) {
        // A callId is unique in its request alone: the turn, and what is called, tell two calls apart.
        const turn = request.metadata?.inReplyTo ?? "";
        const key = canonical([request.contextId ?? "", turn, call.callId, call.name, call.parameters ?? {}]);
        const known = this.#runs.get(key);
        if (known) {
            known.names.push(request.messageId);
            return known.result;
        }
        const abort = new AbortController();
        const kept = this.#memory.result(key);
        const result = kept ? Promise.resolve(kept) : this.#answer(call, request.contextId ?? undefined, abort, deadline, key);
        const run = { result, abort, names: [request.messageId, turn, call.callId], done: false };
        this.#runs.set(key, run);
        void result.then(() => {
            run.done = true;
            this.#forget();
        });
        return result;
    }
    #forget() {
        for (const [key, run] of this.#runs) {
            if (this.#runs.size <= MEMORY)
                return;
            if (run.done)
                this.#runs.delete(key);
        }
    }
    async #answer(call, contextId, abort, deadline, key) {
        const left = Math.min(deadline - Date.now(), (call.timeoutClient ?? Number.POSITIVE_INFINITY) * 1_000);
        const stop = left < 2 ** 31 ? setTimeout(() => abort.abort(new ToolFailure("TIMEOUT", "The call took longer than it may.")), Math.max(0, left)) : undefined;
        const started = { at: undefined };
        let result;
        try {
            const value = await this.#permitted(call, contextId, abort, started, key);
            result = { callId: call.callId, status: "SUCCESS", result: value };
        }
        catch (error) {
            result = failed(call, error);
        }
        finally {
            clearTimeout(stop);
        }
        const { deviceType, platform, version, clientInfo } = this.#settings;
        result.clientInfo = { deviceType, platform, version, ...clientInfo };
        result.executionTime = started.at === undefined ? 0 : Math.round(performance.now() - started.at);
        // A handle of a sensitive result means nothing after a reload.
        if (started.at !== undefined && !this.#tools.find(call.name)?.sensitive)
            this.#memory.end(key, result);
        this.#activity({ call, contextId, status: "done", result });
        return result;
    }
    async #permitted(call, contextId, abort, started, key) {
        if (call.name === CONFIRM)
            return this.#confirm(call, contextId, abort.signal);
        const tool = this.#tools.find(call.name);
        if (!tool)
            throw new ToolFailure("UNKNOWN_ACTION", `This client has no tool ${call.name}.`);
        const { toolId } = tool.definition;
        const parameters = checked(tool, call);
        if (this.#tools.permission(toolId) === "denied")
            throw new ToolFailure("PERMISSION_DENIED", `The user does not allow ${toolId}.`);
        if (this.#tools.asks(tool))
            await this.#consent(tool, call, contextId, abort.signal);
        abort.signal.throwIfAborted();
        this.#activity({ call, contextId, status: "running" });
        // What a person does in the page went with it, and is asked for again.
        if (tool.interactive)
            this.#memory.forget(key);
        else
            this.#memory.begin(key);
        started.at = performance.now();
        const value = await this.#bounded(tool, parameters, call, contextId, abort);
        return tool.sensitive ? { handle: this.#keep(value) } : value;
    }
    async #consent(tool, call, contextId, signal) {
        const { toolId, permissionLevel, name } = tool.definition;
        const prompt = call.userPrompt || `Allow "${name || toolId}"?`;
        let granted;
        try {
            // The answer to an earlier question may hold for this call too.
            granted = await this.#question(() => this.#tools.asks(tool), { tool: tool.definition, call, prompt, contextId, signal });
        }
        catch (error) {
            // Nobody answered in time: that is a no.
            if (error instanceof ToolFailure && error.code === "TIMEOUT")
                throw new ToolFailure("PERMISSION_DENIED", "Nobody answered whether it is allowed.");
            throw error;
        }
        if (!granted)
            throw new ToolFailure("PERMISSION_DENIED", `The user did not allow ${toolId}.`);
        if (permissionLevel === "USER_CONSENT")
            this.#tools.decide(toolId, "granted");
    }
    #keep(value) {
        const handle = newId("res");
        this.#kept.set(handle, value);
        for (const oldest of this.#kept.keys()) {
            if (this.#kept.size <= MEMORY)
                break;
            this.#kept.delete(oldest);
        }
        return handle;
    }
    #found(handle) {
        const value = this.#kept.get(handle);
        if (value === undefined)
            throw new ToolFailure("REFERENCE_MISSING", `Nothing is kept here under ${handle}.`);
        return value;
    }
    /** The user's word about something that the server is about to do (CP-19). */
    async #confirm(call, contextId, signal) {
        const { action, runtime, parameters } = call.parameters ?? {};
        if (typeof action !== "string")
            throw new ToolFailure("VALIDATION_FAILED", "A confirmation names the action.");
        const fields = typeof parameters === "object" && parameters !== null && !Array.isArray(parameters) ? parameters : {};
        const known = runtime === "FRONTEND" ? this.#tools.find(action)?.definition : undefined;
        const tool = known ?? actionOf(action, runtime === "FRONTEND" ? "FRONTEND" : "BACKEND");
        const prompt = call.userPrompt || `Allow "${action}"?`;
        const about = { ...call, name: action, parameters: fields };
        return { allowed: await this.#question(() => true, { tool, call: about, prompt, contextId, signal }) };
    }
    /** Puts one question at a time to the user, if it still has to be put when its turn comes. */
    #question(isNeeded, request) {
        const { call, contextId, signal } = request;
        const before = this.#asked;
        const question = (async () => {
            await before;
            signal.throwIfAborted();
            if (!isNeeded())
                return true;
            if (!this.#ask)
                return false;
            this.#activity({ call, contextId, status: "asking" });
            return (await this.#ask(request)) === true;
        })();
        // A question that is taken away holds up no other.
        const answered = orAborted(question, signal);
        this.#asked = answered.catch(() => { });
        return answered;
    }
    async #bounded(tool, parameters, call, contextId, abort) {
        const limits = this.#settings.limitations;
        const late = () => abort.abort(new ToolFailure("TIMEOUT", `${call.name} took longer than ${limits.maxProcessingTime} ms.`));
        const stop = tool.interactive ? undefined : setTimeout(late, limits.maxProcessingTime);
        try {
            const context = { callId: call.callId, contextId, signal: abort.signal, limits, uiSettings: call.uiSettings ?? {}, kept: (handle) => this.#found(handle) };
            return await orAborted(Promise.resolve(tool.run(parameters, context)), abort.signal);
        }
        finally {
            clearTimeout(stop);
        }
    }
}
function checked(tool, call) {
    const schema = tool.definition.parameters;
    const parameters = withDefaults(schema, call.parameters ?? {});
    const violations = validate(schema, parameters, "/parameters");
    if (violations.length === 0)
        return parameters;
    const told = violations.map((one) => `${one.pointer}: expected ${one.expected}, found ${one.found}`).join("; ");
    throw new ToolFailure("VALIDATION_FAILED", told, { violations: violations.map((one) => ({ ...one })) });
}
/** The value, or the signal's reason as soon as it ends. */
function orAborted(value, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => reject(signal.reason);
        if (signal.aborted)
            stop();
        signal.addEventListener("abort", stop, { once: true });
        value.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
}
function failed(call, error) {
    const code = error instanceof ToolFailure || error instanceof ContextureError ? error.code : "EXECUTION_FAILED";
    const message = error instanceof Error ? error.message : String(error);
    const details = error instanceof ToolFailure ? error.details : undefined;
    return {
        callId: call.callId,
        status: code === "TIMEOUT" ? "TIMEOUT" : "ERROR",
        error: { code, message, ...(details === undefined ? {} : { details }) },
    };
}
/** Whether the tool could not be had, which is when fallbackBehavior decides; a tool that failed is another matter. */
function isUnavailable({ status, error }) {
    return status === "TIMEOUT" || ["PERMISSION_DENIED", "CLIENT_UNAVAILABLE", "UNKNOWN_ACTION"].includes(error?.code ?? "");
}
function notStarted(call, stopped) {
    return failed(call, new ToolFailure("CANCELLED", `Not started: ${stopped.callId} failed, and its fallbackBehavior is ABORT.`));
}
