/** What a view asks the server for, while it is asked, and when it is refused. */

import { t, type Word } from "./words/words.js";
import { html, useEffect, useState, type Child, type VNode } from "./vendor/preact.js";
import { Name } from "./text/show.js";
import { ApiError } from "./api.js";

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
  return html`<p class="refused" role="alert"><strong>${t("refused")}</strong> ${code !== "" && html`<code>${code}</code> `}<${Name} text=${message} /></p>`;
}

/** What is shown until there is a value, or instead of it. */
export function Waiting<Value>({ loaded, what, children }: { readonly loaded: Loaded<Value>; readonly what: Word; readonly children: (value: Value) => Child }): Child {
  if (loaded.error !== undefined) return html`<${Refused} error=${loaded.error} />`;
  if (loaded.value === undefined) return html`<p class="quiet" role="status">${t(what)}</p>`;
  return children(loaded.value);
}
