/** The items of a prompt, with what was cut and why (IN-6, IN-7). */

import { budget, count } from "../text/format.js";
import { Long } from "../text/show.js";
import { plain } from "../text/visible.js";
import type { Cut, Item, TextPart } from "../types.js";
import { html, useState, type Child, type VNode } from "../vendor/preact.js";
import { t, type Word } from "../words/words.js";
import { PartedText } from "./parted.js";

/** Hues that tell neighbouring items apart, beside their numbers. */
const HUES = 6;

export function hue(index: number): string {
  return `hue-${index % HUES}`;
}

/** Leads a reader to where an item stands in the prompt. */
export function goTo(item: number): void {
  const element = document.getElementById(`item-${item}`);
  element?.scrollIntoView({ block: "center" });
  element?.focus();
}

const REASONS: Record<string, Word> = { item_budget: "cut_item_budget", prompt_budget: "cut_prompt_budget", plan_data: "cut_plan_data" };

/** Why an item is shorter than its value, in a sentence. */
export function reasonOf(cut: Cut): string {
  const word = REASONS[cut.reason];
  const limit = cut.budget ? budget(cut.budget) : "";
  const why = word ? t(word, { limit }) : plain(cut.reason);
  const lost = cut.left_out ? t("left_out") : t("removed", { n: count(cut.removed ?? 0) });
  const kept = cut.kept ? ` ${t("kept_of", { kept: count(cut.kept.kept), of: count(cut.kept.of) })}` : "";
  return `${lost} ${why}${kept}`;
}

/** The cuts of an item. */
export function Cuts({ item }: { readonly item: Item }): Child {
  if (!item.cuts?.length) return null;
  const before = `${item.tokens_before_exact === false ? "≈ " : ""}${count(item.tokens_before)}`;
  return html`
    <div class="cut"><span aria-hidden="true">✂</span> ${t("before_cut", { before, now: count(item.tokens) })}</div>
    <ul class="cut-reasons">${item.cuts.map((cut) => html`<li>${reasonOf(cut)}</li>`)}</ul>`;
}

/** The whole value of an item that was cut, fetched when it is asked for. */
export function Whole({ run, item }: { readonly run: string; readonly item: Item }): VNode {
  const [open, setOpen] = useState(false);
  return html`
    <button type="button" aria-expanded=${open} onClick=${() => setOpen(!open)}>${t(open ? "hide_value" : "show_value")}</button>
    ${open && html`<${PartedText} run=${run} digest=${item.value ?? ""}>${(part: TextPart) => html`<div class="block cut-text"><${Long} text=${readable(part)} /></div>`}</>`}`;
}

/** A value is kept as JSON: a text is shown as text, all else indented. A part of one is shown as it is. */
function readable({ text, offset, next }: TextPart): string {
  if (offset > 0 || next !== null) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}
