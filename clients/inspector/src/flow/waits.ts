/** What waits for a client or a person, and answers to it where the server takes them (IN-11). */

import { api } from "../api.js";
import { context as contextAddress, flow as flowAddress } from "../address.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { json, time } from "../text/format.js";
import { Block, Name } from "../text/show.js";
import type { About, Wait } from "../types.js";
import { html, useRef, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";

interface Props {
  /** The run of a set; all runs and turns when absent. */
  readonly flow?: string;
  /** Changes when it is to be asked for again. */
  readonly again: unknown;
  readonly about: About;
  /** What is done after an answer. */
  readonly done: () => void;
}

export function Waits({ flow, again, about, done }: Props): VNode {
  const page = useLoaded((signal) => api.waits(flow, signal), [flow, again]);
  return html`<${Waiting} loaded=${page} what="loading">${({ waits, next }: { readonly waits: readonly Wait[]; readonly next?: number | null }) => waits.length > 0 && html`
    <section class="waits"><h2>${t("waits")}</h2>
      ${waits.map((wait) => html`<${One} key=${`${wait.contextId} ${wait.callId}`} wait=${wait} about=${about} within=${flow} done=${done} />`)}
      ${typeof next === "number" && html`<p class="note">${t("more_waits", { n: waits.length })}</p>`}
    </section>`}</>`;
}

function One({ wait, about, within, done }: { readonly wait: Wait; readonly about: About; readonly within: string | undefined; readonly done: () => void }): VNode {
  return html`
    <article class="said">
      <p><span class="tag wait">${t(wait.kind === "PERMISSION" ? "wait_question" : "wait_call")}</span> <strong><${Name} text=${wait.callId} /></strong>
        ${wait.step !== "" && html` · <${Name} text=${wait.step} />`}${wait.flow !== "" && wait.flow !== within && html` · <a href=${flowAddress(wait.flow)}><${Name} text=${wait.flow} /></a>`} · <a href=${contextAddress(wait.owner, wait.contextId)}><${Name} text=${wait.contextId} /></a></p>
      <p class="quiet"><${Name} text=${wait.client} /> · ${time(wait.since)} – ${time(wait.expires)}</p>
      <details open><summary>${t("what_is_asked")}</summary><${Block} text=${json(wait.request)} label=${t("what_is_asked")} /></details>
      ${about.can_change && html`<${Answer} wait=${wait} done=${done} />`}
    </article>`;
}

/** The answer to a question is yes or no; that to a call is its result, as the tool would give it. */
function Answer({ wait, done }: { readonly wait: Wait; readonly done: () => void }): VNode {
  const [error, setError] = useState<unknown>(undefined);
  const area = useRef<HTMLTextAreaElement | null>(null);
  const settle = (asked: Promise<unknown>): void => void asked.then(() => (setError(undefined), done()), setError);
  const give = (answer: unknown): void => settle(api.answerWait(wait, answer));
  const allow = (allowed: boolean): void => give({ status: "SUCCESS", result: { allowed } });
  const submit = (event: Event): void => {
    event.preventDefault();
    try {
      give({ status: "SUCCESS", result: JSON.parse(area.current?.value ?? "") as unknown });
    } catch (fault) {
      setError(fault);
    }
  };
  const refuse = (): void => settle(api.cancelWait(wait));
  const buttons: Child = wait.kind === "PERMISSION"
    ? html`<p class="steps"><button type="button" class="primary" onClick=${() => allow(true)}>${t("allow")}</button> <button type="button" onClick=${() => allow(false)}>${t("deny")}</button></p>`
    : html`<form onSubmit=${submit}><label class="field">${t("result_json")}<textarea ref=${area} rows="3" dir="ltr" spellcheck=${false} autocomplete="off" defaultValue="{}"></textarea></label>
        <p class="steps"><button class="primary">${t("give_answer")}</button> <button type="button" onClick=${refuse}>${t("cancel")}</button></p></form>`;
  return html`${buttons}${error !== undefined && html`<${Refused} error=${error} />`}`;
}
