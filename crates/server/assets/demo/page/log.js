import { el, readable } from "./dom.js";
import { MarkdownView, fields } from "./rendered.js";
const STATUS = { asking: "waits for you", running: "works", SUCCESS: "done", ERROR: "failed", TIMEOUT: "too late" };
export class Log {
    #list;
    #welcome;
    #calls = new Map();
    #atEnd = true;
    constructor(list, welcome) {
        this.#list = list;
        this.#welcome = welcome;
        // Who reads further up is left there; who is at the end stays at the end.
        list.addEventListener("scroll", () => {
            this.#atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
        });
    }
    clear() {
        this.#calls.clear();
        this.#list.replaceChildren(this.#welcome);
        this.#welcome.hidden = false;
    }
    user(text) {
        this.#atEnd = true;
        this.#add(message("user", "You", text));
    }
    agent(text, metadata) {
        this.answer().finish(text, metadata);
    }
    notice(text) {
        this.#add(el("p", { class: "notice", dir: "auto" }, text));
    }
    /** An answer that grows; it stays below the tools that work for it. */
    answer() {
        const article = message("agent", "Agent", "");
        article.setAttribute("aria-busy", "true");
        const body = article.querySelector(".text") ?? article;
        const view = new MarkdownView(body, () => this.#follow());
        const show = () => {
            if (!article.isConnected)
                this.#add(article);
            this.#follow();
        };
        return {
            append: (piece) => {
                view.append(piece);
                show();
            },
            finish: (text, metadata) => {
                article.removeAttribute("aria-busy");
                const { value, run, error } = metadata ?? {};
                const { text: own, ...rest } = isObject(value) && !Array.isArray(value) ? value : {};
                const isBeside = typeof own === "string" && own === text;
                view.finish(isObject(value) && !isBeside ? "" : text);
                if (isObject(value) && !isBeside)
                    body.append(fields(value));
                else if (Object.keys(rest).length > 0)
                    body.append(fields(rest));
                if (isObject(error) && typeof error.message === "string")
                    article.append(fault(error.message));
                article.append(...record(run));
                if (text !== "" || body.hasChildNodes())
                    show();
            },
            fail: (error) => {
                article.removeAttribute("aria-busy");
                view.finish(view.text);
                if (view.text === "")
                    body.remove();
                article.append(fault(`${error.message} ${error.remedy}`.trim()), ...record(isObject(error.details) ? error.details.run : undefined));
                show();
            },
        };
    }
    /** Shows a call, or what became of it. */
    call(view) {
        const card = this.#calls.get(view.callId) ?? this.#card(view);
        const { result } = view;
        const state = result?.status ?? (view.status === "done" ? "SUCCESS" : view.status);
        card.dataset.status = state.toLowerCase();
        const status = card.querySelector(".status");
        if (status)
            status.textContent = STATUS[state];
        if (result) {
            card.querySelector(".why")?.remove();
            if (result.error)
                card.querySelector(".head")?.after(el("p", { class: "why", dir: "auto" }, result.error.message));
            const facts = card.querySelector("pre");
            if (facts)
                facts.textContent = readable({ parameters: view.parameters, ...(result.result === undefined ? {} : { result: result.result }), ...(result.error ? { error: result.error } : {}) });
        }
        this.#follow();
        return card;
    }
    /** Shows a picture, in a call's card or on its own. */
    picture(canvas, description, callId) {
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", description);
        const figure = el("figure", { class: "picture" }, canvas, el("figcaption", { dir: "auto" }, description));
        const card = callId === undefined ? undefined : this.#calls.get(callId);
        if (card)
            card.append(figure);
        else
            this.#add(figure);
        this.#follow();
    }
    #card(view) {
        const head = el("div", { class: "head" }, el("span", { class: "name" }, view.title ?? view.name), ...(view.title === undefined ? [] : [el("code", { class: "quiet" }, view.name)]), el("span", { class: "status" }));
        const details = el("details", {}, el("summary", {}, "Details"), el("pre", {}, readable({ parameters: view.parameters })));
        const card = el("article", { class: "call", "data-call": view.callId, "data-tool": view.name, "aria-label": `Tool ${view.name}` }, head, details);
        this.#calls.set(view.callId, card);
        this.#add(card);
        return card;
    }
    #add(element) {
        this.#welcome.hidden = true;
        this.#list.append(element);
        this.#follow();
    }
    #follow() {
        if (this.#atEnd)
            this.#list.scrollTop = this.#list.scrollHeight;
    }
}
function isObject(value) {
    return typeof value === "object" && value !== null;
}
function fault(text) {
    return el("p", { class: "fault", dir: "auto" }, text);
}
/** A link to the record of a run. What a set did is recorded under ids of another form, and shown elsewhere. */
function record(run) {
    if (typeof run !== "string" || !/^[a-z0-9]{1,40}$/.test(run))
        return [];
    return [el("a", { class: "record", href: `/v1/runs/${run}`, "data-run": run }, "Record")];
}
function message(kind, who, text) {
    return el("article", { class: `message ${kind}` }, el("span", { class: "who" }, who), el("div", { class: "text", dir: "auto" }, text));
}
