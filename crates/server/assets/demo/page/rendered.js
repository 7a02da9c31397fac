/** Answers as elements: Markdown that grows, and values as fields. What a model wrote enters as text alone. */
import { el, readable } from "./dom.js";
import { parse } from "./markdown.js";
/** Characters beyond which a text is shown as it came: so many elements would hold the page up. */
const LONGEST = 256 * 1_024;
/** Signs that turn the text beside them around, and control characters: shown as what they are, not obeyed. */
const UNSEEN = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
export function plain(text) {
    return text.replace(UNSEEN, "\uFFFD");
}
/** A text that is shown as Markdown while it grows. Only its last block is read again. */
export class MarkdownView {
    #place;
    #shown;
    #text = "";
    /** What is before this place does not change any more. */
    #settled = 0;
    #tail = [];
    #timer;
    /** Milliseconds until the next look: the slower the text is to show, the rarer. */
    #pause = 16;
    constructor(place, shown) {
        this.#place = place;
        this.#shown = shown;
    }
    get text() {
        return this.#text;
    }
    append(piece) {
        this.#text += piece;
        this.#timer ??= setTimeout(() => this.#show(), this.#pause);
    }
    /** Shows the whole text anew. */
    finish(text) {
        clearTimeout(this.#timer);
        this.#text = text;
        this.#settled = 0;
        this.#tail = [];
        this.#place.replaceChildren();
        if (text !== "")
            this.#show();
    }
    #show() {
        this.#timer = undefined;
        const began = performance.now();
        // A carriage return at the end may be half of a line end.
        const rest = this.#text.slice(this.#settled).replaceAll("\r\n", "\n");
        const isPlain = this.#text.length > LONGEST;
        const { blocks, last } = isPlain ? { blocks: [], last: 0 } : parse(rest);
        for (const old of this.#tail)
            old.remove();
        const made = isPlain ? [el("p", {}, plain(rest))] : blocks.map(block);
        fill(this.#place, made, (one) => one);
        this.#tail = made.slice(-1);
        if (!this.#text.includes("\r"))
            this.#settled += last;
        else
            this.#tail = made;
        this.#pause = Math.min(1_000, Math.max(16, 4 * (performance.now() - began)));
        this.#shown();
    }
}
function block(one) {
    switch (one.kind) {
        case "paragraph":
            return fill(el("p", { dir: "auto" }), one.children, inline);
        case "heading":
            // The page's own headings stand above.
            return fill(el(`h${Math.min(6, one.level + 2)}`, { dir: "auto" }), one.children, inline);
        case "code":
            return el("pre", { dir: "ltr", tabindex: "0" }, el("code", {}, plain(one.text)));
        case "rule":
            return el("hr");
        case "quote":
            return fill(el("blockquote"), one.children, block);
        case "list": {
            const list = one.start === undefined ? el("ul") : el("ol", { start: String(one.start) });
            return fill(list, one.items, (item) => fill(el("li", { dir: "auto" }), item, block));
        }
        case "table":
            return table(one.head.map((cell) => cell.map(inline)), one.rows.map((row) => row.map((cell) => cell.map(inline))));
    }
}
function inline(one) {
    switch (one.kind) {
        case "text":
            return plain(one.text);
        case "code":
            return el("code", {}, plain(one.text));
        case "link":
            // Where it leads can be seen before it is followed, and the other side does not learn from where.
            return fill(el("a", { href: one.href, title: one.href, target: "_blank", rel: "noopener noreferrer nofollow" }), one.children, inline);
        default:
            return fill(el(one.kind), one.children, inline);
    }
}
function table(head, rows) {
    const cells = (tag, row) => fill(el("tr"), row, (cell) => fill(el(tag, { dir: "auto" }), cell, (one) => one));
    const body = fill(el("tbody"), rows, (row) => cells("td", row));
    return el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("thead", {}, cells("th", head)), body));
}
/** Puts parts into an element one by one: a hostile text has more of them than a call takes arguments. */
function fill(element, parts, make) {
    for (const one of parts)
        element.append(make(one));
    return element;
}
// -- values -------------------------------------------------------------------------------------------------------
/** Parts of a value that are shown; more would hold the page up. */
const MOST_PARTS = 5_000;
const DEEPEST = 12;
const MOST_COLUMNS = 8;
/** A value as fields, lists and tables. */
export function fields(value) {
    return part(value, { left: MOST_PARTS }, 0);
}
function part(value, room, depth) {
    room.left -= 1;
    if (value === null || value === undefined)
        return el("span", { class: "quiet" }, "none");
    if (typeof value === "string")
        return el("span", { class: "value", dir: "auto" }, plain(value));
    if (typeof value !== "object")
        return el("span", { class: "value" }, String(value));
    if (Object.keys(value).length === 0)
        return el("span", { class: "quiet" }, "empty");
    if (depth >= DEEPEST)
        return el("pre", {}, plain(deep(value)));
    if (!Array.isArray(value))
        return object(value, room, depth);
    const columns = columnsOf(value);
    if (columns)
        return rows(columns, value, room, depth);
    const items = [];
    for (const one of value) {
        if (room.left <= 0)
            break;
        items.push(el("li", {}, part(one, room, depth + 1)));
    }
    return fill(el("ul"), [...items, ...more(value.length - items.length, "li")], (one) => one);
}
function object(value, room, depth) {
    const all = Object.keys(value);
    const list = el("dl");
    let shown = 0;
    for (const name of all) {
        if (room.left <= 0)
            break;
        list.append(el("dt", { dir: "auto" }, plain(name)), el("dd", {}, part(value[name], room, depth + 1)));
        shown += 1;
    }
    list.append(...more(all.length - shown, "dt"));
    return list;
}
/** The columns of a list of objects that is a table: the same few names in each, and no parts within parts. */
function columnsOf(list) {
    const first = list[0];
    if (list.length < 2 || typeof first !== "object" || first === null || Array.isArray(first))
        return undefined;
    const names = Object.keys(first);
    if (names.length === 0 || names.length > MOST_COLUMNS)
        return undefined;
    const fits = (one) => {
        if (typeof one !== "object" || one === null || Array.isArray(one))
            return false;
        const own = Object.entries(one);
        return own.length === names.length && own.every(([name, value]) => names.includes(name) && (typeof value !== "object" || value === null));
    };
    return list.every(fits) ? names : undefined;
}
function rows(columns, list, room, depth) {
    const shown = list.slice(0, Math.max(1, Math.floor(room.left / columns.length)));
    const cells = shown.map((row) => columns.map((name) => [part(row[name], room, depth + 1)]));
    const whole = table(columns.map((name) => [plain(name)]), cells);
    return el("div", {}, whole, ...more(list.length - shown.length, "p"));
}
function more(count, tag) {
    return count > 0 ? [el(tag, { class: "quiet" }, `and ${count} more`)] : [];
}
function deep(value) {
    try {
        return readable(value);
    }
    catch {
        return "…";
    }
}
