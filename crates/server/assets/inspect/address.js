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
    return { view: "unknown", address };
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
    return filter ? `#/usage?${new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""))}` : "#/usage";
}
export function runs(filter = NO_FILTER) {
    const values = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
    return values.size === 0 ? "#/" : `#/?${values}`;
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
    return place.view === "call" ? run(place.run) : runs();
}
