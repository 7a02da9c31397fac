/** The addresses of the views (IN-6, "Settled"): what stands after `#`. */
export const NO_FILTER = { program: "", outcome: "", q: "" };
/** Reads an address; one that names no view is told, not guessed. */
export function read(hash) {
    const address = hash.replace(/^#/, "");
    const [path = "", query = ""] = address.split("?", 2);
    const parts = path.split("/").filter((part) => part !== "").map(decoded);
    const [view, first, word, last] = parts;
    const call = Number(last);
    if (parts.length === 0)
        return { view: "runs", filter: filterOf(query) };
    if (view === "runs" && parts.length === 2 && first !== undefined)
        return { view: "run", run: first };
    if (view === "runs" && parts.length === 4 && first !== undefined && word === "calls" && Number.isInteger(call))
        return { view: "call", run: first, call };
    if (view === "diff" && parts.length === 3 && first !== undefined && word !== undefined)
        return { view: "diff", left: first, right: word };
    if (view === "usage" && parts.length === 1)
        return { view: "usage", filter: usageOf(query) };
    return kept(parts, new URLSearchParams(query)) ?? { view: "unknown", address };
}
/** Reads the addresses of what is kept besides runs. */
function kept([view, first, ...more], query) {
    if (more.length > 0)
        return undefined;
    const value = (name) => query.get(name) ?? "";
    if (view === "flows")
        return first === undefined ? { view: "flows", after: value("after") } : { view: "flow", flow: first };
    if (view === "knowledge")
        return first === undefined ? { view: "knowledge" } : { view: "pack", name: first };
    if (view !== "contexts")
        return undefined;
    if (first !== undefined)
        return { view: "context", owner: value("owner"), context: first };
    return { view: "contexts", filter: { owner: value("owner"), search: value("search"), after: value("after") } };
}
function queried(path, query) {
    const values = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
    return values.size === 0 ? path : `${path}?${values}`;
}
export function flows(after = "") {
    return queried("#/flows", { after });
}
/** A run of a set within a step of another has a `/` in its id. */
export function flow(id) {
    return `#/flows/${encodeURIComponent(id)}`;
}
export function contexts(filter) {
    return queried("#/contexts", { ...filter });
}
export function context(owner, id) {
    return queried(`#/contexts/${encodeURIComponent(id)}`, { owner });
}
export function knowledge() {
    return "#/knowledge";
}
export function pack(name) {
    return `#/knowledge/${encodeURIComponent(name)}`;
}
function usageOf(query) {
    const values = new URLSearchParams(query);
    return { by: values.get("by") ?? "program", step: values.get("step") ?? "day", program: values.get("program") ?? "" };
}
function decoded(part) {
    try {
        return decodeURIComponent(part);
    }
    catch {
        return part;
    }
}
function filterOf(query) {
    const values = new URLSearchParams(query);
    return { program: values.get("program") ?? "", outcome: values.get("outcome") ?? "", q: values.get("q") ?? "" };
}
export function usage(filter) {
    return queried("#/usage", { ...filter });
}
export function runs(filter = NO_FILTER) {
    return queried("#/", { ...filter });
}
export function run(id) {
    return `#/runs/${encodeURIComponent(id)}`;
}
export function call(id, number) {
    return `${run(id)}/calls/${number}`;
}
export function diff(left, right) {
    return `#/diff/${encodeURIComponent(left)}/${encodeURIComponent(right)}`;
}
/** The address that Esc leads to. */
export function parent(place) {
    switch (place.view) {
        case "call":
            return run(place.run);
        case "flow":
            return flows();
        case "context":
            return contexts({ owner: place.owner, search: "", after: "" });
        case "pack":
            return knowledge();
        default:
            return runs();
    }
}
