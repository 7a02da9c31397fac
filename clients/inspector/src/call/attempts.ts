/** The attempts to get an answer: the answer, its errors, options, time, tokens and cost (IN-6). */

import { cost, count, counted, duration, json } from "../text/format.js";
import { Block, Name } from "../text/show.js";
import { plain } from "../text/visible.js";
import type { AttemptRecord, Manifest, Prompt, SentAttempt, SentCall } from "../types.js";
import { html, useMemo, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { goTo, hue } from "./items.js";
import { supports, type Support } from "./support.js";
import { Fact } from "../views/parts.js";

interface Attempt {
  readonly number: number;
  readonly sent: readonly SentAttempt[];
  readonly record: AttemptRecord | undefined;
}

/** Puts together what the prompt and the manifest say of each attempt. An attempt has one request for each round of tool calls. */
export function attemptsOf(prompt: Prompt, manifest: Manifest): Attempt[] {
  const numbers = new Set([...(prompt.attempts ?? []), ...(manifest.attempts ?? [])].map((one) => one.attempt));
  return [...numbers].sort((a, b) => a - b).map((number) => ({
    number,
    sent: (prompt.attempts ?? []).filter((one) => one.attempt === number),
    record: manifest.attempts?.find((one) => one.attempt === number),
  }));
}

export function Attempts({ prompt, manifest }: { readonly prompt: Prompt; readonly manifest: Manifest }): VNode {
  const attempts = attemptsOf(prompt, manifest);
  return html`
    <h2>${t("answer")}</h2>
    ${attempts.length === 0 ? html`<p class="quiet">${t("no_answer")}</p>` : attempts.map((attempt) => html`<${AttemptView} attempt=${attempt} prompt=${prompt} many=${attempts.length > 1} />`)}
    ${attempts[0]?.sent[0]?.kept === undefined && html`<dl class="facts"><${Fact} name=${t("cost")}>${cost(manifest.cost)}</></dl>`}
    ${(manifest.passed_over ?? []).map((one) => html`<p class="note">${t("passed_over")} <${Name} text=${one.uri} />: <${Name} text=${one.reason} /></p>`)}`;
}

function AttemptView({ attempt, prompt, many }: { readonly attempt: Attempt; readonly prompt: Prompt; readonly many: boolean }): VNode {
  return html`
    <section class="attempt" aria-label=${t("attempt", { n: attempt.number })}>
      ${many && html`<h3>${t("attempt", { n: attempt.number })}</h3>`}
      ${attempt.sent.map((sent, index) => html`<${Exchange} sent=${sent} next=${attempt.sent[index + 1]} prompt=${prompt} />`)}
      ${attempt.record && html`<${Record} record=${attempt.record} />`}
    </section>`;
}

/** What a request added to the prompt, and what came back: an answer, or calls of tools, which the next request has. */
function Exchange({ sent, next, prompt }: { readonly sent: SentAttempt; readonly next: SentAttempt | undefined; readonly prompt: Prompt }): VNode {
  const added = sent.messages ?? [];
  const calls = (next?.messages ?? []).slice(added.length).flatMap((message) => message.calls ?? []);
  return html`
    ${sent.kept && html`<p class="note">${t(sent.kept === "record" ? "kept_record" : "kept_cache")}</p>`}
    ${added.length > 0 && html`<details><summary>${t("added_messages", { n: count(added.length) })}</summary>${added.map((message) => html`<h4><${Name} text=${message.role} /></h4>${message.text !== "" && html`<${Block} text=${message.text} label=${plain(message.role)} />`}${(message.calls ?? []).length > 0 && html`<${Calls} calls=${message.calls ?? []} />`}`)}</details>`}
    ${calls.length > 0 ? html`<p class="quiet">${t("asked_tools")}</p><${Calls} calls=${calls} />` : sent.answer ? html`<${Block} text=${pretty(sent.answer)} label=${t("answer")} /><${Supported} prompt=${prompt} answer=${sent.answer} />` : html`<p class="quiet">${t(sent.answer === "" ? "empty_answer" : "no_answer")}</p>`}
    ${hasErrors(sent.errors) && html`<h4 class="bad">${t("errors")}</h4><ul class="errors">${errorsOf(sent.errors).map((one) => html`<li><${Name} text=${one} /></li>`)}</ul>`}`;
}

function Calls({ calls }: { readonly calls: readonly SentCall[] }): VNode {
  return html`${calls.map((call) => html`<p><code><${Name} text=${`${call.function}(${call.arguments})`} /></code></p>`)}`;
}

/** The fields of an answer that an item has word for word lead to it. */
function Supported({ prompt, answer }: { readonly prompt: Prompt; readonly answer: string }): Child {
  const found = useMemo(() => supports(prompt, answer), [prompt, answer]);
  if (found.length === 0) return null;
  const name = (index: number): string => prompt.items?.find((item) => item.index === index)?.label ?? `${index + 1}`;
  const link = (index: number): VNode => html` <button type="button" class="plain" onClick=${() => goTo(index)}><span class="badge ${hue(index)}">${index + 1}</span> <${Name} text=${name(index)} /></button>`;
  return html`<ul class="supports">${found.map((one) => html`<li>${told(one)}${one.items.map(link)}</li>`)}</ul>`;
}

function told({ path, text, cited }: Support): Child {
  const field = path !== "" && html`<code><${Name} text=${path} /></code> `;
  if (cited) return html`${field}${t(path === "" ? "answer_cites" : "cites")} <code><${Name} text=${text} /></code>`;
  return path === "" ? t("answer_stands_in") : html`${field}${t("stands_in")}`;
}

/** An answer that is JSON is indented; any other stays as it came. */
function pretty(answer: string): string {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : answer;
  } catch {
    return answer;
  }
}

function hasErrors(errors: unknown): boolean {
  return Array.isArray(errors) ? errors.length > 0 : errors !== undefined && errors !== null;
}

/** Errors by the path of their field, as lines. */
function errorsOf(errors: unknown): string[] {
  const list = Array.isArray(errors) ? errors : [errors];
  return list.map((one: unknown) => {
    const error = (typeof one === "object" && one !== null ? one : {}) as { readonly path?: unknown; readonly message?: unknown };
    if (typeof error.message !== "string") return json(one);
    return typeof error.path === "string" && error.path !== "" ? `${error.path}: ${error.message}` : error.message;
  });
}

function Record({ record }: { readonly record: AttemptRecord }): VNode {
  const fact = (name: string, value: Child): VNode => html`<${Fact} name=${name}>${value}</>`;
  return html`
    ${record.failure && html`<p class="fault"><${Name} text=${record.failure} /></p>`}
    ${(record.retried ?? []).map((one, index) => html`<p class="note">${t("retried")} <${Name} text=${one} />${record.waits_ms?.[index] !== undefined && ` (${duration(record.waits_ms[index] * 1_000)})`}</p>`)}
    <dl class="facts">
      ${fact(t("finish"), html`<${Name} text=${record.finish_reason ?? "–"} />`)}
      ${fact(t("latency"), duration(typeof record.latency_ms === "number" ? record.latency_ms * 1_000 : undefined))}
      ${fact(t("tokens_in"), counted(record.prompt_tokens, record.estimated))}
      ${fact(t("tokens_out"), counted(record.completion_tokens, record.estimated))}
      ${fact(t("cached"), count(record.cached_tokens))}
      ${fact(t("max_output"), count(record.max_output))}
      ${fact(t("schema"), html`<${Name} text=${record.schema_form ?? "–"} />`)}
    </dl>
    ${record.options !== undefined && record.options !== null && html`<details><summary>${t("options")}</summary><${Block} text=${json(record.options)} label=${t("options")} /></details>`}`;
}
