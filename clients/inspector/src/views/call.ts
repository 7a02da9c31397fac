/** One model call: the exact messages, every item in its place, what was cut, and the answer (IN-6, IN-7, IN-9). */

import { api } from "../api.js";
import { call as callAddress, run as runAddress, runs } from "../address.js";
import { Attempts } from "../call/attempts.js";
import { CutLine, Items, Selected, TokenBar } from "../call/list.js";
import { MessageView } from "../call/message.js";
import { Tried } from "../call/tried.js";
import { WhyNot } from "../call/why.js";
import { runOfFile } from "../file.js";
import { useLoaded, Waiting } from "../load.js";
import { count, json, place } from "../text/format.js";
import { Block, Name } from "../text/show.js";
import type { About, CallAnswer, Manifest, Prompt } from "../types.js";
import { html, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";

export function CallView({ run, call, about }: { readonly run: string; readonly call: number; readonly about: About }): VNode {
  const head = useLoaded((signal) => api.call(run, call, signal), [run, call]);
  const prompt = useLoaded((signal) => api.prompt(run, call, signal), [run, call]);
  return html`
    <section data-view="call">
      <p class="path">${runOfFile() === undefined && html`<a href=${runs()}>${t("runs")}</a> <span aria-hidden="true">›</span> `}<a href=${runAddress(run)}><${Name} text=${run} /></a></p>
      <${Waiting} loaded=${head} what="loading_call" title=${t("call_number", { n: call })}>${(answer: CallAnswer) => html`<${Head} run=${run} answer=${answer} />`}</>
      ${about.can_recheck && head.value && html`<${Tried} run=${run} manifest=${head.value.manifest} />`}
      <${Waiting} loaded=${prompt} what="loading_prompt">${(value: Prompt) => head.value && html`<${Body} run=${run} call=${call} prompt=${value} manifest=${head.value.manifest} />`}</>
      ${prompt.error !== undefined && head.value && html`<${Items} run=${run} items=${head.value.manifest.items ?? []} /><${Selected} manifest=${head.value.manifest} />`}
    </section>`;
}

function Head({ run, answer }: { readonly run: string; readonly answer: CallAnswer }): VNode {
  const { manifest } = answer;
  const site = manifest.site;
  const within = [site?.agent, site?.function].filter(Boolean).join(".");
  return html`
    <header class="head">
      <h1>${t("call_title", { n: count(answer.call), calls: count(answer.calls) })}</h1>
      <p class="lead"><${Name} text=${within} /> <code><${Name} text=${place(site)} /></code> <span class="quiet"><${Name} text=${manifest.model?.uri ?? ""} /></span></p>
      <p class="steps">
        ${answer.call > 1 && html`<a class="button" href=${callAddress(run, answer.call - 1)}>← ${t("previous_call")}</a>`}
        ${answer.call < answer.calls && html`<a class="button" href=${callAddress(run, answer.call + 1)}>${t("next_call")} →</a>`}
      </p>
      <${TokenBar} manifest=${manifest} />
      <${CutLine} items=${manifest.items ?? []} />
    </header>`;
}

interface BodyProps {
  readonly run: string;
  readonly call: number;
  readonly prompt: Prompt;
  readonly manifest: Manifest;
}

function Body({ run, call, prompt, manifest }: BodyProps): VNode {
  return html`
    <div class="columns">
      <div class="prompt">
        <h2>${t("prompt")}</h2>
        ${prompt.messages.length === 0 && html`<p class="quiet">${t("no_messages")}</p>`}
        ${prompt.messages.map((_, index) => html`<${MessageView} key=${index} run=${run} prompt=${prompt} index=${index} />`)}
        ${tools(prompt, manifest)}
      </div>
      <aside class="side" aria-label=${t("details")}>
        <${Attempts} prompt=${prompt} manifest=${manifest} />
        ${runOfFile() === undefined && html`<${WhyNot} run=${run} call=${call} />`}
        <${Items} run=${run} items=${prompt.items ?? []} />
        <${Selected} manifest=${manifest} />
        ${masked(manifest)}
      </aside>
    </div>`;
}

/** The functions that the model could call. The definitions are there as they were sent, where the record has them. */
function tools(prompt: Prompt, manifest: Manifest): Child {
  const offered = manifest.tools ?? [];
  if (offered.length === 0) return null;
  return html`
    <h2>${t("tools")}</h2>
    <ul class="items">${offered.map((tool) => html`<li><strong><${Name} text=${tool.function} /></strong> <span class="quiet"><${Name} text=${`${tool.tool}.${tool.method}`} /> · <${Name} text=${tool.class} /> · ${t("tokens_n", { n: count(tool.tokens) })}</span></li>`)}</ul>
    ${(prompt.tools ?? []).length > 0 && html`<details><summary>${t("definitions")}</summary>${(prompt.tools ?? []).map((tool) => html`<${Block} text=${json(tool)} label=${t("definitions")} />`)}</details>`}`;
}

function masked(manifest: Manifest): Child {
  const secrets = manifest.masked ?? [];
  if (secrets.length === 0) return null;
  return html`<h2>${t("masked")}</h2><ul class="items">${secrets.map((one) => html`<li><${Name} text=${one.what} /> <span class="quiet"><${Name} text=${one.part} />:${one.line}</span></li>`)}</ul>`;
}
