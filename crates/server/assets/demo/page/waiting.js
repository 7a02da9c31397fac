import { byId, el } from "./dom.js";
/** Milliseconds between two looks, and the most waits that are shown. */
const EVERY = 5_000;
const SHOWN = 20;
const KINDS = { CALL: "asks for a result", PERMISSION: "asks for permission" };
/** Shows what waits as long as the client is not closed. */
export function showWaits(client) {
    const section = byId("waiting", HTMLElement);
    const list = byId("waits", HTMLElement);
    const fault = byId("waits-fault", HTMLElement);
    const answering = answerDialog();
    const look = async () => {
        if (client.state !== "open" || document.hidden)
            return;
        const { waits, next } = await client.waits.list({ limit: SHOWN });
        section.hidden = waits.length === 0;
        const more = typeof next !== "number" ? [] : [el("li", { class: "quiet" }, "And more, which follow.")];
        list.replaceChildren(...waits.map(row), ...more);
    };
    const attempt = async (work) => {
        try {
            await work();
            fault.textContent = "";
        }
        catch (error) {
            fault.textContent = error instanceof Error ? error.message : String(error);
        }
    };
    const row = (wait) => {
        const act = (word, work) => {
            const button = el("button", { type: "button" }, word);
            // The list is as it is afterwards also when somebody else was first.
            button.addEventListener("click", () => void attempt(work).then(() => look().catch(() => { })));
            return button;
        };
        const allow = (allowed) => () => client.waits.answer(wait, { status: "SUCCESS", result: { allowed } });
        const answers = wait.kind === "PERMISSION"
            ? [act("Allow", allow(true)), act("Don’t allow", allow(false))]
            : [act("Answer", async () => {
                    const result = await answering(wait);
                    if (result !== undefined)
                        await client.waits.answer(wait, result);
                })];
        const until = new Date(wait.expires).toLocaleString();
        return el("li", { "data-call": wait.callId }, el("p", {}, el("code", {}, wait.callId), ` ${KINDS[wait.kind]}`), el("p", { class: "quiet" }, `of ${wait.client}, in ${wait.contextId}, until ${until}`), el("p", { class: "acts" }, ...answers, act("Cancel", () => client.waits.cancel(wait))));
    };
    const timer = setInterval(() => void look().catch(() => { }), EVERY);
    client.on("state", (state) => {
        if (state === "closed")
            clearInterval(timer);
        else
            void look().catch(() => { });
    });
}
/** Asks for the result of a call as JSON; `undefined` when it is closed. */
function answerDialog() {
    const dialog = byId("answer", HTMLDialogElement);
    const title = byId("answer-title", HTMLElement);
    const text = byId("answer-text", HTMLTextAreaElement);
    const fault = byId("answer-fault", HTMLElement);
    return (wait) => new Promise((resolve) => {
        title.textContent = `The result of ${wait.callId}`;
        fault.textContent = "";
        const answered = new AbortController();
        const { signal } = answered;
        const done = (result) => {
            answered.abort();
            dialog.close();
            resolve(result);
        };
        const give = (event) => {
            event.preventDefault();
            try {
                done({ status: "SUCCESS", result: JSON.parse(text.value) });
            }
            catch (error) {
                fault.textContent = error instanceof Error ? error.message : String(error);
            }
        };
        byId("answer-form", HTMLFormElement).addEventListener("submit", give, { signal });
        byId("answer-close", HTMLButtonElement).addEventListener("click", () => done(undefined), { signal });
        dialog.addEventListener("cancel", () => done(undefined), { signal });
        dialog.showModal();
    });
}
