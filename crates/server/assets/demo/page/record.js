import { byId, el } from "./dom.js";
import { fields } from "./rendered.js";
export function showRecords(list, read) {
    const dialog = byId("record", HTMLDialogElement);
    const body = byId("record-body", HTMLElement);
    byId("record-close", HTMLButtonElement).addEventListener("click", () => dialog.close());
    list.addEventListener("click", (event) => {
        const link = event.target instanceof HTMLAnchorElement ? event.target : undefined;
        const run = link?.dataset.run;
        // Another tab, when it is asked for, is the browser's matter.
        if (run === undefined || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0)
            return;
        event.preventDefault();
        body.replaceChildren(el("p", { class: "quiet" }, "Reading…"));
        dialog.showModal();
        read(run).then((found) => body.replaceChildren(fields(found)), (error) => body.replaceChildren(el("p", { class: "fault" }, error instanceof Error ? error.message : String(error))));
    });
}
