/** All runs, newest first (IN-1, IN-4): filter, more on request, two of them compared. */

import { api } from "../api.js";
import { diff, run as runAddress, runs as runsAddress, type Filter } from "../address.js";
import { Refused } from "../load.js";
import { cost, count, counted, duration, time } from "../text/format.js";
import { submitted } from "../text/form.js";
import { plain } from "../text/visible.js";
import { Name } from "../text/show.js";
import { html, useEffect, useRef, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import type { Run } from "../types.js";
import { ErrorText, Note, Outcome } from "./parts.js";

interface List {
  readonly rows: readonly Run[];
  readonly next: string | number | undefined;
  readonly notes: readonly string[];
  readonly loading: boolean;
  readonly error?: unknown;
}

const EMPTY: List = { rows: [], next: undefined, notes: [], loading: true };

export function RunsView({ filter }: { readonly filter: Filter }): VNode {
  const [list, more] = usePages(filter);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const pick = (run: string): void => setPicked((before) => (before.includes(run) ? before.filter((one) => one !== run) : [...before, run].slice(-2)));
  return html`
    <section data-view="runs">
      <h1>${t("runs")}</h1>
      <${Filters} filter=${filter} />
      ${list.notes.map((note) => html`<${Note} text=${note} />`)}
      <${Comparison} picked=${picked} rows=${list.rows} />
      ${list.rows.length > 0 && html`<${Table} rows=${list.rows} picked=${picked} pick=${pick} />`}
      ${list.error !== undefined && html`<${Refused} error=${list.error} />`}
      <p class="quiet" role="status">${status(list)}</p>
      ${list.next !== undefined && !list.loading && html`<${More} more=${more} />`}
    </section>`;
}

function status(list: List): string {
  if (list.loading) return t("loading_runs");
  if (list.error !== undefined) return "";
  if (list.rows.length === 0) return t("no_runs");
  return t(list.next === undefined ? "all_shown" : "some_shown", { n: count(list.rows.length) });
}

/** The pages of the list so far, and a way to ask for one more. A failed page can be asked for again. */
function usePages(filter: Filter): [List, () => void] {
  const [list, setList] = useState<List>(EMPTY);
  const alive = useRef(true);
  const load = (before: List): void => {
    api.runs(filter, before.next).then(
      (page) => alive.current && setList({ rows: [...before.rows, ...page.runs], next: page.next ?? undefined, notes: page.notes ?? [], loading: false }),
      (error: unknown) => alive.current && setList({ ...before, loading: false, error }),
    );
  };
  useEffect(() => {
    load(EMPTY);
    return () => {
      alive.current = false;
    };
  }, []);
  const more = (): void => {
    const before: List = { rows: list.rows, next: list.next, notes: list.notes, loading: true };
    setList(before);
    load(before);
  };
  return [list, more];
}

/** A button that also asks by itself when it comes into view. */
function More({ more }: { readonly more: () => void }): VNode {
  const button = useRef<HTMLButtonElement | null>(null);
  useEffect(() => {
    const seen = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && more());
    if (button.current) seen.observe(button.current);
    return () => seen.disconnect();
  }, []);
  return html`<button type="button" ref=${button} onClick=${more}>${t("more_runs")}</button>`;
}

/** The states that a run can be in, as the API and the page name them. */
const STATES = ["completed", "failed", "cancelled", "running", "interrupted"] as const;

/** The fields begin with the filter and are then the reader's: what is typed while runs are loading stays. */
function Filters({ filter }: { readonly filter: Filter }): VNode {
  const submit = (event: Event): void => {
    const value = submitted(event);
    location.hash = runsAddress({ program: value("program"), outcome: value("outcome"), model: value("model"), since: value("since"), until: value("until"), q: value("q") });
  };
  return html`
    <form class="filters" role="search" onSubmit=${submit}>
      <label>${t("program")}<input name="program" dir="auto" autocomplete="off" spellcheck=${false} defaultValue=${filter.program} /></label>
      <label>${t("outcome")}<select name="outcome">
        <option value="">${t("any")}</option>
        ${STATES.map((one) => html`<option value=${one} selected=${one === filter.outcome}>${t(one)}</option>`)}
      </select></label>
      <label>${t("model")}<input name="model" dir="auto" autocomplete="off" spellcheck=${false} defaultValue=${filter.model} /></label>
      <label>${t("since")}<input name="since" type="datetime-local" defaultValue=${filter.since} /></label>
      <label>${t("until")}<input name="until" type="datetime-local" defaultValue=${filter.until} /></label>
      <label>${t("text")}<input name="q" type="search" dir="auto" autocomplete="off" defaultValue=${filter.q} /></label>
      <button class="primary">${t("filter")}</button>
      ${Object.values(filter).some((one) => one !== "") && html`<a class="button" href=${runsAddress()}>${t("all_runs")}</a>`}
    </form>`;
}

/** Leads to the differences of two runs, the older one on the left. */
function Comparison({ picked, rows }: { readonly picked: readonly string[]; readonly rows: readonly Run[] }): VNode {
  const [newer, older] = rows.filter((row) => picked.includes(row.run)).map((row) => row.run);
  if (!newer || !older) return html`<p class="quiet compare">${t(picked.length === 1 ? "compare_one" : "compare_none")}</p>`;
  return html`<p class="compare"><a class="button primary" href=${diff(older, newer)}>${t("compare")}</a></p>`;
}

const COLUMNS = ["started", "program", "outcome", "calls", "tokens_in_out", "cost", "duration"] as const;

function Table({ rows, picked, pick }: { readonly rows: readonly Run[]; readonly picked: readonly string[]; readonly pick: (run: string) => void }): VNode {
  return html`
    <table class="runs" role="table">
      <thead role="rowgroup"><tr role="row">
        <th role="columnheader" scope="col"><span class="hidden">${t("compare")}</span></th>
        ${COLUMNS.map((name) => html`<th role="columnheader" scope="col" class=${name}>${t(name)}</th>`)}
      </tr></thead>
      <tbody role="rowgroup">${rows.map((row) => html`<${Row} key=${row.run} row=${row} picked=${picked.includes(row.run)} pick=${pick} />`)}</tbody>
    </table>`;
}

function Row({ row, picked, pick }: { readonly row: Run; readonly picked: boolean; readonly pick: (run: string) => void }): VNode {
  const tokens = `${counted(row.input, row.estimated)} / ${counted(row.output, row.estimated)}`;
  const cell = (name: (typeof COLUMNS)[number], value: Child): VNode => html`<td role="cell" class=${name}><span class="small-name" aria-hidden="true">${t(name)}</span> ${value}</td>`;
  return html`
    <tr role="row" class=${picked ? "picked" : ""}>
      <td role="cell" class="pick"><label><input type="checkbox" checked=${picked} onChange=${() => pick(row.run)} /><span class="hidden">${t("compare_this", { run: row.run })}</span></label></td>
      <td role="cell" class="started"><a data-row href=${runAddress(row.run)} title=${plain(row.run)}>${time(row.start)}</a></td>
      <td role="cell" class="program"><${Name} text=${row.program || t("unknown")} /><div class="quiet"><${Name} text=${row.model ?? ""} /></div></td>
      <td role="cell" class="outcome-cell"><${Outcome} run=${row} /><${ErrorText} error=${row.error} /></td>
      ${cell("calls", count(row.calls))}
      ${cell("tokens_in_out", tokens)}
      ${cell("cost", cost(row.cost))}
      ${cell("duration", duration(row.duration_us))}
    </tr>`;
}
