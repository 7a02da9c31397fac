/** The kinds of events: a sign and a word for each, and a line that says what one did (IN-5). Pure. */
const KINDS = {
    run: { sign: "▶", word: "kind_run", tone: "frame" },
    agent: { sign: "◆", word: "kind_agent", tone: "frame" },
    generate: { sign: "✦", word: "kind_generate", tone: "model" },
    tool: { sign: "⚙", word: "kind_tool", tone: "tool" },
    memory: { sign: "▤", word: "kind_memory", tone: "memory" },
    knowledge: { sign: "▣", word: "kind_knowledge", tone: "memory" },
    use: { sign: "⊕", word: "kind_use", tone: "frame" },
    for: { sign: "↻", word: "kind_for", tone: "frame" },
    parallel_for: { sign: "⇉", word: "kind_parallel_for", tone: "frame" },
    iteration: { sign: "→", word: "kind_iteration", tone: "frame" },
    input: { sign: "⇥", word: "kind_input", tone: "frame" },
    file: { sign: "▭", word: "kind_file", tone: "frame" },
    warning: { sign: "⚠", word: "kind_warning", tone: "wait" },
    progress: { sign: "…", word: "kind_progress", tone: "frame" },
    release: { sign: "⇪", word: "kind_release", tone: "wait" },
    error: { sign: "✕", word: "kind_error", tone: "bad" },
};
const OTHER = { sign: "•", word: "kind_other", tone: "frame" };
export function kindOf(event) {
    return Object.hasOwn(KINDS, event.kind) ? (KINDS[event.kind] ?? OTHER) : OTHER;
}
function textOf(data, ...names) {
    for (const name of names) {
        const value = data[name];
        if (typeof value === "string" && value !== "")
            return value;
        if (typeof value === "number")
            return String(value);
    }
    return "";
}
/** The fields of an event; none for a record that lacks them. */
export function dataOf(event) {
    return typeof event.data === "object" && event.data !== null && !Array.isArray(event.data) ? event.data : {};
}
/** What an event did, in a line: names and values of the record. */
export function summary(event) {
    const data = dataOf(event);
    switch (event.kind) {
        case "tool":
        case "memory":
            return called(data);
        case "generate":
            return [textOf(data, "agent"), textOf(data, "function")].filter(Boolean).join(".") || textOf(data, "file");
        case "agent":
            return [textOf(data, "agent", "name"), textOf(data, "function")].filter(Boolean).join(".");
        case "use":
            return [...new Set([textOf(data, "label"), textOf(data, "source"), textOf(data, "chosen")])].filter(Boolean).join(" · ");
        case "run":
            return textOf(data, "program");
        case "input":
            return brief(data.value);
        default:
            return textOf(data, "message", "text", "label", "name", "path", "file", "variable", "reason") || brief(data.value ?? data.index);
    }
}
function called(data) {
    const name = [textOf(data, "name"), textOf(data, "method")].filter(Boolean).join(".");
    const given = data.arguments;
    if (typeof given !== "object" || given === null)
        return name;
    return `${name}(${Object.entries(given).map(([key, value]) => `${key}: ${brief(value)}`).join(", ")})`;
}
/** A value in one line; what is long ends with a sign that says so. */
function brief(value) {
    if (value === undefined)
        return "";
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    const characters = [...text.slice(0, 400)];
    return characters.length > 120 ? `${characters.slice(0, 120).join("")}…` : text;
}
/** Reports whether an event failed, or something in it that ended it. */
export function isFailed(event) {
    return failureOf(event) !== "" || dataOf(event).failed === true;
}
/** The error of an event, if it has one of its own. */
export function failureOf(event) {
    const error = dataOf(event).error;
    if (event.kind === "error")
        return summary(event);
    if (typeof error === "string")
        return error;
    if (typeof error !== "object" || error === null)
        return "";
    return [textOf(error, "code"), textOf(error, "message")].filter(Boolean).join(": ");
}
