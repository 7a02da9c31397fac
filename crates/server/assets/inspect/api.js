/** Questions to the server. Paths are relative to the page, so it works under any folder. */
/** A refusal of the server, or of the connection, as the page shows it. */
export class ApiError extends Error {
    code;
    constructor(code, message) {
        super(message);
        this.code = code;
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
    const answer = await fetch(address(path, query), { headers: { accept: "application/json" }, ...(signal ? { signal } : {}) }).catch((error) => {
        throw signal?.aborted ? error : new ApiError("unreachable", error instanceof Error ? error.message : String(error));
    });
    const body = await answer.json().catch(() => undefined);
    if (answer.ok && body !== undefined)
        return body;
    throw refusal(answer.status, body);
}
function refusal(status, body) {
    const said = (typeof body === "object" && body !== null ? body : {});
    const code = typeof said.code === "string" ? said.code : `HTTP ${status}`;
    return new ApiError(code, typeof said.message === "string" ? said.message : "");
}
export const api = {
    runs: (filter, after, signal) => get(["runs"], { ...filter, after, limit: 100 }, signal),
    run: (run, signal) => get(["runs", run], {}, signal),
    events: (run, parent, after) => get(["runs", run, "events"], { parent, after, limit: 200 }),
    call: (run, call, signal) => get(["runs", run, "calls", call], {}, signal),
    prompt: (run, call, signal) => get(["runs", run, "calls", call, "prompt"], {}, signal),
    text: (run, digest, offset, signal) => get(["texts", run, digest], { offset, limit: 65_536 }, signal),
    diff: (left, right, signal) => get(["diff", left, right], {}, signal),
    why: (run, call, label, signal) => get(["why"], { run, call, label }, signal),
    /** Where a run under way tells that it has grown. */
    followed: (run) => address(["runs", run, "follow"]),
};
