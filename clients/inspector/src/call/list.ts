/** The bar of tokens, and all items of a call in a table, those that gave way wholly too (IN-6, IN-7). */

import { count, place } from "../text/format.js";
import { Name } from "../text/show.js";
import { plain } from "../text/visible.js";
import type { Item, Manifest, Pack, Ranked } from "../types.js";
import { html, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { trusted } from "../views/parts.js";
import { Cuts, goTo, hue, Whole } from "./items.js";
import { layerName, used } from "./message.js";
import { shares, total, width, type Share } from "./tokens.js";

function nameOf(share: Share): string {
  if (share.kind === "layer") return layerName(share.name);
  if (share.kind === "tools") return t("tools");
  return share.kind === "rest" ? t("rest") : `${(share.index ?? 0) + 1} ${plain(share.name)}`;
}

function toneOf(share: Share): string {
  return share.kind === "item" ? hue(share.index ?? 0) : `share-${share.kind}`;
}

/** What the prompt is made of, against its budget. */
export function TokenBar({ manifest }: { readonly manifest: Manifest }): VNode {
  const all = shares(manifest);
  const percent = (tokens: number): string => `${((Math.max(0, tokens) / width(manifest)) * 100).toFixed(3)}%`;
  return html`
    <div class="tokens">
      <p>${manifest.max_input ? t("tokens_of", { tokens: count(total(manifest)), max: count(manifest.max_input) }) : t("tokens_without", { tokens: count(total(manifest)) })}
        ${manifest.model?.tokenizer_exact === false && html` <span class="quiet">${t("inexact", { tokenizer: manifest.model.tokenizer })}</span>`}</p>
      <div class="token-bar" aria-hidden="true">${all.map((share) => html`<span class="share ${toneOf(share)}" title=${`${nameOf(share)}: ${count(share.tokens)}`} style=${{ inlineSize: percent(share.tokens) }}>${share.kind === "item" && share.tokens / width(manifest) > 0.03 ? (share.index ?? 0) + 1 : ""}</span>`)}</div>
      <ul class="legend">${all.map((share) => html`<li><span class="swatch ${toneOf(share)}" aria-hidden="true">${share.kind === "item" ? (share.index ?? 0) + 1 : ""}</span> ${share.kind === "item" ? html`<${Name} text=${share.name} />` : nameOf(share)} <span class="number">${count(share.tokens)}</span></li>`)}</ul>
    </div>`;
}

/** What was cut, in a line, so that nobody has to look for it. */
export function CutLine({ items }: { readonly items: readonly Item[] }): Child {
  const cut = items.filter((item) => (item.cuts ?? []).length > 0);
  if (cut.length === 0) return null;
  return html`<p class="cut"><span aria-hidden="true">✂</span> ${t("cut_items")} ${cut.map((item, index) => html`${index > 0 && " · "}<span class="badge ${hue(item.index)}">${item.index + 1}</span> <${Name} text=${item.label ?? item.source} /> ${isGone(item) ? t("gone_wholly") : `−${count(removed(item))}`}`)}</p>`;
}

function removed(item: Item): number {
  return (item.cuts ?? []).reduce((sum, cut) => sum + (cut.removed ?? 0), 0);
}

/** Items: those of the prompt lead to their place in it. */
export function Items({ run, items }: { readonly run: string; readonly items: readonly Item[] }): VNode {
  const gone = items.filter(isGone);
  return html`
    <h2>${t("items")}</h2>
    ${items.length === 0 ? html`<p class="quiet">${t("no_items")}</p>` : html`<ul class="items">${items.map((item) => html`<${ItemRow} key=${item.index} run=${run} item=${item} />`)}</ul>`}
    ${items.length > 0 && html`<p class="quiet">${gone.length === 0 ? t("none_gave_way") : t("gave_way", { n: gone.length })}</p>`}`;
}

function isGone(item: Item): boolean {
  return (item.cuts ?? []).some((cut) => cut.left_out === true);
}

function ItemRow({ run, item }: { readonly run: string; readonly item: Item }): VNode {
  const gone = isGone(item);
  const go = (): void => goTo(item.index);
  const heading = html`<span class="badge ${hue(item.index)}">${item.index + 1}</span> <${Name} text=${item.label ?? item.source} />`;
  return html`
    <li class=${gone ? "gone" : ""}>
      ${item.span ? html`<button type="button" class="plain" data-row onClick=${go}>${heading}</button>` : html`<strong tabindex="-1" data-row>${heading}</strong>`}
      ${gone && html` <span class="tag bad">${t("gone_wholly")}</span>`}
      ${item.later && html` <span class="tag">${t("came_later")}</span>`}
      <div class="quiet"><${Name} text=${item.source} /> ${place(item.position) && html`· <code><${Name} text=${place(item.position)} /></code>`} · ${trusted(item.trust)}</div>
      ${(item.sources ?? []).length > 0 && html`<div class="quiet">${t("from")} ${(item.sources ?? []).map((one, index) => html`${index > 0 && ", "}<${Name} text=${one.source} /> (${trusted(one.trust)})`)}</div>`}
      <div>${used(item)}${item.score !== null && item.score !== undefined && ` · ${t("score")} ${count(item.score)}`}${item.priority ? ` · ${t("priority")} ${count(item.priority)}` : ""}</div>
      <${Cuts} item=${item} />
      ${item.value && (item.cuts ?? []).length > 0 && html`<${Whole} run=${run} item=${item} />`}
    </li>`;
}

/** What knowledge packs gave, and what questions selected and left out. */
export function Selected({ manifest }: { readonly manifest: Manifest }): Child {
  const packs = manifest.packs ?? [];
  const ranked = manifest.ranked ?? [];
  return html`
    ${packs.length > 0 && html`<h2>${t("packs")}</h2><ul class="items">${packs.map((pack) => html`<${PackRow} pack=${pack} />`)}</ul>`}
    ${ranked.length > 0 && html`<h2>${t("ranked")}</h2><ul class="items">${ranked.map((one) => html`<${RankedRow} ranked=${one} />`)}</ul>`}`;
}

function PackRow({ pack }: { readonly pack: Pack }): VNode {
  return html`<li><strong><${Name} text=${pack.name} /></strong> <span class="quiet"><${Name} text=${[pack.version, pack.status].filter(Boolean).join(" · ")} /></span>
    <div>${t("of_budget", { tokens: count(pack.tokens), budget: `${t("tokens_n", { n: count(pack.budget) })}` })}</div>
    ${(pack.warnings ?? []).map((warning) => html`<div class="cut"><span aria-hidden="true">⚠</span> <${Name} text=${warning} /></div>`)}</li>`;
}

function RankedRow({ ranked }: { readonly ranked: Ranked }): VNode {
  const rows = [...ranked.passages.map((one) => ({ one, shown: true })), ...(ranked.left_out.best ?? []).map((one) => ({ one, shown: false }))];
  return html`
    <li><strong><${Name} text=${ranked.label ?? ranked.source} /></strong> <${Name} text=${ranked.question} />
      <ol class="passages">${rows.map(({ one, shown }) => html`<li class=${shown ? "" : "gone"}><${Name} text=${one.text} />:${one.first_line}–${one.last_line} <${Name} text=${one.heading ?? ""} /> <span class="quiet">${t("score")} ${count(one.score)} · ${t("tokens_n", { n: count(one.tokens) })}${shown ? "" : ` · ${t("not_selected")}`}</span></li>`)}</ol>
      <p class="quiet">${t("left_out_of_question", { texts: count(ranked.left_out.texts), passages: count(ranked.left_out.passages) })}</p></li>`;
}
