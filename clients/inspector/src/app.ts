/** The page: which view an address has, the keys that all views share, and the choice of language. */

import { contexts, evals, flows, knowledge, parent, read, runs, usage, type Place } from "./address.js";
import { api } from "./api.js";
import { runOfFile } from "./file.js";
import { useLoaded } from "./load.js";
import type { About } from "./types.js";
import { move, typing } from "./keys.js";
import { html, useEffect, useRef, useState, type Child, type VNode } from "./vendor/preact.js";
import { language, LANGUAGES, speak, t, type Word } from "./words/words.js";
import { Name } from "./text/show.js";
import { CallView } from "./views/call.js";
import { DiffView } from "./views/diff.js";
import { RunView } from "./views/run.js";
import { RunsView } from "./views/runs.js";
import { ContextsView, ContextView } from "./views/contexts.js";
import { EvalsView, EvalView } from "./views/evals.js";
import { FlowsView, FlowView } from "./views/flows.js";
import { KnowledgeView, PackView } from "./views/knowledge.js";
import { UsageView } from "./views/usage.js";

/** What is taken for granted until the server has said what there is: runs alone. */
const RUNS_ALONE: About = { flows: false, contexts: false, knowledge: false, can_change: false };

export function App(): VNode {
  const about = useLoaded((signal) => api.about(signal), []).value ?? RUNS_ALONE;
  const [place, setPlace] = useState(() => read(location.hash));
  const [, setLanguage] = useState(language());
  const keys = useRef<HTMLDialogElement | null>(null);
  useEffect(() => {
    const go = (): void => setPlace(read(location.hash));
    addEventListener("hashchange", go);
    return () => removeEventListener("hashchange", go);
  }, []);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => pressed(event, read(location.hash), keys.current);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  // Where the address changes, readers begin at the new view, not where the old one was scrolled to.
  const shown = useRef(place);
  useEffect(() => {
    if (shown.current === place) return;
    shown.current = place;
    scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [place]);
  useEffect(() => {
    document.documentElement.lang = language();
  });
  const spoken = (event: Event): void => {
    speak((event.target as HTMLSelectElement).value);
    setLanguage(language());
  };
  return html`
    <a class="skip" href="#main" onClick=${skip}>${t("skip")}</a>
    <header class="bar">
      <a class="brand" href=${runs()}><img src=${icon()} alt="" width="24" height="24" />Contexture</a>
      <nav aria-label=${t("views")}>${links(about).map(([href, word, ...views]) => html`<a href=${href} aria-current=${views.includes(place.view) ? "page" : undefined}>${t(word)}</a> `)}</nav>
      <span class="space"></span>
      <button type="button" onClick=${() => keys.current?.showModal()}>${t("keys")} <kbd>?</kbd></button>
      <label class="choice"><span class="hidden">${t("language")}</span>
        <select value=${language()} onChange=${spoken}>${LANGUAGES.map(({ code, name }) => html`<option value=${code}>${name}</option>`)}</select>
      </label>
    </header>
    <main id="main" tabindex="-1">${view(place, about)}</main>
    <${Keys} dialog=${keys} />`;
}

type Link = readonly [href: string, word: Word, ...views: Place["view"][]];

/** The views that there is something to see in, each with those that are reached from it. */
function links(about: About): Link[] {
  if (runOfFile() !== undefined) return [[runs(), "kind_run", "runs", "run", "call"]];
  const all: Link[] = [[runs(), "runs", "runs", "run", "call", "diff"], [usage(), "usage", "usage"]];
  if (about.flows) all.push([flows(), "flows", "flows", "flow"]);
  if (about.contexts) all.push([contexts(), "contexts", "contexts", "context"]);
  if (about.evals) all.push([evals(), "evals", "evals", "eval"]);
  if (about.knowledge) all.push([knowledge(), "knowledge", "knowledge", "pack"]);
  return all;
}

/** The icon of the page, which is within it where the page is a file of its own. */
function icon(): string {
  return document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href ?? "";
}

function view(place: Place, about: About): Child {
  const only = runOfFile();
  switch (place.view) {
    case "runs":
      if (only !== undefined) return html`<${RunView} key=${only} run=${only} />`;
      return html`<${RunsView} key=${runs(place.filter)} filter=${place.filter} />`;
    case "run":
      return html`<${RunView} key=${place.run} run=${place.run} />`;
    case "call":
      return html`<${CallView} key=${`${place.run} ${place.call}`} run=${place.run} call=${place.call} about=${about} />`;
    case "diff":
      return html`<${DiffView} key=${`${place.left} ${place.right}`} left=${place.left} right=${place.right} />`;
    case "usage":
      return html`<${UsageView} key=${usage(place.filter)} filter=${place.filter} />`;
    case "flows":
      return html`<${FlowsView} key=${flows(place.after)} after=${place.after} about=${about} />`;
    case "flow":
      return html`<${FlowView} key=${place.flow} flow=${place.flow} about=${about} />`;
    case "contexts":
      return html`<${ContextsView} key=${contexts(place.filter)} filter=${place.filter} />`;
    case "context":
      return html`<${ContextView} key=${`${place.owner} ${place.context}`} owner=${place.owner} context=${place.context} about=${about} />`;
    case "knowledge":
      return html`<${KnowledgeView} />`;
    case "pack":
      return html`<${PackView} key=${place.name} name=${place.name} />`;
    case "evals":
      return html`<${EvalsView} />`;
    case "eval":
      return html`<${EvalView} key=${place.name} name=${place.name} />`;
    case "unknown":
      return html`<section data-view="unknown"><h1>${t("no_view")}</h1><p><${Name} text=${place.address} /></p><p><a href=${runs()}>${t("all_runs")}</a></p></section>`;
  }
}

/** The address after `#` names a view, so a link within the page moves the focus itself. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function pressed(event: KeyboardEvent, place: Place, keys: HTMLDialogElement | null): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || keys?.open) return;
  if (event.key === "Escape") {
    if (typing() && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    else if (place.view !== "runs") location.hash = parent(place);
    return;
  }
  if (typing()) return;
  const acts: Record<string, () => void> = { j: () => move(1), k: () => move(-1), "?": () => keys?.showModal() };
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function Keys({ dialog }: { readonly dialog: { current: HTMLDialogElement | null } }): VNode {
  const rows = [["j", "key_next"], ["k", "key_previous"], ["Enter", "key_open"], ["Esc", "key_back"], ["← →", "key_tree"], ["?", "key_help"]] as const;
  return html`
    <dialog ref=${dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">${t("keys")}</h2>
      <dl class="facts">${rows.map(([key, word]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${t(word)}</dd></div>`)}</dl>
      <form method="dialog"><button class="primary">${t("close")}</button></form>
    </dialog>`;
}
