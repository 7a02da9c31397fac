/** Where items and layers stand in the text of a message (IN-3, IN-6). Pure. */
import { indices } from "../text/bytes.js";
/** The regions of a message, in order. */
export function regionsOf(prompt, message) {
    const items = (prompt.items ?? []).flatMap((item) => (item.span && item.span.message === message ? [{ kind: "item", item, start: item.span.start, end: item.span.end }] : []));
    const layers = (prompt.layers ?? []).flatMap((layer) => (layer.span && layer.span.message === message ? [{ kind: "layer", layer, start: layer.span.start, end: layer.span.end }] : []));
    return [...items, ...layers].sort((a, b) => a.start - b.start || b.end - a.end);
}
/** Splits a text whose first byte is `offset` of its message where regions begin and end. */
export function segments(text, regions, offset = 0) {
    const inside = regions.map((region) => ({ region, start: Math.max(0, region.start - offset), end: region.end - offset })).filter(({ start, end, region }) => end > start && region.start - offset <= text.length * 4);
    const bytes = [...new Set(inside.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
    const at = new Map(indices(text, bytes).map((index, position) => [bytes[position] ?? 0, index]));
    const cuts = [...new Set([0, ...at.values(), text.length])].sort((a, b) => a - b);
    const placed = inside.map(({ region, start, end }) => ({ region, from: at.get(start) ?? 0, to: at.get(end) ?? 0 }));
    const named = new Set();
    return cuts.slice(0, -1).map((cut, index) => {
        const end = cuts[index + 1] ?? text.length;
        const region = placed.filter(({ from, to }) => from <= cut && to >= end).at(-1)?.region;
        const first = region !== undefined && !named.has(region);
        if (region)
            named.add(region);
        return { text: text.slice(cut, end), region, first };
    });
}
/** Puts segments together that share a line, so that each row of the page begins and ends where a line does. */
export function lines(parts) {
    const found = [];
    let ended = true;
    for (const part of parts) {
        if (part.text === "")
            continue;
        if (ended)
            found.push([part]);
        else
            found.at(-1)?.push(part);
        ended = part.text.endsWith("\n");
    }
    return found.flatMap((one) => splitAtLineEnds(one));
}
/** Lets a region begin a row of its own where the text before it in the same segment has whole lines. */
function splitAtLineEnds(parts) {
    const rows = [[]];
    parts.forEach((part, index) => {
        const last = part.text.lastIndexOf("\n") + 1;
        const whole = index < parts.length - 1 && last > 0 && last < part.text.length && part.region === undefined;
        if (!whole) {
            rows.at(-1)?.push(part);
            return;
        }
        rows.at(-1)?.push({ ...part, text: part.text.slice(0, last) });
        rows.push([{ ...part, text: part.text.slice(last), first: false }]);
    });
    return rows.filter((row) => row.length > 0).map((row) => ({ segments: row }));
}
