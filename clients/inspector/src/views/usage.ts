/** What runs took over time, by program, place and model (IN-13). */

import { api } from "../api.js";
import { usage as usageAddress, type UsageFilter } from "../address.js";
import { useLoaded, Waiting } from "../load.js";
import { cost, count, counted, day, duration, time } from "../text/format.js";
import { submitted } from "../text/form.js";
import { Name } from "../text/show.js";
import type { Usage, UsageRow } from "../types.js";
import { html, type Child, type VNode } from "../vendor/preact.js";
import { t, type Word } from "../words/words.js";
import { Note } from "./parts.js";

const BY = ["program", "place", "model"] as const;
const STEPS = ["day", "hour"] as const;

export function UsageView({ filter }: { readonly filter: UsageFilter }): VNode {
  const usage = useLoaded((signal) => api.usage(filter, signal), [filter]);
  return html`
    <section data-view="usage">
      <h1>${t("usage")}</h1>
      <${Filters} filter=${filter} />
      <${Waiting} loaded=${usage} what="loading_usage">${(value: Usage) => html`<${Sums} usage=${value} filter=${filter} />`}</>
    </section>`;
}

function Filters({ filter }: { readonly filter: UsageFilter }): VNode {
  const submit = (event: Event): void => {
    const value = submitted(event);
    location.hash = usageAddress({ by: value("by"), step: value("step"), program: value("program") });
  };
  const select = (name: "by" | "step", label: Word, values: readonly Word[]): VNode => html`
    <label>${t(label)}<select name=${name}>${values.map((one) => html`<option value=${one} selected=${one === filter[name]}>${t(one)}</option>`)}</select></label>`;
  return html`
    <form class="filters" role="search" onSubmit=${submit}>
      ${select("by", "usage_by", BY)} ${select("step", "usage_step", STEPS)}
      <label>${t("program")}<input name="program" dir="auto" autocomplete="off" spellcheck=${false} defaultValue=${filter.program} /></label>
      <button class="primary">${t("filter")}</button>
    </form>`;
}

function Sums({ usage, filter }: { readonly usage: Usage; readonly filter: UsageFilter }): VNode {
  if (usage.all.runs === 0) return html`<p class="quiet">${t("no_runs")}</p>`;
  const by = BY.find((one) => one === filter.by) ?? "program";
  const when = (row: UsageRow): string => (filter.step === "hour" ? time(row.name) : day(row.name));
  return html`
    ${usage.notes.map((note) => html`<${Note} text=${note} />`)}
    ${usage.more && html`<p class="note">${t("usage_more", { n: count(usage.all.runs) })}</p>`}
    <${Table} title=${t(by)} rows=${usage.rows} all=${usage.all} name=${(row: UsageRow) => html`<${Name} text=${row.name || t("unknown")} />`} />
    <h2>${t("over_time")}</h2>
    <${Table} title=${t(filter.step === "hour" ? "hour" : "day")} rows=${usage.times} all=${usage.all} name=${when} />
    <p class="quiet">${t(by === "program" ? "usage_of_runs" : "usage_of_calls")}</p>`;
}

interface TableProps {
  readonly title: string;
  readonly rows: readonly UsageRow[];
  readonly all: UsageRow;
  readonly name: (row: UsageRow) => Child;
}

function Table({ title, rows, all, name }: TableProps): VNode {
  const most = Math.max(1, ...rows.map((row) => row.input + row.output));
  const head = ["runs", "calls", "failures", "tokens_in_out", "cached", "cost", "median", "most"] as const;
  const line = (row: UsageRow, first: Child, bar: Child): VNode => html`
    <tr><th scope="row">${first}</th>
      <td class="calls">${count(row.runs)}</td><td class="calls">${count(row.calls)}</td><td class="calls ${row.failed > 0 ? "bad" : ""}">${count(row.failed)}</td>
      <td class="calls">${counted(row.input, row.estimated)} / ${counted(row.output, row.estimated)}${bar}</td>
      <td class="calls">${count(row.cached)}</td><td class="calls">${money(row)}</td><td class="calls">${duration(row.median_us)}</td><td class="calls">${duration(row.most_us)}</td></tr>`;
  const bar = (row: UsageRow): VNode => html`<div class="sum-bar" aria-hidden="true"><span style=${{ inlineSize: `${((row.input + row.output) / most) * 100}%` }}></span></div>`;
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label=${title}><table class="sums">
      <thead><tr><th scope="col">${title}</th>${head.map((one) => html`<th scope="col" class="calls">${t(one)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => line(row, name(row), bar(row)))}</tbody>
      <tfoot>${line(all, t("sum"), null)}</tfoot>
    </table></div>`;
}

/** What is known of the cost; runs or calls without a price are told beside it, and what they took is not free then. */
function money(row: UsageRow): Child {
  const known = Object.entries(row.cost).filter(([, micros]) => micros > 0 || row.unpriced === 0).map(([currency, micros]) => cost({ currency, micros }));
  return html`${known.join(" + ") || cost(undefined)}${row.unpriced > 0 && html`<div class="quiet">${t("unpriced", { n: count(row.unpriced) })}</div>`}`;
}
