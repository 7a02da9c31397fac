/** What the tokens of a run went to: a picture whose areas are tokens, and the same as a table (IN-7). */

import { api } from "../api.js";
import { useLoaded, Waiting } from "../load.js";
import { count } from "../text/format.js";
import { plain } from "../text/visible.js";
import { Name } from "../text/show.js";
import type { RunTokens, TokenPart } from "../types.js";
import { html, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { layerName } from "../call/message.js";
import { hue } from "../call/items.js";

const BY = ["label", "source", "line"] as const;
type By = (typeof BY)[number];

/** A tile has its name where there is room for it, in hundredths of the picture. */
const ROOM = { width: 8, height: 12 };

export function Shares({ run }: { readonly run: string }): VNode {
  const [by, setBy] = useState<By>("label");
  const tokens = useLoaded((signal) => api.tokens(run, by, signal), [run, by]);
  const choose = (event: Event): void => setBy((event.target as HTMLSelectElement).value as By);
  return html`
    <details class="shares">
      <summary>${t("tokens_title")}</summary>
      <label class="choice">${t("tokens_by")} <select value=${by} onChange=${choose}>${BY.map((one) => html`<option value=${one}>${t(`by_${one}`)}</option>`)}</select></label>
      <${Waiting} loaded=${tokens} what="loading_tokens">${(value: RunTokens) => (value.calls === 0 ? html`<p class="quiet">${t("no_calls_here")}</p>` : html`<${Picture} tokens=${value} />`)}</>
    </details>`;
}

function nameOf(part: TokenPart): string {
  if (part.kind === "layer") return layerName(part.name);
  if (part.kind === "tools") return t("tools");
  return part.kind === "rest" ? t("rest") : plain(part.name);
}

function toneOf(part: TokenPart, index: number): string {
  return part.kind === "item" ? hue(index) : `share-${part.kind}`;
}

function Picture({ tokens }: { readonly tokens: RunTokens }): VNode {
  const share = (part: TokenPart): string => `${((part.tokens / Math.max(1, tokens.total)) * 100).toFixed(1)} %`;
  return html`
    <div class="treemap" aria-hidden="true">${tokens.parts.map((part, index) => tile(part, index, `${nameOf(part)}: ${count(part.tokens)}, ${share(part)}`))}</div>
    <div class="scroll" tabindex="0" role="group" aria-label=${t("tokens_title")}><table class="sums">
      <thead><tr><th scope="col">${t("part")}</th><th scope="col" class="calls">${t("prompts")}</th><th scope="col" class="calls">${t("tokens_unit")}</th><th scope="col" class="calls">%</th></tr></thead>
      <tbody>${tokens.parts.map((part, index) => html`<tr><th scope="row"><span class="swatch ${toneOf(part, index)}" aria-hidden="true"></span> ${part.kind === "item" ? html`<${Name} text=${part.name} />` : nameOf(part)}</th><td class="calls">${count(part.calls)}</td><td class="calls">${count(part.tokens)}</td><td class="calls">${share(part)}</td></tr>`)}</tbody>
      <tfoot><tr><th scope="row">${t("sum")}</th><td class="calls">${count(tokens.calls)}</td><td class="calls">${count(tokens.total)}</td><td class="calls">100 %</td></tr></tfoot>
    </table></div>`;
}

function tile(part: TokenPart, index: number, told: string): Child {
  const { tile } = part;
  if (!tile) return null;
  const place = { insetInlineStart: `${tile.x}%`, insetBlockStart: `${tile.y}%`, inlineSize: `${tile.width}%`, blockSize: `${tile.height}%` };
  return html`<div class="tile ${toneOf(part, index)}" style=${place} title=${told}>${tile.width > ROOM.width && tile.height > ROOM.height && nameOf(part)}</div>`;
}
