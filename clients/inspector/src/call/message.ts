/** A message as it was sent, with a note beside each item and layer where it stands (IN-6). */

import { budget, count, place, size } from "../text/format.js";
import { Long, Name } from "../text/show.js";
import { byteLength } from "../text/bytes.js";
import { plain } from "../text/visible.js";
import type { Item, Message, Prompt, TextPart } from "../types.js";
import { html, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { trusted } from "../views/parts.js";
import { hue, Cuts } from "./items.js";
import { PartedText } from "./parted.js";
import { lines, regionsOf, segments, type Region, type Segment } from "./regions.js";

export function MessageView({ run, prompt, index }: { readonly run: string; readonly prompt: Prompt; readonly index: number }): Child {
  const message = prompt.messages[index];
  if (!message) return null;
  const regions = regionsOf(prompt, index);
  return html`
    <section class="message" aria-label=${t("message", { n: index + 1, role: message.role })}>
      <h3><span class="role"><${Name} text=${message.role} /></span> <span class="quiet">${t("tokens_n", { n: count(message.tokens) })} · ${size(message.bytes ?? byteLength(message.text ?? ""))}</span></h3>
      ${message.text === null ? html`<${Parts} run=${run} message=${message} regions=${regions} />` : html`<${Text} text=${message.text} regions=${regions} offset=${0} />`}
    </section>`;
}

/** A text that is too long for one answer: a part of it at a time. */
function Parts({ run, message, regions }: { readonly run: string; readonly message: Message; readonly regions: readonly Region[] }): VNode {
  const jump = (go: (offset: number) => void) => (event: Event): void => {
    const region = regions[Number((event.target as HTMLSelectElement).value)];
    if (region) go(region.start);
  };
  const ways = (go: (offset: number) => void): Child => regions.length > 0 && html`<label class="choice">${t("jump_to")} <select value="" onChange=${jump(go)}><option value="">–</option>${regions.map((region, index) => html`<option value=${index}>${nameOf(region)}</option>`)}</select></label>`;
  return html`<${PartedText} run=${run} digest=${message.digest ?? ""} ways=${ways}>${(part: TextPart) => html`<${Text} text=${part.text} regions=${regions} offset=${part.offset} />`}</>`;
}

function nameOf(region: Region): string {
  return region.kind === "item" ? `${region.item.index + 1} ${plain(region.item.label ?? region.item.source)}` : layerName(region.layer.name);
}

export function layerName(name: string): string {
  if (name === "identity") return t("layer_identity");
  if (name === "instruction") return t("layer_instruction");
  return name === "contract" ? t("layer_contract") : plain(name);
}

function Text({ text, regions, offset }: { readonly text: string; readonly regions: readonly Region[]; readonly offset: number }): VNode {
  return html`<div class="sent">${lines(segments(text, regions, offset)).map((line) => html`<${Row} segments=${line.segments} />`)}</div>`;
}

function Row({ segments: parts }: { readonly segments: readonly Segment[] }): VNode {
  const begun = parts.flatMap((part) => (part.first && part.region ? [part.region] : []));
  return html`
    <div class="sent-row">
      <div class="sent-text" dir="auto">${parts.map((part) => html`<${Part} segment=${part} />`)}</div>
      <div class="notes">${begun.map((region) => html`<${Note} region=${region} />`)}</div>
    </div>`;
}

function Part({ segment }: { readonly segment: Segment }): VNode {
  const { region } = segment;
  if (!region) return html`<span class="glue"><${Long} text=${segment.text} /></span>`;
  if (region.kind === "layer") return html`<span class="of-layer"><${Long} text=${segment.text} /></span>`;
  const id = segment.first ? `item-${region.item.index}` : undefined;
  return html`<span class="of-item ${hue(region.item.index)} ${region.item.trust === "program" ? "" : "untrusted"}" id=${id} tabindex=${id ? "-1" : undefined}><${Long} text=${segment.text} /></span>`;
}

function Note({ region }: { readonly region: Region }): VNode {
  if (region.kind === "layer") return html`<div class="margin-note layer-note"><strong>${layerName(region.layer.name)}</strong> <span class="quiet">${t("tokens_n", { n: count(region.layer.tokens) })}</span></div>`;
  return html`<${ItemNote} item=${region.item} />`;
}

function ItemNote({ item }: { readonly item: Item }): VNode {
  return html`
    <div class="margin-note ${hue(item.index)}">
      <div><span class="badge ${hue(item.index)}">${item.index + 1}</span> <strong><${Name} text=${item.label ?? item.source} /></strong></div>
      <div class="quiet">${item.label ? html`<${Name} text=${item.source} /> · ` : ""}<${Name} text=${place(item.position)} /></div>
      <div>${trusted(item.trust)}</div>
      <div>${used(item)}</div>
      <${Cuts} item=${item} />
    </div>`;
}

/** The tokens of an item against its budget. */
export function used(item: Item): string {
  if (!item.budget) return `${t("tokens_n", { n: count(item.tokens) })}`;
  return t("of_budget", { tokens: count(item.tokens), budget: budget(item.budget) });
}
