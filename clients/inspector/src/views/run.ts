/** One run: how it ended, what it cost, and its timeline (IN-5). */

import { api } from "../api.js";
import { call as callAddress, run as runAddress, runs } from "../address.js";
import { runOfFile } from "../file.js";
import { useFollowed } from "../follow.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { cost, count, counted, duration, json, size, time } from "../text/format.js";
import { Block, Name } from "../text/show.js";
import { failureOf, isRecorded, kindOf, summary } from "../run/kinds.js";
import { RunTree } from "../run/store.js";
import { Shares } from "../run/shares.js";
import { Timeline } from "../run/timeline.js";
import { isUnder, unfetched, type Node } from "../run/tree.js";
import type { RunHead } from "../types.js";
import { html, useEffect, useMemo, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { ErrorText, Fact, Note, Outcome } from "./parts.js";

export function RunView({ run }: { readonly run: string }): VNode {
  const [again, setAgain] = useState(0);
  const head = useLoaded((signal) => api.run(run, signal), [run, again]);
  const [tree, version] = useTree(run);
  const state = head.value?.state;
  useFollowed("runs", run, state === "RUNNING", () => setAgain((before) => before + 1));
  useEffect(() => {
    if (head.value) void tree.show(head.value);
  }, [tree, head.value]);
  return html`
    <section data-view="run">
      ${runOfFile() === undefined && html`<p class="path"><a href=${runs()}>${t("runs")}</a></p>`}
      <${Waiting} loaded=${head} what="loading_run" title=${run}>${(value: RunHead) => html`<${Head} head=${value} />`}</>
      ${tree.error !== undefined && html`<${Refused} error=${tree.error} />`}
      ${tree.root && html`<${Events} tree=${tree} root=${tree.root} version=${version} run=${run} />`}
    </section>`;
}

/** The tree of a run, and a number that changes with it. */
function useTree(run: string): [RunTree, number] {
  const [version, setVersion] = useState(0);
  const tree = useMemo(() => new RunTree(run, () => setVersion((before) => before + 1)), [run]);
  useEffect(() => () => tree.leave(), [tree]);
  return [tree, version];
}

function Head({ head }: { readonly head: RunHead }): VNode {
  const models = head.models && head.models.length > 0 ? head.models.join(", ") : (head.model ?? "");
  return html`
    <header class="head">
      <h1><${Name} text=${head.program || head.run} /></h1>
      <p class="lead"><${Outcome} run=${head} /> <code class="quiet"><${Name} text=${head.run} /></code></p>
      <${ErrorText} error=${head.error} />
      ${(head.state === "INTERRUPTED") && html`<p class="note">${t("dead")}</p>`}
      ${head.state === "RUNNING" && html`<p class="note" role="status">${t("growing", { n: count(head.lines) })}</p>`}
      ${head.part_of?.run && html`<p class="lead">${t("part_of_run")} <a href=${runAddress(head.part_of.run)}><code><${Name} text=${head.part_of.run} /></code></a></p>`}
      ${(head.notes ?? []).map((note) => html`<${Note} text=${note} />`)}
      <dl class="facts">
        <${Fact} name=${t("started")}>${time(head.start)}</>
        <${Fact} name=${t("duration")}>${duration(head.duration_us)}</>
        <${Fact} name=${t("model")}><${Name} text=${models} /></>
        <${Fact} name=${t("calls")}>${count(head.calls)}${(head.prompts ?? 0) > (head.calls ?? 0) && ` (${t("prompts")}: ${count(head.prompts)})`}</>
        <${Fact} name=${t("tokens_in")}>${counted(head.input, head.estimated)}</>
        <${Fact} name=${t("tokens_out")}>${counted(head.output, head.estimated)}</>
        <${Fact} name=${t("cached")}>${count(head.cached)}</>
        <${Fact} name=${t("cost")}>${cost(head.cost)}</>
        <${Fact} name=${t("record")}>${size(head.bytes)}</>
        ${head.trace && html`<${Fact} name=${t("trace")}><code><${Name} text=${head.trace} /></code></>`}
      </dl>
    </header>`;
}

interface EventsProps {
  readonly tree: RunTree;
  readonly root: Node;
  readonly version: number;
  readonly run: string;
}

function Events({ tree, root, version, run }: EventsProps): VNode {
  const [selected, setSelected] = useState<Node | undefined>(undefined);
  const enter = (node: Node): void => {
    if (typeof node.event.call === "number") location.hash = callAddress(run, node.event.call);
    else if (node.open) tree.close(node);
    else void tree.open(node);
  };
  return html`
    <${Shares} run=${run} />
    <h2>${t("timeline")}</h2>
    <p class="quiet">${t("timeline_help")}</p>
    <${Unfetched} tree=${tree} node=${unfetched(root)[0]} />
    <div class="split">
      <${Timeline} tree=${tree} root=${root} version=${version} selected=${selected?.event.id} select=${setSelected} enter=${enter} />
      <aside class="details" aria-label=${t("details")}>${selected ? html`<${Details} node=${selected} run=${run} />` : html`<p class="quiet">${t("select_event")}</p>`}</aside>
    </div>`;
}

/** How much of a long list of events is there; the rest comes as it is scrolled to, or at once. */
function Unfetched({ tree, node }: { readonly tree: RunTree; readonly node: Node | undefined }): Child {
  if (!node) return null;
  const [shown, all] = [count(node.children?.length), count(node.event.children)];
  const told = node.event.children === undefined ? t("some_of_run", { shown }) : t("some_events", { shown, all, id: node.event.id });
  return html`<p class="parts"><span role="status">${told}</span> <button type="button" onClick=${() => void tree.all(node)}>${t("load_all")}</button></p>`;
}

function Details({ node, run }: { readonly node: Node; readonly run: string }): VNode {
  const { event } = node;
  const failure = failureOf(event);
  return html`
    <h3><span aria-hidden="true">${kindOf(event).sign}</span> ${t(kindOf(event).word)} <span class="quiet">#${event.id}</span></h3>
    <p><${Name} text=${summary(event)} /></p>
    ${isRecorded(event) && html`<p class="note">${t("kept_record")}</p>`}
    ${failure && html`<p class="fault"><${Name} text=${failure} /></p>`}
    ${typeof event.call === "number" && html`<p><a class="button primary" href=${callAddress(run, event.call)}>${t("open_prompt", { n: event.call })}</a></p>`}
    <p class="quiet">${isUnder(event) ? t("unfinished") : duration(event.duration_us)}</p>
    ${data(event.data)}`;
}

function data(value: unknown): Child {
  return value === undefined || value === null ? null : html`<${Block} text=${json(value)} label=${t("details")} />`;
}
