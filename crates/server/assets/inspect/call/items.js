/** The items of a prompt, with what was cut and why (IN-6, IN-7). */
import { api } from "../api.js";
import { Refused, useLoaded } from "../load.js";
import { count, size } from "../text/format.js";
import { Long } from "../text/show.js";
import { plain } from "../text/visible.js";
import { html, useState } from "../vendor/preact.js";
import { t } from "../words/words.js";
/** Hues that tell neighbouring items apart, beside their numbers. */
const HUES = 6;
export function hue(index) {
    return `hue-${index % HUES}`;
}
/** Leads a reader to where an item stands in the prompt. */
export function goTo(item) {
    const element = document.getElementById(`item-${item}`);
    element?.scrollIntoView({ block: "center" });
    element?.focus();
}
const REASONS = { item_budget: "cut_item_budget", prompt_budget: "cut_prompt_budget", plan_data: "cut_plan_data" };
/** Why an item is shorter than its value, in a sentence. */
export function reasonOf(cut) {
    const word = REASONS[cut.reason];
    const limit = cut.budget ? `${count(cut.budget.amount)} ${cut.budget.unit}` : "";
    const why = word ? t(word, { limit }) : plain(cut.reason);
    const lost = cut.left_out ? t("left_out") : t("removed", { n: count(cut.removed ?? 0) });
    const kept = cut.kept ? ` ${t("kept_of", { kept: count(cut.kept.kept), of: count(cut.kept.of) })}` : "";
    return `${lost} ${why}${kept}`;
}
/** The cuts of an item. */
export function Cuts({ item }) {
    if (!item.cuts?.length)
        return null;
    const before = `${item.tokens_before_exact === false ? "≈ " : ""}${count(item.tokens_before)}`;
    return html `
    <div class="cut"><span aria-hidden="true">✂</span> ${t("before_cut", { before, now: count(item.tokens) })}</div>
    <ul class="cut-reasons">${item.cuts.map((cut) => html `<li>${reasonOf(cut)}</li>`)}</ul>`;
}
/** The whole value of an item that was cut, fetched when it is asked for. */
export function Whole({ run, item }) {
    const [open, setOpen] = useState(false);
    return html `
    <button type="button" aria-expanded=${open} onClick=${() => setOpen(!open)}>${t(open ? "hide_value" : "show_value")}</button>
    ${open && html `<${Value} run=${run} digest=${item.value ?? ""} />`}`;
}
function Value({ run, digest }) {
    const [starts, setStarts] = useState([0]);
    const offset = starts.at(-1) ?? 0;
    const loaded = useLoaded((signal) => api.text(run, digest, offset, signal), [run, digest, offset]);
    if (loaded.error !== undefined)
        return html `<${Refused} error=${loaded.error} />`;
    const part = loaded.value;
    if (!part)
        return html `<p class="quiet" role="status">${t("loading_text")}</p>`;
    const { next } = part;
    const whole = part.offset === 0 && next === null;
    return html `
    ${!whole && html `<div class="parts">
      <p>${t("part_of", { from: size(part.offset), to: size(next ?? part.total), total: size(part.total) })}</p>
      <button type="button" disabled=${starts.length < 2} onClick=${() => setStarts((before) => before.slice(0, -1))}>${t("previous_part")}</button>
      <button type="button" disabled=${next === null} onClick=${() => next !== null && setStarts((before) => [...before, next])}>${t("next_part")}</button>
    </div>`}
    <div class="block cut-text"><${Long} text=${readable(part.text, whole)} /></div>`;
}
/** A value is kept as JSON: a text is shown as text, all else indented. A part of one is shown as it is. */
function readable(text, whole) {
    if (!whole)
        return text;
    try {
        const value = JSON.parse(text);
        return typeof value === "string" ? value : JSON.stringify(value, null, 2);
    }
    catch {
        return text;
    }
}
