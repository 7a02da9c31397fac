/** Runs of sets: all of them, and one with its picture and its steps (IN-11). */

import { api } from "../api.js";
import { flow as flowAddress, flows as flowsAddress } from "../address.js";
import { Waits } from "../flow/waits.js";
import { useFollowed } from "../follow.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { count, duration, json, time } from "../text/format.js";
import { Block, Name } from "../text/show.js";
import type { About, Flow, FlowHead, FlowStep } from "../types.js";
import { html, useEffect, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { Fact, table } from "./parts.js";

/** States that can still change. */
const OPEN = ["RUNNING", "PAUSED", "INTERRUPTED", "PENDING"];
/** The most steps that are shown one below the other, with a picture. More are a table. */
const MOST_STEPS = 400;
const STEER = ["pause", "resume", "cancel"] as const;

export function FlowsView({ after, about }: { readonly after: string; readonly about: About }): VNode {
  const [again, setAgain] = useState(0);
  const page = useLoaded((signal) => api.flows(after || undefined, signal), [after, again]);
  return html`
    <section data-view="flows">
      <h1>${t("flows")}</h1>
      <${Waits} again=${again} about=${about} done=${() => setAgain((before) => before + 1)} />
      <${Waiting} loaded=${page} what="loading">${(value: { flows: readonly FlowHead[]; next: string | null }) => html`
        ${value.flows.length === 0 && html`<p class="quiet">${t("no_flows")}</p>`}
        ${value.flows.length > 0 && table(t("flows"), [["started"], ["name"], ["outcome"], ["steps", "calls"], ["context"]], value.flows.map((row) => html`<tr><td><a data-row href=${flowAddress(row.run)}>${time(row.started)}</a></td><td><${Name} text=${row.name} /></td><td><${Name} text=${row.status} /></td><td class="calls">${count(row.done)} / ${count(row.steps)}</td><td><${Name} text=${row.context ?? ""} /></td></tr>`))}
        ${value.next && html`<p><a class="button" href=${flowsAddress(value.next)}>${t("older")}</a></p>`}`}</>
    </section>`;
}

/** A part of the steps of a run, with what it is a part of: the next one may have been asked for. */
interface Part extends Flow {
  readonly after: number;
  readonly state: string;
}

export function FlowView({ flow, about }: { readonly flow: string; readonly about: About }): VNode {
  const [again, setAgain] = useState(0);
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const [state, setState] = useState("");
  const after = starts.at(-1) ?? 0;
  const loaded = useLoaded((signal) => api.flow(flow, after, state, signal).then((value): Part => ({ ...value, after, state })), [flow, after, state, again]);
  const look = (): void => setAgain((before) => before + 1);
  const choose = (one: string): void => (setState(one), setStarts([0]));
  const open = OPEN.includes(loaded.value?.status ?? "");
  useFollowed("flows", flow, open, look);
  return html`
    <section data-view="flow">
      <p class="path"><a href=${flowsAddress()}>${t("flows")}</a></p>
      <${Waiting} loaded=${loaded} what="loading" title=${flow}>${(value: Part) => html`
        <h1><${Name} text=${value.name || value.run} /></h1>
        <p class="lead"><strong class=${tone(value.status)}><${Name} text=${value.status} /></strong> <code class="quiet"><${Name} text=${value.run} /></code></p>
        <dl class="facts">
          <${Fact} name=${t("started")}>${time(value.started)}</>
          <${Fact} name=${t("ended")}>${time(value.ended)}</>
          <${Fact} name=${t("steps")}>${count(value.done)} / ${count(value.steps)}</>
        </dl>
        ${open && about.can_change && html`<${Steer} flow=${value} done=${look} />`}
        ${open && html`<${Waits} flow=${flow} again=${again} about=${about} done=${look} />`}
        ${value.steps <= MOST_STEPS && html`<${Picture} flow=${value} />`}
        <h2>${t("steps")}</h2>
        <${States} flow=${value} state=${state} choose=${choose} />
        ${(value.after > 0 || typeof value.next === "number") && html`
          <div class="parts">
            <p role="status">${t("part_of", { from: count(value.after + 1), to: count(value.next ?? ofState(value, value.state)), total: count(ofState(value, value.state)) })}</p>
            <button type="button" disabled=${starts.length < 2} onClick=${() => setStarts((before) => before.slice(0, -1))}>${t("previous_part")}</button>
            <button type="button" disabled=${typeof value.next !== "number"} onClick=${() => setStarts((before) => [...before, value.next ?? 0])}>${t("next_part")}</button>
          </div>`}
        <${Steps} flow=${value} />`}</>
    </section>`;
}

/** The number of steps of a state, or of all. */
function ofState(flow: Flow, state: string): number {
  return state === "" ? flow.steps : (flow.states[state] ?? 0);
}

/** How many steps have each state; one is chosen to see these alone. */
function States({ flow, state, choose }: { readonly flow: Flow; readonly state: string; readonly choose: (state: string) => void }): Child {
  const states = [...new Set([...Object.keys(flow.states), ...(state === "" ? [] : [state])])];
  if (states.length < 2) return null;
  const button = (one: string): VNode => html`<button type="button" aria-pressed=${one === state} onClick=${() => choose(one)}>${one === "" ? t("all_steps") : html`<${Name} text=${one} />`} <span class="number">${count(ofState(flow, one))}</span></button>`;
  return html`<div class="choices" role="group" aria-label=${t("outcome")}>${["", ...states].map(button)}</div>`;
}

function Steer({ flow, done }: { readonly flow: Flow; readonly done: () => void }): VNode {
  const [error, setError] = useState<unknown>(undefined);
  const ask = (word: string): void => {
    api.steer(flow.run, word).then(() => (setError(undefined), done()), setError);
  };
  return html`
    <p class="steps">${STEER.map((word) => html`<button type="button" onClick=${() => ask(word)}>${t(word)}</button> `)}</p>
    ${error !== undefined && html`<${Refused} error=${error} />`}`;
}

/** The picture that `flow graph` draws. It is shown as an image, in which nothing runs. */
function Picture({ flow }: { readonly flow: Flow }): Child {
  const [shown, setShown] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    let address: string | undefined;
    let left = false;
    api.picture(flow.run).then((picture) => {
      if (left) return;
      address = URL.createObjectURL(picture);
      setShown(address);
    }, setError);
    return () => {
      left = true;
      if (address) URL.revokeObjectURL(address);
    };
  }, [flow.run, flow.done, flow.status]);
  if (error !== undefined) return html`<${Refused} error=${error} />`;
  return shown && html`<div class="scroll picture" tabindex="0" role="group" aria-label=${t("picture_of", { n: flow.steps })}><img src=${shown} alt=${t("picture_of", { n: flow.steps })} /></div>`;
}

/** The colour of a state, which its word says, too. */
function tone(state = ""): string {
  if (state === "COMPLETED") return "good";
  return state === "FAILED" || state === "TIMEOUT" ? "bad" : "";
}

/** The steps in the order of the set: what each was given, what came of it, and what its condition read. */
function Steps({ flow }: { readonly flow: Flow }): VNode {
  const steps = stepsOf(flow);
  if (flow.steps > MOST_STEPS) return table(t("steps"), [["name"], ["kind"], ["outcome"], ["duration", "calls"]], steps.map((step) => html`<${StepRow} key=${step.id} step=${step} flow=${flow} />`));
  return html`
    <div class="list">${steps.map((step) => html`<${Step} key=${step.id} step=${step} flow=${flow} />`)}</div>`;
}

/** A set is kept as it was given: bare, or as a message with its content. */
function stepsOf(flow: Flow): FlowStep[] {
  type Listed = { readonly [name in "instructions" | "calls" | "toolCalls"]?: readonly Readonly<Record<string, unknown>>[] };
  const set = (flow.set ?? {}) as Listed & { readonly content?: Listed };
  const { instructions = [], calls = [], toolCalls = [] } = set.content ?? set;
  return [...instructions, ...calls, ...toolCalls].map((one) => ({ id: String(one["instructionId"] ?? one["callId"] ?? ""), action: String(one["action"] ?? one["name"] ?? ""), parameters: one["parameters"] }));
}

function Step({ step, flow }: { readonly step: FlowStep; readonly flow: Flow }): VNode {
  const [open, setOpen] = useState(false);
  const result = flow.results[step.id];
  const tries = flow.events.filter((event) => event.event === "STARTED" && event.id === step.id);
  return html`
    <details onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
      <summary><strong><${Name} text=${step.id} /></strong> <${Name} text=${step.action} /> <span class="tag ${tone(result?.status)}"><${Name} text=${result?.status ?? "PENDING"} /></span>${tries.length > 1 && html` <span class="quiet">${t("tries", { n: tries.length })}</span>`}</summary>
      ${open && html`<${StepDetails} step=${step} flow=${flow} tries=${tries} />`}
    </details>`;
}

/** A step of many; what was given to it and came of it is there once it is opened. */
function StepRow({ step, flow }: { readonly step: FlowStep; readonly flow: Flow }): VNode {
  const [open, setOpen] = useState(false);
  const result = flow.results[step.id];
  const tries = (): Flow["events"] => flow.events.filter((event) => event.event === "STARTED" && event.id === step.id);
  return html`
    <tr>
      <td><button type="button" class="plain" data-row aria-expanded=${open} onClick=${() => setOpen(!open)}><span aria-hidden="true">${open ? "▾" : "▸"}</span> <${Name} text=${step.id} /></button></td>
      <td><${Name} text=${step.action} /></td>
      <td class=${tone(result?.status)}><${Name} text=${result?.status ?? "PENDING"} /></td>
      <td class="calls">${duration(result?.executionTime === undefined ? undefined : result.executionTime * 1_000)}</td>
    </tr>
    ${open && html`<tr><td colspan="4"><${StepDetails} step=${step} flow=${flow} tries=${tries()} /></td></tr>`}`;
}

function StepDetails({ step, flow, tries }: { readonly step: FlowStep; readonly flow: Flow; readonly tries: Flow["events"] }): VNode {
  const result = flow.results[step.id];
  const condition = flow.conditions[step.id];
  const value = (name: string, shown: unknown): Child => shown !== undefined && shown !== null && html`<h3>${name}</h3><${Block} text=${json(shown)} label=${name} />`;
  return html`
    ${condition && html`<h3>${t("condition")}</h3><p><code><${Name} text=${condition.text} /></code></p>
      <ul>${condition.values.map((one) => html`<li><code><${Name} text=${one.path} /></code> = <code><${Name} text=${one.value === null ? t("nothing_there") : JSON.stringify(one.value)} /></code></li>`)}</ul>`}
    ${value(t("parameters"), step.parameters)}
    ${value(t("result"), result?.result)}
    ${value(t("kind_error"), result?.error)}
    ${value(t("reason"), result?.reason)}
    ${tries.map((one) => html`<p class="quiet">${t("attempt", { n: one.attempt ?? 1 })} · ${time(one.time)} · <${Name} text=${one.action ?? ""} /> · <code><${Name} text=${one.key ?? ""} /></code></p>`)}`;
}
