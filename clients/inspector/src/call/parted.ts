/** A text of a run: whole, or a part of it at a time where it is too long for one answer (IN-4). */

import { api } from "../api.js";
import { Refused, useLoaded } from "../load.js";
import { size } from "../text/format.js";
import type { TextPart } from "../types.js";
import { html, useState, type Child } from "../vendor/preact.js";
import { t } from "../words/words.js";

interface Props {
  readonly run: string;
  readonly digest: string;
  /** More ways to go to a place, in bytes. */
  readonly ways?: (go: (offset: number) => void) => Child;
  readonly children: (part: TextPart) => Child;
}

export function PartedText({ run, digest, ways, children }: Props): Child {
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const offset = starts.at(-1) ?? 0;
  const loaded = useLoaded((signal) => api.text(run, digest, offset, signal), [run, digest, offset]);
  const part = loaded.value;
  if (loaded.error !== undefined) return html`<${Refused} error=${loaded.error} />`;
  if (!part) return html`<p class="quiet" role="status">${t("loading_text")}</p>`;
  if (part.offset === 0 && part.next === null) return children(part);
  const go = (offset: number): void => setStarts((before) => [...before, offset]);
  return html`
    <div class="parts">
      <p role="status">${t("part_of", { from: size(part.offset), to: size(part.next ?? part.total), total: size(part.total) })}</p>
      <button type="button" disabled=${starts.length < 2} onClick=${() => setStarts((before) => before.slice(0, -1))}>${t("previous_part")}</button>
      <button type="button" disabled=${part.next === null} onClick=${() => part.next !== null && go(part.next)}>${t("next_part")}</button>
      ${ways?.(go)}
    </div>
    ${children(part)}`;
}
