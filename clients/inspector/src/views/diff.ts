/** What differs between two runs, call by call and item by item (IN-8). */

import { api } from "../api.js";
import { run as runAddress, runs } from "../address.js";
import { CallPart } from "../diff/parts.js";
import { firstOf } from "../diff/first.js";
import { useLoaded, Waiting } from "../load.js";
import { time } from "../text/format.js";
import { Name } from "../text/show.js";
import type { CallDiff, Run } from "../types.js";
import { html, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";

export function DiffView({ left, right }: { readonly left: string; readonly right: string }): VNode {
  const diff = useLoaded((signal) => api.diff(left, right, signal), [left, right]);
  return html`
    <section data-view="diff">
      <p class="path"><a href=${runs()}>${t("runs")}</a></p>
      <h1>${t("differences")}</h1>
      <div class="sides"><${Side} run=${left} name="left" /><${Side} run=${right} name="right" /></div>
      <${Waiting} loaded=${diff} what="loading_diff">${(value: { readonly calls: readonly CallDiff[] }) => html`<${Calls} calls=${value.calls} left=${left} right=${right} />`}</>
    </section>`;
}

function Side({ run, name }: { readonly run: string; readonly name: "left" | "right" }): VNode {
  const head = useLoaded((signal) => api.run(run, signal), [run]);
  const known: Run = head.value ?? { run };
  return html`<div class="side-of"><strong>${t(name)}</strong> <a data-row href=${runAddress(run)}><${Name} text=${known.program || run} /></a> <span class="quiet">${known.start ? time(known.start) : ""} <${Name} text=${run} /></span></div>`;
}

function Calls({ calls, left, right }: { readonly calls: readonly CallDiff[]; readonly left: string; readonly right: string }): VNode {
  const first = firstOf(calls);
  if (calls.length === 0) return html`<p class="quiet">${t("no_calls")}</p>`;
  return html`
    <p class="lead" role="status">${first ? t("differ_at", { site: calls[first.call]?.site ?? "" }) : t("no_difference")}</p>
    ${calls.map((call, index) => html`<${CallPart} call=${call} left=${left} right=${right} first=${first?.call === index ? first : undefined} />`)}`;
}
