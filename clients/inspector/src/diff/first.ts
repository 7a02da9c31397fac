/** Where two runs first differ: everything after it may follow from it (IN-8). Pure. */

import type { CallDiff, PartDiff } from "../types.js";

/** Indices in the list of calls; −1 where the part is of the other kind, or where only the model differs. */
export interface First {
  readonly call: number;
  readonly layer: number;
  readonly item: number;
}

/** The first part that differs. Layers come before items, as they do in a prompt. */
export function firstOf(calls: readonly CallDiff[]): First | undefined {
  for (const [call, one] of calls.entries()) {
    if (one.change === "same") continue;
    const layer = (one.layers ?? []).findIndex(differs);
    const item = layer >= 0 ? -1 : (one.items ?? []).findIndex(differs);
    return { call, layer, item };
  }
  return undefined;
}

function differs(part: PartDiff): boolean {
  return part.change !== "same";
}
