/** What a view asks the server for, while it is asked, and when it is refused. */

import { t, type Word } from "./words/words.js";
import { html, useEffect, useState, type Child, type VNode } from "./vendor/preact.js";
import { submitted } from "./text/form.js";
import { Name } from "./text/show.js";
import { ApiError } from "./api.js";
import { keepToken } from "./token.js";

export type Loaded<Value> = { readonly value?: Value; readonly error?: unknown };

/** Asks whenever an input changes; an answer that is no longer wanted is dropped. `value` stays until the next one is there. */
export function useLoaded<Value>(ask: (signal: AbortSignal) => Promise<Value>, inputs: readonly unknown[]): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value>>({});
  useEffect(() => {
    const stop = new AbortController();
    const settle = (next: Loaded<Value>): void => {
      if (!stop.signal.aborted) setState(next);
    };
    ask(stop.signal).then((value) => settle({ value }), (error: unknown) => settle({ error }));
    return () => stop.abort();
  }, inputs);
  return state;
}

/** A refusal as text. */
export function Refused({ error }: { readonly error: unknown }): VNode {
  const code = error instanceof ApiError ? error.code : "";
  const message = error instanceof Error ? error.message : String(error);
  const asks = error instanceof ApiError && (error.status === 401 || error.status === 403);
  return html`
    <p class="refused" role="alert"><strong>${t("refused")}</strong> ${code !== "" && html`<code>${code}</code> `}<${Name} text=${message} /></p>
    ${asks && html`<${TokenForm} />`}`;
}

/** Takes a token that lets this reader in. */
function TokenForm(): VNode {
  const submit = (event: Event): void => {
    keepToken(submitted(event)("token"));
    location.reload();
  };
  return html`
    <form class="filters" onSubmit=${submit}>
      <label>${t("token")}<input name="token" type="password" autocomplete="off" spellcheck=${false} required /></label>
      <button class="primary">${t("let_in")}</button>
      <p class="quiet">${t("token_help")}</p>
    </form>`;
}

interface WaitingProps<Value> {
  readonly loaded: Loaded<Value>;
  readonly what: Word;
  /** The heading of the view, where that is of the value. */
  readonly title?: string;
  readonly children: (value: Value) => Child;
}

/** What is shown until there is a value, or instead of it. */
export function Waiting<Value>({ loaded, what, title, children }: WaitingProps<Value>): Child {
  if (loaded.error !== undefined) return html`${title !== undefined && html`<h1><${Name} text=${title} /></h1>`}<${Refused} error=${loaded.error} />`;
  if (loaded.value === undefined) return html`<p class="quiet" role="status">${t(what)}</p>`;
  return children(loaded.value);
}
