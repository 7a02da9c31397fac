/** The keys of every view (IN-16): rows are the elements with `data-row`, in the order of the page. */
/** The focused row, else the row that the focused element is in. */
function current(rows) {
    const active = document.activeElement;
    return rows.findIndex((row) => row === active || row.contains(active));
}
/** Moves the focus by rows; from outside of the rows it goes to the first or the last one. */
export function move(by) {
    const rows = [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent !== null);
    const at = current(rows);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
    const row = rows[next];
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
}
/** Reports whether keys belong to the focused element, as it takes text. */
export function typing() {
    const active = document.activeElement;
    if (active instanceof HTMLInputElement)
        return !["checkbox", "radio", "button", "submit"].includes(active.type);
    return active instanceof HTMLTextAreaElement || active instanceof HTMLSelectElement;
}
