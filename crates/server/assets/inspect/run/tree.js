/** The events of a run as the page has them so far: which are open, which rows are shown, what is critical (IN-5). */
export function nodeOf(event, depth) {
    return { event, depth, open: false, children: undefined, known: new Map(), next: undefined };
}
/** Adds a page of children to an event. One that was there stays as it is seen, open and with its children, and learns what is new. */
export function add(parent, events) {
    const children = parent.children ?? [];
    for (const event of events) {
        const child = parent.known.get(event.id);
        if (child) {
            child.event = event;
            continue;
        }
        const fresh = nodeOf(event, parent.depth + 1);
        parent.known.set(event.id, fresh);
        children.push(fresh);
    }
    parent.children = children.sort((a, b) => a.event.start_us - b.event.start_us || a.event.id - b.event.id);
}
/** The open events of whose children only some were fetched. */
export function unfetched(root) {
    const found = [];
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        if (!node.open)
            continue;
        if (node.next !== undefined)
            found.push(node);
        for (const child of node.children ?? [])
            if (child.open)
                waiting.push(child);
    }
    return found;
}
/** The rows that are shown, from the top. Works without recursion, as agents may call each other deeply. */
export function rowsOf(root) {
    const rows = [];
    const waiting = [{ kind: "event", node: root }];
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
        rows.push(row);
        if (row.kind === "more" || !row.node.open)
            continue;
        const { node } = row;
        if (node.children === undefined || node.next !== undefined)
            waiting.push({ kind: "more", parent: node });
        for (const child of (node.children ?? []).toReversed())
            waiting.push({ kind: "event", node: child });
    }
    return rows;
}
/** The end of an event; one under way ends at `now`. */
export function endOf(event, now) {
    return event.duration_us === null || event.duration_us === undefined ? Math.max(now, event.start_us) : event.start_us + event.duration_us;
}
/** The time that a tree covers: from its root's start to the last end that is known. */
export function extent(root) {
    const start = root.event.start_us;
    let end = endOf(root.event, start);
    const waiting = [...(root.children ?? [])];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        end = Math.max(end, endOf(node.event, node.event.start_us));
        if (isUnder(root.event))
            waiting.push(...(node.children ?? []));
    }
    return { start, end: Math.max(end, start + 1) };
}
/** Reports whether an event has no end: it runs, or its run was ended by force. */
export function isUnder(event) {
    return event.duration_us === null || event.duration_us === undefined;
}
/**
 * The ids of the events that the run waited for: from the end of an event backwards, the child that ended last before that moment,
 * then the one that ended last before that child began, and so on. Children that are not all fetched are left out.
 */
export function critical(root, now) {
    const found = new Set([root.event.id]);
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        if (node.children === undefined || node.next !== undefined)
            continue;
        // The times of a run in lists are rounded, so its last events may seem to end after it.
        let moment = Number.POSITIVE_INFINITY;
        for (const child of byEnd(node.children, now)) {
            if (endOf(child.event, now) > moment)
                continue;
            moment = child.event.start_us;
            found.add(child.event.id);
            waiting.push(child);
        }
    }
    return found;
}
/** Last end first. Events without a duration are moments: nothing waits for them. */
function byEnd(children, now) {
    return children.filter((child) => child.event.duration_us !== 0).sort((a, b) => endOf(b.event, now) - endOf(a.event, now));
}
