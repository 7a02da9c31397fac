/** What the tokens of a prompt are for; the sum is that of the manifest (IN-7). Pure. */

import type { Manifest } from "../types.js";

export interface Share {
  readonly kind: "layer" | "item" | "tools" | "rest";
  readonly name: string;
  /** The index of an item. */
  readonly index?: number;
  readonly tokens: number;
}

/**
 * The shares of a prompt in its order: layers, items, definitions of functions, and the rest: labels, source lines and separators.
 * Tokens of parts that meet without a seam are counted together, so the rest can be less than nothing.
 */
export function shares(manifest: Manifest): Share[] {
  const found: Share[] = [];
  for (const layer of manifest.layers ?? []) found.push({ kind: "layer", name: layer.name, tokens: layer.tokens });
  for (const item of (manifest.items ?? []).filter((one) => !one.later)) found.push({ kind: "item", name: item.label ?? item.source, index: item.index, tokens: item.tokens });
  const tools = (manifest.tools ?? []).reduce((sum, tool) => sum + tool.tokens, 0);
  if (tools > 0) found.push({ kind: "tools", name: "", tokens: tools });
  const rest = total(manifest) - found.reduce((sum, share) => sum + share.tokens, 0);
  if (rest !== 0) found.push({ kind: "rest", name: "", tokens: rest });
  return found;
}

export function total(manifest: Manifest): number {
  return manifest.tokens ?? 0;
}

/** The width that the bar stands for: the budget where there is one, and never less than the prompt. */
export function width(manifest: Manifest): number {
  return Math.max(manifest.max_input ?? 0, total(manifest), 1);
}
