/** The knowledge packs of the project, and one with its sections and what a question finds in it (IN-12). */

import { api } from "../api.js";
import { knowledge as knowledgeAddress, pack as packAddress } from "../address.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { count } from "../text/format.js";
import { submitted } from "../text/form.js";
import { Block, Long, Name } from "../text/show.js";
import type { Hit, PackHead, PackDetails } from "../types.js";
import { html, useState, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { Fact, Note } from "./parts.js";

export function KnowledgeView(): VNode {
  const packs = useLoaded((signal) => api.packs(signal), []);
  return html`
    <section data-view="knowledge">
      <h1>${t("knowledge")}</h1>
      <${Waiting} loaded=${packs} what="loading">${(value: { packs: readonly PackHead[]; notes: readonly string[] }) => html`
        ${value.notes.map((note) => html`<${Note} text=${note} />`)}
        ${value.packs.length === 0 && html`<p class="quiet">${t("no_packs")}</p>`}
        ${value.packs.map((pack) => html`<article class="said">
          <h2><a data-row href=${packAddress(pack.name)}><${Name} text=${pack.name} /></a></h2>
          <p><${Name} text=${pack.description} /></p>
          <p class="quiet"><${Name} text=${[pack.type, pack.status, pack.trust].filter(Boolean).join(" · ")} />${pack.usage && html` · ${t("pack_uses", { n: count(pack.usage.uses) })}`}</p>
          ${pack.closed && html`<${Note} text=${pack.closed} />`}
        </article>`)}`}</>
    </section>`;
}

export function PackView({ name }: { readonly name: string }): VNode {
  const pack = useLoaded((signal) => api.pack(name, signal), [name]);
  return html`
    <section data-view="knowledge">
      <p class="path"><a href=${knowledgeAddress()}>${t("knowledge")}</a></p>
      <h1><${Name} text=${name} /></h1>
      <${Waiting} loaded=${pack} what="loading">${(value: PackDetails) => html`
        <p><${Name} text=${value.description} /></p>
        <dl class="facts">
          <${Fact} name=${t("kind")}><${Name} text=${value.type} /></>
          <${Fact} name=${t("outcome")}><${Name} text=${value.status} /></>
          <${Fact} name=${t("trust")}><${Name} text=${value.trust ?? t("unknown")} /></>
        </dl>
        ${value.warnings.map((warning) => html`<${Note} text=${warning} />`)}
        <${Question} name=${name} />
        <details><summary>${t("guide")}</summary><${Block} text=${value.guide} label=${t("guide")} /></details>
        <h2>${t("sections", { n: count(value.all_sections) })}</h2>
        ${value.left_out.length > 0 && html`<p class="quiet">${t("not_text")} <${Name} text=${value.left_out.join(", ")} /></p>`}
        <div class="scroll" tabindex="0" role="group" aria-label=${t("sections", { n: count(value.all_sections) })}><table class="sums">
          <thead><tr><th scope="col">${t("file")}</th><th scope="col">${t("heading")}</th><th scope="col" class="calls">${t("tokens_unit")}</th></tr></thead>
          <tbody>${value.sections.map((one) => html`<tr><td><code><${Name} text=${`${one.path}:${one.first_line}`} /></code></td><td><${Name} text=${one.heading} /></td><td class="calls">${count(one.tokens)}</td></tr>`)}</tbody>
        </table></div>`}</>
    </section>`;
}

/** Asks a pack, as a `use` with a question does. */
function Question({ name }: { readonly name: string }): VNode {
  const [hits, setHits] = useState<readonly Hit[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const submit = (event: Event): void => {
    const question = submitted(event)("q");
    if (question === "") return;
    api.search(name, question).then((found) => (setHits(found.hits), setError(undefined)), setError);
  };
  return html`
    <form class="filters" role="search" onSubmit=${submit}>
      <label>${t("question")}<input name="q" type="search" dir="auto" autocomplete="off" required /></label>
      <button class="primary">${t("search")}</button>
    </form>
    ${error !== undefined && html`<${Refused} error=${error} />`}
    <div role="status">${hits?.length === 0 && html`<p class="quiet">${t("no_hits")}</p>`}
      ${hits?.map((hit) => html`<article class="said"><p><strong>${hit.score.toFixed(2)}</strong> <code><${Name} text=${hit.anchor} /></code> <${Name} text=${hit.heading} /></p><p><${Long} text=${hit.text} /></p></article>`)}</div>`;
}
