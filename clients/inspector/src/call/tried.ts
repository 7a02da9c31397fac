/** "What would change?": the program of a run is edited, and its prompts are made again on the record (IN-10). */

import { run as runAddress } from "../address.js";
import { api } from "../api.js";
import { firstOf } from "../diff/first.js";
import { CallPart } from "../diff/parts.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { count } from "../text/format.js";
import { Block, Name } from "../text/show.js";
import type { Manifest, Offer, Program, Recheck } from "../types.js";
import { html, useRef, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { ErrorText, Note } from "../views/parts.js";

interface Props {
  readonly run: string;
  readonly manifest: Manifest;
}

export function Tried({ run, manifest }: Props): VNode {
  const [open, setOpen] = useState(false);
  return html`
    <details class="tried" onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary>${t("try_title")}</summary>
      ${open && html`<${Opened} run=${run} manifest=${manifest} />`}
    </details>`;
}

function Opened({ run, manifest }: Props): VNode {
  const program = useLoaded((signal) => api.program(run, signal), [run]);
  return html`<div><p class="quiet">${t("try_help")}</p>
    <${Waiting} loaded=${program} what="loading">${(value: Program) => html`<${Editor} run=${run} program=${value} manifest=${manifest} />`}</></div>`;
}

/** What was tried: an offer holds for it, not for later edits. */
type Tried = { readonly text: string; readonly model: string };
type Asked = { readonly busy?: boolean; readonly found?: Recheck; readonly of?: Tried; readonly edited?: boolean; readonly error?: unknown };

function Editor({ run, program, manifest }: Props & { readonly program: Program }): VNode {
  const area = useRef<HTMLTextAreaElement | null>(null);
  const named = useRef<HTMLInputElement | null>(null);
  const [asked, setAsked] = useState<Asked>({});
  const now = (): Tried => ({ text: area.current?.value ?? program.text, model: named.current?.value.trim() ?? "" });
  // An offer is not for what was edited after it.
  const edited = (): void => {
    const { text, model } = now();
    setAsked((before) => (before.of ? { ...before, edited: before.of.text !== text || before.of.model !== model } : before));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    setAsked({ busy: true });
    const of = now();
    api.recheck(run, of.text, of.model).then((found) => (setAsked({ found, of }), edited()), (error: unknown) => setAsked({ error }));
  };
  const undo = (): void => {
    if (area.current) area.current.value = program.text;
    setAsked({});
  };
  return html`
    <form onSubmit=${submit}>
      <p class="steps">${linesOf(program, manifest).map(({ line, name }) => html`<button type="button" onClick=${() => select(area.current, line)}><${Name} text=${name} /> <span class="quiet">${t("line", { n: line })}</span></button>`)}</p>
      <label class="field"><span>${t("program")} <code><${Name} text=${program.file} /></code></span>
        <textarea ref=${area} dir="ltr" wrap="off" rows="16" spellcheck=${false} autocomplete="off" onInput=${edited} defaultValue=${program.text}></textarea></label>
      <label class="field"><span>${t("try_model")}</span> <input ref=${named} dir="ltr" spellcheck=${false} autocomplete="off" onInput=${edited} placeholder=${t("try_model_own")} /></label>
      <p class="steps"><button class="primary" disabled=${asked.busy === true}>${t("try_ask")}</button> <button type="button" onClick=${undo}>${t("try_undo")}</button></p>
    </form>
    <div role="status">${asked.busy && html`<p class="quiet">${t("trying")}</p>`}${asked.found && asked.of && html`<${Found} run=${run} found=${asked.found} of=${asked.of} edited=${asked.edited === true} />`}${asked.error !== undefined && html`<${Refused} error=${asked.error} />`}</div>`;
}

/** The lines of the program that this call stands on: its own, and those of its items. */
function linesOf(program: Program, manifest: Manifest): { readonly line: number; readonly name: string }[] {
  const found = new Map<number, string>();
  if (manifest.site?.file === program.file) found.set(manifest.site.line, "generate");
  for (const { position, label, source } of manifest.items ?? []) if (position?.file === program.file && !found.has(position.line)) found.set(position.line, label ?? source);
  return [...found].map(([line, name]) => ({ line, name })).sort((a, b) => a.line - b.line);
}

/** Selects a line, and shows it. */
function select(area: HTMLTextAreaElement | null, line: number): void {
  if (!area) return;
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 4);
}

function Found({ run, found, of, edited }: { readonly run: string; readonly found: Recheck; readonly of: Tried; readonly edited: boolean }): VNode {
  const calls = found.calls.map((call) => ({ ...call, left: call.change === "added" ? null : call.n, right: null, tokens: [call.tokens_before, call.tokens_after] as const }));
  const changed = calls.filter((call) => call.changed);
  const stale = found.calls.filter((call) => call.stale && !call.changed).length;
  const first = firstOf(changed);
  const moved = found.calls.filter((call) => !call.changed && call.models);
  return html`
    ${(found.notes ?? []).map((note) => html`<${Note} text=${note} />`)}
    <p class="lead"><strong>${changed.length === 0 ? t("try_same", { n: count(calls.length) }) : t("try_changed", { n: count(changed.length), all: count(calls.length) })}</strong>${stale > 0 && ` ${t("try_stale", { n: count(stale) })}`}</p>
    <${ErrorText} error=${found.failure} />
    ${moved.map((call) => html`<p class="quiet"><${Name} text=${call.site} />: ${t("try_model_only")} <${Name} text=${call.models?.[0] ?? ""} /> → <${Name} text=${call.models?.[1] ?? ""} /></p>`)}
    ${changed.map((call, index) => html`<${CallPart} call=${call} left=${run} first=${first?.call === index ? first : undefined} names=${["recorded", "tried"]} />`)}
    ${found.offer && (edited ? html`<p class="quiet">${t("ask_again")}</p>` : "error" in found.offer ? html`<p class="quiet">${t("ask_not")}</p><${ErrorText} error=${found.offer.error} />` : html`<${Offered} run=${run} offer=${found.offer} of=${of} />`)}
    ${found.patch !== "" && html`<${Patch} text=${found.patch} />`}`;
}

/** The models and the most that they may cost, and, once that is confirmed, the run that asks them. */
function Offered({ run, offer, of }: { readonly run: string; readonly offer: Offer; readonly of: Tried }): VNode {
  const [step, setStep] = useState<{ readonly sure?: boolean; readonly busy?: boolean; readonly error?: unknown }>({});
  const ask = (): void => {
    setStep({ busy: true });
    api.ask(run, of.text, of.model, offer).then(({ run: part }) => { location.hash = runAddress(part); }, (error: unknown) => setStep({ error }));
  };
  const changed = offer.calls.filter((call) => call.changed).length;
  const most = offer.cost === null ? t("tokens_n", { n: count(offer.tokens) }) : `${offer.cost} USD`;
  const said = { n: count(changed), later: count(offer.calls.length - changed), models: offer.models.join(", "), most };
  return html`
    <section class="offer">
      <h3>${t("ask_title")}</h3>
      <p><${Name} text=${t("ask_offer", said)} /></p>
      <p class="steps">${step.sure
        ? html`<button type="button" class="primary" onClick=${ask}>${t("ask_yes", { most })}</button> <button type="button" onClick=${() => setStep({})}>${t("ask_no")}</button>`
        : html`<button type="button" disabled=${step.busy === true} onClick=${() => setStep({ sure: true })}>${t("ask_model")}</button>`}</p>
      ${step.error !== undefined && html`<${Refused} error=${step.error} />`}
    </section>`;
}

/** The change as a patch to the program, to be taken along. */
function Patch({ text }: { readonly text: string }): Child {
  const [copied, setCopied] = useState<boolean | undefined>(undefined);
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false));
  return html`
    <h3>${t("patch")}</h3>
    <p class="steps"><button type="button" onClick=${copy}>${t("copy")}</button> <span role="status" class="quiet">${copied !== undefined && t(copied ? "copied" : "not_copied")}</span></p>
    <${Block} text=${text} label=${t("patch")} />`;
}
