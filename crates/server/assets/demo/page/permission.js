import { byId, readable } from "./dom.js";
export function permissionDialog() {
    const dialog = byId("permission", HTMLDialogElement);
    const title = byId("permission-title", HTMLElement);
    const prompt = byId("permission-prompt", HTMLElement);
    const details = byId("permission-details", HTMLElement);
    const allow = byId("allow", HTMLButtonElement);
    const refuse = byId("refuse", HTMLButtonElement);
    return (request) => new Promise((resolve) => {
        title.textContent = request.tool.name;
        prompt.textContent = request.prompt;
        details.textContent = readable({ tool: request.tool.toolId, description: request.tool.description, parameters: request.call.parameters });
        const answered = new AbortController();
        const answer = (granted) => {
            answered.abort();
            dialog.close();
            resolve(granted);
        };
        const { signal } = answered;
        allow.addEventListener("click", () => answer(true), { signal });
        refuse.addEventListener("click", () => answer(false), { signal });
        dialog.addEventListener("cancel", () => answer(false), { signal });
        request.signal.addEventListener("abort", () => answer(false), { signal });
        dialog.showModal();
        // Enter pressed in passing must not allow anything.
        refuse.focus();
    });
}
