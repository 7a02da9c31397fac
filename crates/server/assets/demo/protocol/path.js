/**
 * Paths into a context's state (CP-10): `userPreferences.language`, `tools.0`, `hosts."a.b".port`.
 *
 * Dots part the names, quotes keep dots in a name. A bare number is an index where it meets a list and a field
 * where it meets an object; where nothing is yet, it begins a list. The index that is a list's length appends.
 */
import { ContextureError } from "./errors.js";
import { kindOf } from "./read.js";
const MOST_SEGMENTS = 64;
const INDEX = /^(0|[1-9]\d*)$/;
const BARE = /^[^."[\]\u0000-\u001f\u007f-\u009f]+$/;
/** The steps of a path; fails with VALIDATION_FAILED when it is none. */
export function parsePath(path) {
    const segments = [];
    for (let at = 0;;) {
        if (segments.length >= MOST_SEGMENTS)
            throw bad(path, `it has more than ${MOST_SEGMENTS} steps`);
        const [segment, end] = path[at] === '"' ? quoted(path, at) : bare(path, at);
        segments.push(segment);
        if (end === path.length)
            return segments;
        if (path[end] !== ".")
            throw bad(path, `a dot should stand at ${end}`);
        at = end + 1;
    }
}
/** The path that leads along these names, each of which is a field. */
export function formatPath(names) {
    return names.map((name) => (BARE.test(name) && !INDEX.test(name) ? name : JSON.stringify(name))).join(".");
}
function bare(path, start) {
    let end = start;
    while (end < path.length && path[end] !== ".")
        end += 1;
    const name = path.slice(start, end);
    if (!BARE.test(name))
        throw bad(path, name === "" ? `a name is missing at ${start}` : `${JSON.stringify(name)} needs quotes`);
    return [{ name, index: INDEX.test(name) ? Number(name) : undefined }, end];
}
function quoted(path, start) {
    for (let end = start + 1; end < path.length; end += 1) {
        if (path[end] === "\\")
            end += 1;
        else if (path[end] === '"') {
            try {
                return [{ name: JSON.parse(path.slice(start, end + 1)), index: undefined }, end + 1];
            }
            catch {
                throw bad(path, `the quoted name at ${start} has a wrong escape`);
            }
        }
    }
    throw bad(path, `the quote at ${start} does not end`);
}
/** The value at a path, or undefined. */
export function getPath(root, path) {
    return parsePath(path).reduce(child, root);
}
/** A copy of the state with a value set; what does not change is shared with the original. */
export function withPath(root, path, value) {
    return set(root, parsePath(path), value, path);
}
/** A copy of the state without what is at a path; the same state when nothing is there. */
export function withoutPath(root, path) {
    return remove(root, parsePath(path), path);
}
function child(value, { name, index }) {
    if (Array.isArray(value))
        return index === undefined ? undefined : value[index];
    if (value === null || typeof value !== "object")
        return undefined;
    return Object.hasOwn(value, name) ? value[name] : undefined;
}
function set(into, [step, ...rest], value, path) {
    if (!step)
        return value;
    const place = into === undefined ? (step.index === undefined ? {} : []) : into;
    const inner = set(child(place, step), rest, value, path);
    if (Array.isArray(place)) {
        const index = indexOf(step, path);
        if (index > place.length)
            throw bad(path, `index ${index} is beyond the end of a list of ${place.length}`);
        return place.toSpliced(index, 1, inner);
    }
    if (place === null || typeof place !== "object")
        throw bad(path, `${JSON.stringify(step.name)} is looked for in a ${kindOf(place)}`);
    // A computed key defines: `__proto__` is a name like others here.
    return { ...place, [step.name]: inner };
}
function remove(from, [step, ...rest], path) {
    if (!step)
        return from;
    if (Array.isArray(from)) {
        const index = indexOf(step, path);
        const inner = from[index];
        if (inner === undefined)
            return from;
        return rest.length === 0 ? from.toSpliced(index, 1) : from.toSpliced(index, 1, remove(inner, rest, path));
    }
    if (from === null || typeof from !== "object")
        throw bad(path, `${JSON.stringify(step.name)} is looked for in a ${kindOf(from)}`);
    const inner = child(from, step);
    if (inner === undefined)
        return from;
    if (rest.length > 0)
        return { ...from, [step.name]: remove(inner, rest, path) };
    return Object.fromEntries(Object.entries(from).filter(([name]) => name !== step.name));
}
function indexOf({ name, index }, path) {
    if (index === undefined)
        throw bad(path, `${JSON.stringify(name)} is no index of a list`);
    return index;
}
function bad(path, why) {
    return new ContextureError("VALIDATION_FAILED", `The path ${JSON.stringify(path)} leads nowhere: ${why}.`, {
        remedy: 'Write names with dots between them, and names with dots in quotes: userPreferences."a.b".0',
    });
}
