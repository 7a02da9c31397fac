/** Reports of evals: rows are cases, columns are variants, and each cell leads to the run that was judged (EV-5, IN-12). */

import { api } from "../api.js";
import { evals as evalsAddress, evaluation, run as runAddress } from "../address.js";
import { useLoaded, Waiting } from "../load.js";
import { count } from "../text/format.js";
import { Name } from "../text/show.js";
import type { EvalCell, EvalHead, EvalReport, EvalSuite } from "../types.js";
import { html, type Child, type VNode } from "../vendor/preact.js";
import { t, type Word } from "../words/words.js";
import { table } from "./parts.js";

export function EvalsView(): VNode {
  const page = useLoaded((signal) => api.evals(signal), []);
  return html`
    <section data-view="evals">
      <h1>${t("evals")}</h1>
      <${Waiting} loaded=${page} what="loading">${({ evals }: { readonly evals: readonly EvalHead[] }) => table(t("evals"), [["name"], ["outcome_passed", "calls"], ["outcome_failed", "calls"], ["outcome_skipped", "calls"]], evals.map((one) => html`<tr><td><a data-row href=${evaluation(one.name)}><${Name} text=${one.name} /></a></td><td class="calls">${count(one.passed)}</td><td class="calls">${one.failed > 0 ? html`<span class="bad">${count(one.failed)}</span>` : "0"}</td><td class="calls">${count(one.skipped)}</td></tr>`))}</>
    </section>`;
}

export function EvalView({ name }: { readonly name: string }): VNode {
  const report = useLoaded((signal) => api.eval(name, signal), [name]);
  return html`
    <section data-view="evals">
      <p class="path"><a href=${evalsAddress()}>${t("evals")}</a></p>
      <h1><${Name} text=${name} /></h1>
      <${Waiting} loaded=${report} what="loading">${(value: EvalReport) => html`
        <p class="lead">${t("evals_sum", { passed: count(value.passed), failed: count(value.failed), skipped: count(value.skipped) })}</p>
        ${value.suites.map((suite) => html`<${Matrix} suite=${suite} />`)}`}</>
    </section>`;
}

/** The cells of a file of tests. A case that was repeated has several in one place. */
function Matrix({ suite }: { readonly suite: EvalSuite }): VNode {
  const cases = [...new Set(suite.cases.map((cell) => cell.name))];
  const variants = [...new Set(suite.cases.map((cell) => cell.variant ?? ""))];
  const heads = variants.map((variant) => html`<th scope="col">${variant === "" ? t("no_variant") : html`<${Name} text=${variant} />`}</th>`);
  const cells = new Map<string, EvalCell[]>();
  const place = (name: string, variant: string): string => JSON.stringify([name, variant]);
  for (const cell of suite.cases) {
    const key = place(cell.name, cell.variant ?? "");
    cells.set(key, [...(cells.get(key) ?? []), cell]);
  }
  return html`
    <h2><${Name} text=${suite.file} /></h2>
    <div class="scroll" tabindex="0" role="group" aria-label=${suite.file}><table class="sums matrix">
      <thead><tr><th scope="col">${t("case")}</th>${heads}</tr></thead>
      <tbody>${cases.map((name) => html`<tr><th scope="row"><${Name} text=${name} /></th>${variants.map((variant) => html`<td>${(cells.get(place(name, variant)) ?? []).map((cell) => html`<${Cell} cell=${cell} />`)}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

const OUTCOMES: Record<string, readonly [sign: string, tone: string, word: Word]> = {
  passed: ["✓", "good", "outcome_passed"], failed: ["✕", "bad", "outcome_failed"], error: ["⚠", "bad", "outcome_error"], skipped: ["–", "quiet", "outcome_skipped"],
};

function Cell({ cell }: { readonly cell: EvalCell }): VNode {
  const [sign, tone, word] = OUTCOMES[cell.outcome] ?? ["•", "", "unknown"];
  const told: Child = html`<span class="outcome ${tone}"><span aria-hidden="true">${sign}</span> ${t(word)}</span>`;
  const faults = cell.expectations.filter((one) => !one.passed);
  return html`
    <div class="cell">
      ${cell.run ? html`<a data-row href=${runAddress(cell.run)}>${told}</a>` : told} <span class="quiet">${t("tokens_n", { n: count(cell.tokens) })}</span>
      ${faults.map((one) => html`<p class="fault"><${Name} text=${one.name} />: <${Name} text=${one.detail ?? ""} /></p>`)}
      ${cell.error && html`<p class="fault"><code><${Name} text=${cell.error.code} /></code> <${Name} text=${cell.error.message} /></p>`}
    </div>`;
}
