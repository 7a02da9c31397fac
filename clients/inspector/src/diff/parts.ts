/** What differs in a model call of two runs, item by item (IN-8). */

import { call as callAddress } from "../address.js";
import { layerName } from "../call/message.js";
import { count, size } from "../text/format.js";
import { Long, Marked, Name } from "../text/show.js";
import type { CallDiff, Change, ItemDiff, LayerDiff, PartDiff } from "../types.js";
import { html, useState, type Child, type VNode } from "../vendor/preact.js";
import { t, type Word } from "../words/words.js";
import type { First } from "./first.js";

const CHANGES: Record<Change, readonly [sign: string, word: Word]> = {
  added: ["+", "change_added"], gone: ["−", "change_gone"], changed: ["≠", "change_changed"], cut_differently: ["✂", "change_cut"], same: ["=", "change_same"],
};

/** What the two sides of a difference are called. */
export type Names = readonly [Word, Word];

interface CallProps {
  readonly call: CallDiff;
  readonly left: string;
  /** Nothing for a run that is not kept. */
  readonly right?: string;
  readonly first: First | undefined;
  readonly names?: Names;
}

/** A model call of two runs, with its parts. */
export function CallPart({ call, left, right, first, names = ["left", "right"] }: CallProps): VNode {
  const items = call.items ?? [];
  const link = (run: string | undefined, number: number | null | undefined): Child => (typeof number === "number" && run !== undefined ? html`<a href=${callAddress(run, number)}>${t("call_number", { n: number })}</a>` : "–");
  return html`
    <section class="call-diff">
      <h2><${ChangeTag} change=${call.change} /> <${Name} text=${call.site} /></h2>
      <p class="quiet">${link(left, call.left)} → ${link(right, call.right)} · ${tokens(call.tokens)}${call.exact?.includes(false) && " ≈"}</p>
      ${call.models && html`<p>${t("model")}: <${Name} text=${call.models[0]} /> → <${Name} text=${call.models[1]} />${first && first.layer < 0 && first.item < 0 && html` <${FirstTag} />`}</p>`}
      <ul class="parts-list">
        ${(call.layers ?? []).map((layer: LayerDiff, index) => html`<${Part} part=${layer} name=${layerName(layer.name)} first=${first?.layer === index} names=${names} />`)}
        ${items.map((item: ItemDiff, index) => html`<${Part} part=${item} name=${item.label ?? item.source} source=${item.source} told=${tokens(item.tokens)} first=${first?.item === index} names=${names} />`)}
      </ul>
    </section>`;
}

function tokens([left, right]: readonly [number, number]): string {
  const now = t("tokens_n", { n: count(right) });
  return left === right ? now : `${count(left)} → ${now} (${right > left ? "+" : "−"}${count(Math.abs(right - left))})`;
}

function ChangeTag({ change }: { readonly change: Change }): VNode {
  const [sign, word] = Object.hasOwn(CHANGES, change) ? CHANGES[change] : CHANGES.changed;
  return html`<span class="change ${change}"><span aria-hidden="true">${sign}</span> ${t(word)}</span>`;
}

function FirstTag(): VNode {
  return html`<span class="tag first">${t("first_difference")}</span>`;
}

interface PartProps {
  readonly part: PartDiff;
  readonly name: string;
  readonly source?: string;
  readonly told?: string;
  readonly first: boolean;
  readonly names: Names;
}

/** An item or a layer; one that differs opens to both texts. */
function Part({ part, name, source, told, first, names }: PartProps): VNode {
  const [open, setOpen] = useState(first);
  const line = html`<${ChangeTag} change=${part.change} /> <strong><${Name} text=${name} /></strong> ${source !== undefined && source !== name && html`<span class="quiet"><${Name} text=${source} /></span>`} <span class="quiet">${told ?? ""}</span>${first && html` <${FirstTag} />`}`;
  if (part.left === undefined && part.right === undefined) return html`<li class=${part.change}>${line}</li>`;
  return html`
    <li class=${part.change}>
      <button type="button" class="plain" data-row aria-expanded=${open} onClick=${() => setOpen(!open)}><span aria-hidden="true">${open ? "▾" : "▸"}</span> ${line}</button>
      ${open && html`<div class="beside"><${Text} text=${part.left} words=${part.words} bytes=${part.left_bytes} name=${names[0]} side="-" /><${Text} text=${part.right} words=${part.words} bytes=${part.right_bytes} name=${names[1]} side="+" /></div>`}
    </li>`;
}

interface TextProps {
  readonly text: string | null | undefined;
  readonly words: PartDiff["words"];
  readonly bytes: number | undefined;
  readonly name: Word;
  readonly side: "-" | "+";
}

function Text({ text, words, bytes, name, side }: TextProps): VNode {
  const missing = bytes === undefined ? t("not_there") : t("too_long", { size: size(bytes) });
  return html`<div><h3>${t(name)}</h3>${typeof text === "string" ? html`<div class="block">${words ? html`<${Marked} words=${words} side=${side} />` : html`<${Long} text=${text} />`}</div>` : html`<p class="quiet">${missing}</p>`}</div>`;
}
