/** What differs between two runs, call by call and item by item (IN-8). */
import { api } from "../api.js";
import { call as callAddress, run as runAddress, runs } from "../address.js";
import { layerName } from "../call/message.js";
import { firstOf } from "../diff/first.js";
import { useLoaded, Waiting } from "../load.js";
import { count, size, time } from "../text/format.js";
import { Long, Marked, Name } from "../text/show.js";
import { html, useState } from "../vendor/preact.js";
import { t } from "../words/words.js";
const CHANGES = {
    added: ["+", "change_added"], gone: ["−", "change_gone"], changed: ["≠", "change_changed"], cut_differently: ["✂", "change_cut"], same: ["=", "change_same"],
};
export function DiffView({ left, right }) {
    const diff = useLoaded((signal) => api.diff(left, right, signal), [left, right]);
    return html `
    <section data-view="diff">
      <p class="path"><a href=${runs()}>${t("runs")}</a></p>
      <h1>${t("differences")}</h1>
      <div class="sides"><${Side} run=${left} name="left" /><${Side} run=${right} name="right" /></div>
      <${Waiting} loaded=${diff} what="loading_diff">${(value) => html `<${Calls} calls=${value.calls} left=${left} right=${right} />`}</>
    </section>`;
}
function Side({ run, name }) {
    const head = useLoaded((signal) => api.run(run, signal), [run]);
    const known = head.value ?? { run };
    return html `<div class="side-of"><strong>${t(name)}</strong> <a data-row href=${runAddress(run)}><${Name} text=${known.program ?? run} /></a> <span class="quiet">${known.start ? time(known.start) : ""} <${Name} text=${run} /></span></div>`;
}
function Calls({ calls, left, right }) {
    const first = firstOf(calls);
    if (calls.length === 0)
        return html `<p class="quiet">${t("no_calls")}</p>`;
    return html `
    <p class="lead" role="status">${first ? t("differ_at", { site: calls[first.call]?.site ?? "" }) : t("no_difference")}</p>
    ${calls.map((call, index) => html `<${CallPart} call=${call} left=${left} right=${right} first=${first?.call === index ? first : undefined} />`)}`;
}
function CallPart({ call, left, right, first }) {
    const items = call.items ?? [];
    const link = (run, number) => (typeof number === "number" ? html `<a href=${callAddress(run, number)}>${t("call_number", { n: number })}</a>` : "–");
    return html `
    <section class="call-diff">
      <h2><${ChangeTag} change=${call.change} /> <${Name} text=${call.site} /></h2>
      <p class="quiet">${link(left, call.left)} → ${link(right, call.right)} · ${tokens(call.tokens)}${call.exact?.includes(false) && " ≈"}</p>
      ${call.models && html `<p>${t("model")}: <${Name} text=${call.models[0]} /> → <${Name} text=${call.models[1]} />${first && first.layer < 0 && first.item < 0 && html ` <${FirstTag} />`}</p>`}
      <ul class="parts-list">
        ${(call.layers ?? []).map((layer, index) => html `<${Part} part=${layer} name=${layerName(layer.name)} first=${first?.layer === index} />`)}
        ${items.map((item, index) => html `<${Part} part=${item} name=${item.label ?? item.source} source=${item.source} told=${tokens(item.tokens)} first=${first?.item === index} />`)}
      </ul>
    </section>`;
}
function tokens([left, right]) {
    const unit = t("tokens_unit");
    return left === right ? `${count(left)} ${unit}` : `${count(left)} → ${count(right)} ${unit} (${right > left ? "+" : "−"}${count(Math.abs(right - left))})`;
}
function ChangeTag({ change }) {
    const [sign, word] = Object.hasOwn(CHANGES, change) ? CHANGES[change] : CHANGES.changed;
    return html `<span class="change ${change}"><span aria-hidden="true">${sign}</span> ${t(word)}</span>`;
}
function FirstTag() {
    return html `<span class="tag first">${t("first_difference")}</span>`;
}
/** An item or a layer; one that differs opens to both texts. */
function Part({ part, name, source, told, first }) {
    const [open, setOpen] = useState(first);
    const line = html `<${ChangeTag} change=${part.change} /> <strong><${Name} text=${name} /></strong> ${source !== undefined && source !== name && html `<span class="quiet"><${Name} text=${source} /></span>`} <span class="quiet">${told ?? ""}</span>${first && html ` <${FirstTag} />`}`;
    if (part.left === undefined && part.right === undefined)
        return html `<li class=${part.change}>${line}</li>`;
    return html `
    <li class=${part.change}>
      <button type="button" class="plain" data-row aria-expanded=${open} onClick=${() => setOpen(!open)}><span aria-hidden="true">${open ? "▾" : "▸"}</span> ${line}</button>
      ${open && html `<div class="beside"><${Text} text=${part.left} words=${part.words} bytes=${part.left_bytes} name="left" /><${Text} text=${part.right} words=${part.words} bytes=${part.right_bytes} name="right" /></div>`}
    </li>`;
}
function Text({ text, words, bytes, name }) {
    const missing = bytes === undefined ? t("not_there") : t("too_long", { size: size(bytes) });
    return html `<div><h3>${t(name)}</h3>${typeof text === "string" ? html `<div class="block">${words ? html `<${Marked} words=${words} side=${name === "left" ? "-" : "+"} />` : html `<${Long} text=${text} />`}</div>` : html `<p class="quiet">${missing}</p>`}</div>`;
}
