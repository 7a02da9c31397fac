/** Stored contexts: all of them, and one with its transcript, and its state at each version (IN-12). */
import { api } from "../api.js";
import { context as contextAddress, contexts as contextsAddress } from "../address.js";
import { Refused, useLoaded, Waiting } from "../load.js";
import { count, json, time } from "../text/format.js";
import { Block, Long, Name } from "../text/show.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { t } from "../words/words.js";
import { Fact } from "./parts.js";
export function ContextsView({ filter }) {
    const page = useLoaded((signal) => api.contexts(filter, signal), [filter]);
    return html `
    <section data-view="contexts">
      <h1>${t("contexts")}</h1>
      <${Waiting} loaded=${page} what="loading">${(value) => html `<${Filters} filter=${filter} page=${value} /><${List} filter=${filter} page=${value} />`}</>
    </section>`;
}
function Filters({ filter, page }) {
    const submit = (event) => {
        event.preventDefault();
        const values = new FormData(event.target);
        location.hash = contextsAddress({ owner: String(values.get("owner") ?? ""), search: String(values.get("search") ?? "").trim(), after: "" });
    };
    return html `
    <form class="filters" role="search" onSubmit=${submit}>
      <label>${t("owner")}<select name="owner">${page.owners.map((one) => html `<option value=${one} selected=${one === page.owner}>${one}</option>`)}</select></label>
      <label>${t("text")}<input name="search" type="search" dir="auto" autocomplete="off" defaultValue=${filter.search} /></label>
      <button class="primary">${t("filter")}</button>
    </form>`;
}
function List({ filter, page }) {
    const owner = page.owner ?? "";
    return html `
    ${page.contexts.length === 0 && html `<p class="quiet">${t("no_contexts")}</p>`}
    ${page.contexts.length > 0 && html `<div class="scroll" tabindex="0" role="group" aria-label=${t("contexts")}><table class="sums">
      <thead><tr><th scope="col">${t("context")}</th><th scope="col">${t("name")}</th><th scope="col">${t("started")}</th><th scope="col">${t("changed_at")}</th><th scope="col" class="calls">${t("version")}</th><th scope="col" class="calls">${t("messages")}</th></tr></thead>
      <tbody>${page.contexts.map((row) => html `<tr><td><a data-row href=${contextAddress(owner, row.contextId)}><${Name} text=${row.contextId} /></a></td><td><${Name} text=${titleOf(row)} /></td><td>${time(row.creationTime)}</td><td>${time(row.lastUpdateTime)}</td><td class="calls">${count(row.version)}</td><td class="calls">${count(row.messageCount)}</td></tr>`)}</tbody>
    </table></div>`}
    ${page.next && html `<p><a class="button" href=${contextsAddress({ ...filter, owner, after: page.next })}>${t("more")}</a></p>`}`;
}
function titleOf(row) {
    return typeof row.metadata?.title === "string" ? row.metadata.title : "";
}
export function ContextView({ owner, context, about }) {
    const head = useLoaded((signal) => api.context(owner, context, undefined, signal), [owner, context]);
    return html `
    <section data-view="context">
      <p class="path"><a href=${contextsAddress({ owner, search: "", after: "" })}>${t("contexts")}</a></p>
      <${Waiting} loaded=${head} what="loading">${(value) => html `
        <h1><${Name} text=${titleOf(value) || value.contextId} /></h1>
        <dl class="facts">
          <${Fact} name=${t("context")}><code><${Name} text=${value.contextId} /></code></>
          <${Fact} name=${t("owner")}><${Name} text=${value.owner} /></>
          <${Fact} name=${t("started")}>${time(value.creationTime)}</>
          <${Fact} name=${t("changed_at")}>${time(value.lastUpdateTime)}</>
          <${Fact} name=${t("version")}>${count(value.last)}</>
        </dl>
        ${about.can_change && html `<${ForkButton} owner=${owner} context=${context} />`}
        <div class="columns">
          <div class="prompt"><h2>${t("messages")}</h2><${Transcript} owner=${owner} context=${context} /></div>
          <aside class="side"><h2>${t("state")}</h2><${Versions} owner=${owner} context=${context} head=${value} /></aside>
        </div>`}</>
    </section>`;
}
function ForkButton({ owner, context }) {
    const [error, setError] = useState(undefined);
    const fork = () => {
        api.fork(context).then((made) => (location.hash = contextAddress(owner, made.contextId)), setError);
    };
    return html `<p class="steps"><button type="button" onClick=${fork}>${t("fork")}</button></p>${error !== undefined && html `<${Refused} error=${error} />`}`;
}
/** The messages from the newest backwards, in their order. */
function Transcript({ owner, context }) {
    const [messages, setMessages] = useState([]);
    const [next, setNext] = useState(undefined);
    const [error, setError] = useState(undefined);
    const more = (before) => {
        api.messages(owner, context, before ?? undefined).then((page) => {
            setMessages((known) => [...page.messages, ...known]);
            setNext(page.next ?? null);
        }, setError);
    };
    useEffect(() => more(undefined), []);
    return html `
    ${error !== undefined && html `<${Refused} error=${error} />`}
    ${typeof next === "number" && html `<p><button type="button" onClick=${() => more(next)}>${t("older")}</button></p>`}
    ${messages.map((message) => html `<${Message} key=${message.messageId} message=${message} />`)}`;
}
function Message({ message }) {
    const text = message.content?.["text"];
    return html `
    <article class="said">
      <p class="quiet"><strong><${Name} text=${message.sender?.id ?? ""} /></strong> <${Name} text=${message.type} /> · ${time(message.timestamp)} · <code><${Name} text=${message.messageId} /></code></p>
      ${typeof text === "string" ? html `<p><${Long} text=${text} /></p>` : html `<${Block} text=${json(message.content)} label=${message.type} />`}
    </article>`;
}
/** A slider over the versions, with what each changed and the message that caused it, and the state as it was then. */
function Versions({ owner, context, head }) {
    const [version, setVersion] = useState(head.last);
    const at = useLoaded((signal) => api.context(owner, context, version, signal), [version]);
    const changes = useLoaded((signal) => (version > head.oldest ? api.changes(owner, context, version - 1, signal) : Promise.resolve({ changes: [] })), [version]);
    const slide = (event) => setVersion(Number(event.target.value));
    const of = (all) => all.filter((one) => one.version === version);
    return html `
    <label class="versions">${t("version")} ${count(version)} / ${count(head.last)}
      <input type="range" min=${head.oldest} max=${head.last} value=${version} onInput=${slide} disabled=${head.last === head.oldest} /></label>
    <div><${Waiting} loaded=${changes} what="loading">${(value) => html `<ul>${of(value.changes).map((one) => html `<${ChangeLine} change=${one} />`)}</ul>`}</></div>
    <div><${Waiting} loaded=${at} what="loading">${(value) => (value.state === null ? html `<p class="note">${t("state_gone", { n: count(head.oldest) })}</p>` : html `<${Block} text=${json(value.state)} label=${t("state")} />`)}</></div>`;
}
function ChangeLine({ change }) {
    const what = change.path ?? change.message?.messageId ?? "";
    return html `<li><code><${Name} text=${change.op} /></code> <${Name} text=${what} /> · ${time(change.time)}${change.cause && html ` · ${t("caused_by")} <code><${Name} text=${change.cause} /></code>`}</li>`;
}
