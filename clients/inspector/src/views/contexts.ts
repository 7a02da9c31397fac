/** Stored contexts: all of them, and one with its transcript, and its state at each version (IN-12). */

import { api } from "../api.js";
import { context as contextAddress, contexts as contextsAddress, type ContextFilter } from "../address.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { count, json, time } from "../text/format.js";
import { submitted } from "../text/form.js";
import { Block, Long, Name } from "../text/show.js";
import type { About, Context, ContextChange, ContextMessage, ContextPage } from "../types.js";
import { html, useEffect, useState, type Child, type VNode } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { Fact, table } from "./parts.js";

export function ContextsView({ filter }: { readonly filter: ContextFilter }): VNode {
  const page = useLoaded((signal) => api.contexts(filter, signal), [filter]);
  return html`
    <section data-view="contexts">
      <h1>${t("contexts")}</h1>
      <${Waiting} loaded=${page} what="loading">${(value: ContextPage) => html`<${Filters} filter=${filter} page=${value} /><${List} filter=${filter} page=${value} />`}</>
    </section>`;
}

function Filters({ filter, page }: { readonly filter: ContextFilter; readonly page: ContextPage }): VNode {
  const submit = (event: Event): void => {
    const value = submitted(event);
    location.hash = contextsAddress({ owner: value("owner"), search: value("search"), after: "" });
  };
  return html`
    <form class="filters" role="search" onSubmit=${submit}>
      <label>${t("owner")}<select name="owner">${page.owners.map((one) => html`<option value=${one} selected=${one === page.owner}>${one}</option>`)}</select></label>
      <label>${t("text")}<input name="search" type="search" dir="auto" autocomplete="off" defaultValue=${filter.search} /></label>
      <button class="primary">${t("filter")}</button>
    </form>`;
}

function List({ filter, page }: { readonly filter: ContextFilter; readonly page: ContextPage }): VNode {
  const owner = page.owner ?? "";
  return html`
    ${page.contexts.length === 0 && html`<p class="quiet">${t("no_contexts")}</p>`}
    ${page.contexts.length > 0 && table(t("contexts"), [["context"], ["name"], ["started"], ["changed_at"], ["version", "calls"], ["messages", "calls"]], page.contexts.map((row) => html`<tr><td><a data-row href=${contextAddress(owner, row.contextId)}><${Name} text=${row.contextId} /></a></td><td><${Name} text=${titleOf(row)} /></td><td>${time(row.creationTime)}</td><td>${time(row.lastUpdateTime)}</td><td class="calls">${count(row.version)}</td><td class="calls">${count(row.messageCount)}</td></tr>`))}
    ${page.next && html`<p><a class="button" href=${contextsAddress({ ...filter, owner, after: page.next })}>${t("more")}</a></p>`}`;
}

function titleOf(row: { readonly metadata?: { readonly title?: unknown } | null }): string {
  return typeof row.metadata?.title === "string" ? row.metadata.title : "";
}

interface One {
  readonly owner: string;
  readonly context: string;
}

export function ContextView({ owner, context, about }: One & { readonly about: About }): VNode {
  const head = useLoaded((signal) => api.context(owner, context, undefined, signal), [owner, context]);
  return html`
    <section data-view="context">
      <p class="path"><a href=${contextsAddress({ owner, search: "", after: "" })}>${t("contexts")}</a></p>
      <${Waiting} loaded=${head} what="loading" title=${context}>${(value: Context) => html`
        <h1><${Name} text=${titleOf(value) || value.contextId} /></h1>
        <dl class="facts">
          <${Fact} name=${t("context")}><code><${Name} text=${value.contextId} /></code></>
          <${Fact} name=${t("owner")}><${Name} text=${value.owner} /></>
          <${Fact} name=${t("started")}>${time(value.creationTime)}</>
          <${Fact} name=${t("changed_at")}>${time(value.lastUpdateTime)}</>
          <${Fact} name=${t("version")}>${count(value.last)}</>
        </dl>
        <${Acts} owner=${owner} context=${context} about=${about} />
        <div class="columns">
          <div class="prompt"><h2>${t("messages")}</h2><${Transcript} owner=${owner} context=${context} /></div>
          <aside class="side"><h2>${t("state")}</h2><${Versions} owner=${owner} context=${context} head=${value} /></aside>
        </div>`}</>
    </section>`;
}

/** What can be done with a context: its transcript is taken along, and where the server lets it, it is forked. */
function Acts({ owner, context, about }: One & { readonly about: About }): VNode {
  const [error, setError] = useState<unknown>(undefined);
  const fork = (): void => {
    api.fork(context).then((made) => (location.hash = contextAddress(owner, made.contextId)), setError);
  };
  const take = (): void => {
    api.transcript(owner, context).then((text) => saved(text, `${context}.md`), setError);
  };
  return html`
    <p class="steps"><button type="button" onClick=${take}>${t("transcript")}</button>${about.can_change && html` <button type="button" onClick=${fork}>${t("fork")}</button>`}</p>
    ${error !== undefined && html`<${Refused} error=${error} />`}`;
}

/** Lets the reader save a file that was asked for with their token. */
function saved(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the address by the next turn.
  setTimeout(() => URL.revokeObjectURL(address));
}

/** The messages from the newest backwards, in their order. */
function Transcript({ owner, context }: One): VNode {
  const [messages, setMessages] = useState<readonly ContextMessage[]>([]);
  const [next, setNext] = useState<number | null | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const more = (before: number | null | undefined): void => {
    api.messages(owner, context, before ?? undefined).then((page) => {
      setMessages((known) => [...page.messages, ...known]);
      setNext(page.next ?? null);
    }, setError);
  };
  useEffect(() => more(undefined), []);
  return html`
    ${error !== undefined && html`<${Refused} error=${error} />`}
    ${typeof next === "number" && html`<p><button type="button" onClick=${() => more(next)}>${t("older")}</button></p>`}
    ${messages.map((message) => html`<${Message} key=${message.messageId} message=${message} />`)}`;
}

function Message({ message }: { readonly message: ContextMessage }): VNode {
  const text = message.content?.["text"];
  return html`
    <article class="said">
      <p class="quiet"><strong><${Name} text=${message.sender?.id ?? ""} /></strong> <${Name} text=${message.type} /> · ${time(message.timestamp)} · <code><${Name} text=${message.messageId} /></code></p>
      ${typeof text === "string" ? html`<p><${Long} text=${text} /></p>` : html`<${Block} text=${json(message.content)} label=${message.type} />`}
    </article>`;
}

/** A slider over the versions, with what each changed and the message that caused it, and the state as it was then. */
function Versions({ owner, context, head }: One & { readonly head: Context }): VNode {
  const [version, setVersion] = useState(head.last);
  const at = useLoaded((signal) => api.context(owner, context, version, signal), [version]);
  const changes = useLoaded((signal) => (version > head.oldest ? api.changes(owner, context, version - 1, signal) : Promise.resolve({ changes: [] })), [version]);
  const slide = (event: Event): void => setVersion(Number((event.target as HTMLInputElement).value));
  const of = (all: readonly ContextChange[]): readonly ContextChange[] => all.filter((one) => one.version === version);
  return html`
    <label class="versions">${t("version")} ${count(version)} / ${count(head.last)}
      <input type="range" min=${head.oldest} max=${head.last} value=${version} onInput=${slide} disabled=${head.last === head.oldest} /></label>
    <div><${Waiting} loaded=${changes} what="loading">${(value: { changes: readonly ContextChange[] }) => html`<ul>${of(value.changes).map((one) => html`<${ChangeLine} change=${one} />`)}</ul>`}</></div>
    <div><${Waiting} loaded=${at} what="loading">${(value: Context) => (value.state === null ? html`<p class="note">${t("state_gone", { n: count(head.oldest) })}</p>` : html`<${Block} text=${json(value.state)} label=${t("state")} />`)}</></div>`;
}

function ChangeLine({ change }: { readonly change: ContextChange }): Child {
  const what = change.path ?? change.message?.messageId ?? "";
  return html`<li><code><${Name} text=${change.op} /></code> <${Name} text=${what} /> · ${time(change.time)}${change.cause && html` · ${t("caused_by")} <code><${Name} text=${change.cause} /></code>`}</li>`;
}
