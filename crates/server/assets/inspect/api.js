/** Questions to the server. Paths are relative to the page, so it works under any folder. */
import { keptToken } from "./token.js";
/** A refusal of the server, or of the connection, as the page shows it. */
export class ApiError extends Error {
    code;
    status;
    constructor(code, message, status = 0) {
        super(message);
        this.code = code;
        this.status = status;
    }
}
function address(path, query = {}) {
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
        if (value !== undefined && value !== "")
            values.set(name, String(value));
    return `v1/${path.map((part) => encodeURIComponent(part)).join("/")}${values.size > 0 ? `?${values}` : ""}`;
}
async function get(path, query = {}, signal) {
    const answer = await asked(address(path, query), "application/json", signal);
    const body = await answer.json().catch(() => undefined);
    if (answer.ok && body !== undefined)
        return body;
    throw refusal(answer.status, body);
}
async function change(path) {
    const answer = await asked(`../${address(path)}`, "application/json", undefined, { method: "POST", body: "{}" });
    const body = await answer.json().catch(() => undefined);
    if (answer.ok)
        return body;
    throw refusal(answer.status, body);
}
async function asked(path, accept, signal, more = {}) {
    const token = keptToken();
    const headers = { accept, ...(more.body ? { "content-type": "application/json" } : {}), ...(token === "" ? {} : { authorization: `Bearer ${token}` }) };
    return fetch(path, { ...more, headers, ...(signal ? { signal } : {}) }).catch((error) => {
        throw signal?.aborted ? error : new ApiError("unreachable", error instanceof Error ? error.message : String(error));
    });
}
function object(value) {
    return typeof value === "object" && value !== null ? value : {};
}
/** `contexture inspect` says `{code, message}`, `contexture serve` has the form of its protocol. */
function refusal(status, body) {
    const content = object(object(body)["content"]);
    const [code, message] = "errorCode" in content ? [object(content["details"])["reason"] ?? content["errorCode"], content["message"]] : [object(body)["code"], object(body)["message"]];
    return new ApiError(typeof code === "string" ? code : `HTTP ${status}`, typeof message === "string" ? message : "", status);
}
/** Reads the names of server-sent events until the stream ends. */
async function eventsOf(answer, heard) {
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        const blocks = (rest + part.value).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
            const name = /^event: ?(.*)$/m.exec(block)?.[1];
            if (name !== undefined)
                heard(name);
        }
    }
}
export const api = {
    runs: (filter, after, signal) => get(["runs"], { ...filter, after, limit: 100 }, signal),
    run: (run, signal) => get(["runs", run], {}, signal),
    events: (run, parent, after) => get(["runs", run, "events"], { parent, after, limit: 200 }),
    call: (run, call, signal) => get(["runs", run, "calls", call], {}, signal),
    prompt: (run, call, signal) => get(["runs", run, "calls", call, "prompt"], {}, signal),
    text: (run, digest, offset, signal) => get(["texts", run, digest], { offset, limit: 65_536 }, signal),
    tokens: (run, by, signal) => get(["runs", run, "tokens"], { by }, signal),
    usage: (filter, signal) => get(["usage"], { ...filter }, signal),
    about: (signal) => get(["about"], {}, signal),
    flows: (after, signal) => get(["flows"], { after, limit: 100 }, signal),
    flow: (flow, signal) => get(["flows", flow], {}, signal),
    picture: async (flow) => {
        const answer = await asked(address(["flows", flow, "picture"]), "image/svg+xml");
        if (!answer.ok)
            throw refusal(answer.status, await answer.json().catch(() => undefined));
        return answer.blob();
    },
    contexts: (filter, signal) => get(["contexts"], { ...filter, limit: 100 }, signal),
    context: (owner, context, version, signal) => get(["contexts", context], { owner, version }, signal),
    messages: (owner, context, before) => get(["contexts", context, "messages"], { owner, before, limit: 50 }),
    changes: (owner, context, since, signal) => get(["contexts", context, "changes"], { owner, since, limit: 100 }, signal),
    packs: (signal) => get(["knowledge"], {}, signal),
    pack: (name, signal) => get(["knowledge", name], {}, signal),
    search: (name, q) => get(["knowledge", name, "search"], { q, limit: 20 }),
    /** Asks the server beside the inspector, which alone changes anything. */
    steer: (flow, word) => change(["flows", flow, word]),
    fork: (context) => change(["contexts", context, "fork"]),
    diff: (left, right, signal) => get(["diff", left, right], { words: "true" }, signal),
    why: (run, call, label, signal) => get(["why"], { run, call, label }, signal),
    /** Calls back whenever a run under way has grown, until it ends or the connection does. */
    follow: async (run, heard, signal) => {
        const answer = await asked(address(["runs", run, "follow"]), "text/event-stream", signal);
        if (!answer.ok)
            throw refusal(answer.status, await answer.json().catch(() => undefined));
        await eventsOf(answer, heard);
    },
};
