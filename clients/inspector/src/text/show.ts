/** Texts in the page. Whatever a record holds enters it as text nodes, here and nowhere else (IN-15). */

import type { WordPart } from "../types.js";
import { html, useState, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { count } from "./format.js";
import { pieces } from "./visible.js";

/** Characters of a text that are shown before its reader asks for the rest. */
const FIRST = 4_000;

function shown(text: string): unknown[] {
  return pieces(text).map((piece) => (piece.sign ? html`<span class="sign">${piece.text}</span>` : piece.text));
}

/** A name or a line of somebody: turns nothing around it. */
export function Name({ text }: { readonly text: string }): VNode {
  return html`<bdi>${shown(text)}</bdi>`;
}

/** The part of a text that ends before `end`, without half a character. */
function head(text: string, end: number): string {
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? end - 1 : end);
}

/** A text within a line or a block that keeps its own line ends; a long one is opened by its reader. */
export function Long({ text }: { readonly text: string }): VNode {
  const [open, setOpen] = useState(false);
  if (open || text.length <= FIRST * 1.25) return html`<bdi class="long" dir="auto">${shown(text)}</bdi>`;
  const first = head(text, FIRST);
  return html`<bdi class="long" dir="auto">${shown(first)}</bdi><button type="button" class="more" onClick=${() => setOpen(true)}>${t("more_characters", { n: count(text.length - first.length) })}</button>`;
}

/** One side of two texts, with the words marked that the other one does not have. */
export function Marked({ words, side }: { readonly words: readonly WordPart[]; readonly side: "-" | "+" }): VNode {
  const own = words.filter((part) => part.side === "=" || part.side === side);
  return html`<bdi class="long" dir="auto">${own.map((part) => (part.side === "=" ? shown(part.text) : html`<mark>${shown(part.text)}</mark>`))}</bdi>`;
}

/** A block of text as it is. */
export function Block({ text, label }: { readonly text: string; readonly label: string }): VNode {
  return html`<div class="block" role="group" aria-label=${label}><${Long} text=${text} /></div>`;
}
