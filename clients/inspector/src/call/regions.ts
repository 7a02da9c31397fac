/** Where items and layers stand in the text of a message (IN-3, IN-6). Pure. */

import { indices } from "../text/bytes.js";
import type { Item, Layer, Prompt } from "../types.js";

/** An item or a layer with its place, in bytes of its message. */
export type Region = { readonly start: number; readonly end: number } & ({ readonly kind: "item"; readonly item: Item } | { readonly kind: "layer"; readonly layer: Layer });

/** A part of a text that is of one region, of the innermost where they are nested, or of none. */
export interface Segment {
  readonly text: string;
  readonly region: Region | undefined;
  /** True where the region begins here, so that it is named once. */
  readonly first: boolean;
}

/** Segments between two line ends: beside them stand the notes of the regions that begin there. */
export interface Line {
  readonly segments: readonly Segment[];
}

/** The regions of a message, in order. */
export function regionsOf(prompt: Prompt, message: number): Region[] {
  const items = (prompt.items ?? []).flatMap((item): Region[] => (item.span && item.span.message === message ? [{ kind: "item", item, start: item.span.start, end: item.span.end }] : []));
  const layers = (prompt.layers ?? []).flatMap((layer): Region[] => (layer.span && layer.span.message === message ? [{ kind: "layer", layer, start: layer.span.start, end: layer.span.end }] : []));
  return [...items, ...layers].sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Splits a text whose first byte is `offset` of its message where regions begin and end. */
export function segments(text: string, regions: readonly Region[], offset = 0): Segment[] {
  const inside = regions.map((region) => ({ region, start: Math.max(0, region.start - offset), end: region.end - offset })).filter(({ start, end, region }) => end > start && region.start - offset <= text.length * 4);
  const bytes = [...new Set(inside.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
  const at = new Map(indices(text, bytes).map((index, position) => [bytes[position] ?? 0, index]));
  const cuts = [...new Set([0, ...at.values(), text.length])].sort((a, b) => a - b);
  const placed = inside.map(({ region, start, end }) => ({ region, from: at.get(start) ?? 0, to: at.get(end) ?? 0 }));
  const named = new Set<Region>();
  return cuts.slice(0, -1).map((cut, index) => {
    const end = cuts[index + 1] ?? text.length;
    const region = placed.filter(({ from, to }) => from <= cut && to >= end).at(-1)?.region;
    const first = region !== undefined && !named.has(region);
    if (region) named.add(region);
    return { text: text.slice(cut, end), region, first };
  });
}

/** Puts segments together that share a line, so that each row of the page begins and ends where a line does, and an item that has whole lines has a row of its own. */
export function lines(parts: readonly Segment[]): Line[] {
  const rows: Segment[][] = [];
  let ended = true;
  for (const part of parts.flatMap((one, index) => divided(one, index > 0, index < parts.length - 1))) {
    if (ended) rows.push([part]);
    else rows.at(-1)?.push(part);
    ended = part.text.endsWith("\n");
  }
  return rows.map((row) => ({ segments: row }));
}

/** Divides text of no region where its first line ends, which belongs to what is before it, and where its last line begins. */
function divided(part: Segment, isAfter: boolean, isBefore: boolean): Segment[] {
  if (part.region !== undefined) return [part];
  const { text } = part;
  const cuts = new Set([0, isAfter ? text.indexOf("\n") + 1 : 0, isBefore ? text.lastIndexOf("\n") + 1 : 0, text.length]);
  const places = [...cuts].sort((a, b) => a - b);
  return places.slice(0, -1).map((place, index) => ({ ...part, text: text.slice(place, places[index + 1]) }));
}
