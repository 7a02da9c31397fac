/** "Why is this not in the prompt?", answered from the record (IN-9). */

import { api } from "../api.js";
import { Refused } from "../load.js";
import { json } from "../text/format.js";
import { submitted } from "../text/form.js";
import { Name } from "../text/show.js";
import type { Why } from "../types.js";
import { html, useEffect, useRef, useState, type VNode } from "../vendor/preact.js";
import { t, type Word } from "../words/words.js";

const VERDICTS: Record<string, Word> = {
  present: "why_present", cut: "why_cut", gave_way: "why_gave_way", not_selected: "why_not_selected", out_of_scope: "why_out_of_scope", not_declared: "why_not_declared", denied: "why_denied",
};

type Asked = { readonly label: string; readonly answer?: Why; readonly error?: unknown };

export function WhyNot({ run, call }: { readonly run: string; readonly call: number }): VNode {
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const submit = (event: Event): void => {
    const label = submitted(event)("label");
    if (label === "") return;
    stop.current?.abort();
    const asking = new AbortController();
    stop.current = asking;
    const settle = (next: Asked): void => {
      if (!asking.signal.aborted) setAsked(next);
    };
    api.why(run, call, label, asking.signal).then((answer) => settle({ label, answer }), (error: unknown) => settle({ label, error }));
  };
  return html`
    <h2>${t("why_title")}</h2>
    <form class="why" onSubmit=${submit}>
      <label>${t("why_label")}<input name="label" dir="auto" autocomplete="off" spellcheck=${false} required /></label>
      <button class="primary">${t("why_ask")}</button>
    </form>
    <div role="status" class="why-answer">${asked?.answer && html`<${Verdict} label=${asked.label} why=${asked.answer} />`}${asked?.error !== undefined && html`<${Refused} error=${asked.error} />`}</div>`;
}

function Verdict({ label, why }: { readonly label: string; readonly why: Why }): VNode {
  const word = VERDICTS[why.verdict];
  const told = [why.by, why.line, why.detail].filter((one) => one !== undefined && one !== null && one !== "").map((one) => (typeof one === "number" ? t("line", { n: one }) : json(one)));
  return html`<p><strong><${Name} text=${label} /></strong>: ${word ? t(word) : html`<${Name} text=${why.verdict} />`}</p>${told.map((one) => html`<p class="quiet pre"><${Name} text=${one} /></p>`)}`;
}
