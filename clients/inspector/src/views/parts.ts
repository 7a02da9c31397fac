/** Small parts that several views have. */

import { html, type Child, type VNode } from "../vendor/preact.js";
import { Name } from "../text/show.js";
import { plain } from "../text/visible.js";
import { t, type Word } from "../words/words.js";
import type { Fault, Run } from "../types.js";

/** A name with its value; values that a record lacks are left out by the caller. */
export function Fact({ name, children }: { readonly name: string; readonly children?: Child }): VNode {
  return html`<div><dt>${name}</dt><dd>${children}</dd></div>`;
}

const STATES = { COMPLETED: ["✓", "good", "completed"], FAILED: ["✕", "bad", "failed"], CANCELLED: ["◼", "wait", "cancelled"], INTERRUPTED: ["⚠", "bad", "interrupted"], RUNNING: ["●", "wait", "running"] } as const;

/** How a run stands: a sign and words, so that colour alone says nothing. */
export function Outcome({ run }: { readonly run: Run }): VNode {
  const known = run.state && run.state in STATES ? STATES[run.state] : undefined;
  if (!known) return html`<span class="outcome"><${Name} text=${run.outcome ?? t("unknown")} /></span>`;
  const [sign, tone, word] = known;
  return html`<span class="outcome ${tone}"><span aria-hidden="true">${sign}</span> ${t(word)}</span>`;
}

export function ErrorText({ error }: { readonly error: Fault | null | undefined }): Child {
  if (!error) return null;
  return html`<p class="fault"><code><${Name} text=${error.code} /></code> <${Name} text=${error.message ?? ""} /></p>`;
}

/** A table that scrolls within itself where it is too wide; each column is a word and a class. */
export function table(name: string, columns: readonly (readonly [word: Word, kind?: string])[], rows: readonly Child[]): VNode {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label=${name}><table class="sums">
      <thead><tr>${columns.map(([word, kind = ""]) => html`<th scope="col" class=${kind}>${t(word)}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table></div>`;
}

/** A remark of the record about itself, such as a damaged line. */
export function Note({ text }: { readonly text: string }): VNode {
  return html`<p class="note"><span aria-hidden="true">⚠</span> <${Name} text=${text} /></p>`;
}

const TRUST: Record<string, Word> = {
  program: "trust_program", user: "trust_user", model: "trust_model", memory: "trust_memory", resource: "trust_resource", tool: "trust_tool", external: "trust_external", web: "trust_web",
};

/** How far a text may be trusted, in words. */
export function trusted(trust: string): string {
  const word = TRUST[trust];
  return word ? t(word) : plain(trust);
}
