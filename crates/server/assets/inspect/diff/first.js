/** Where two runs first differ: everything after it may follow from it (IN-8). Pure. */
/** The first part that differs. Layers come before items, as they do in a prompt. */
export function firstOf(calls) {
    for (const [call, one] of calls.entries()) {
        if (one.change === "same")
            continue;
        const layer = (one.layers ?? []).findIndex(differs);
        const item = layer >= 0 ? -1 : (one.items ?? []).findIndex(differs);
        return { call, layer, item };
    }
    return undefined;
}
function differs(part) {
    return part.change !== "same";
}
