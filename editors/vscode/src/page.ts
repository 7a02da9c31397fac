// The page of the panel. All that it shows comes from files and models, so every text is escaped, and the page may
// load and run nothing but its own style.

import { type Item, lineOf, type Prompt, type Report } from "./dry_run.ts";

const STYLE = `
  body { font-family: var(--vscode-font-family); padding: 0 1rem 2rem; }
  pre { background: var(--vscode-textCodeBlock-background); padding: .75rem; overflow-x: auto; white-space: pre-wrap; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--vscode-panel-border); }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
  section { margin-top: 1.5rem; }
  section.chosen h2 { color: var(--vscode-textLink-activeForeground); }
  .note { color: var(--vscode-descriptionForeground); }
  .fault { color: var(--vscode-errorForeground); }
`;

/** Escapes a text for HTML, also within quotes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The page with the report of a dry run; the prompt of `line` is open, or all are. */
export function page(name: string, report: Report, nonce: string, line?: number): string {
  const chosen = report.prompts.filter((prompt) => lineOf(prompt) === line);
  const shown = chosen.length > 0 ? chosen : report.prompts;
  const parts = [
    `<h1>${escape(name)}</h1>`,
    report.failure ? failure(report) : "",
    report.warnings.map((warning) => `<p class="note">Warning: ${escape(warning)}</p>`).join(""),
    report.prompts.length === 0 && !report.failure ? `<p class="note">This program asks no model.</p>` : "",
    report.prompts.map((prompt) => section(prompt, shown.includes(prompt), chosen.includes(prompt))).join(""),
  ];
  return frame(parts.join("\n"), nonce);
}

/** A page that says why there is nothing to show. */
export function messagePage(message: string, nonce: string): string {
  return frame(`<p class="fault">${escape(message)}</p>`, nonce);
}

function frame(body: string, nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>What the model will see</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
${body}
</body>
</html>`;
}

function failure(report: Report): string {
  const { code, message, help } = report.failure ?? { code: "", message: "", help: "" };
  return `<p class="fault">${escape(code)}: ${escape(message)}</p>${help && `<p class="note">${escape(help)}</p>`}`;
}

function section(prompt: Prompt, open: boolean, chosen: boolean): string {
  const about = `${prompt.tokens} tokens${prompt.exact ? "" : ", estimated"} for ${prompt.model}`;
  const guess = prompt.placeholders ? `<p class="note">Parts are placeholders for what only a run can tell.</p>` : "";
  const body = [
    `<p class="note">${escape(about)}</p>`,
    guess,
    items(prompt.items),
    prompt.tools.length > 0 ? `<p>Tools: ${escape(prompt.tools.join(", "))}</p>` : "",
    block("System", prompt.system, open),
    block("User", prompt.user, open),
    block("Shape of the answer", prompt.schema, false),
  ].join("\n");
  return `<section${chosen ? ' class="chosen"' : ""}><h2>${escape(prompt.site)}</h2>\n${body}</section>`;
}

function items(all: Item[]): string {
  if (all.length === 0) return `<p class="note">No item is shown to this model.</p>`;
  const rows = all.map((item) => {
    const tokens = item.clipped ? `${item.tokens} of ${item.before}` : `${item.tokens}`;
    const cells = [item.label, item.source, item.trust, item.budget].map((cell) => `<td>${escape(cell)}</td>`).join("");
    return `<tr>${cells}<td class="number">${escape(tokens)}</td></tr>`;
  });
  const head = ["Label", "Source", "Trust", "Budget"].map((name) => `<th>${name}</th>`).join("");
  return `<table><tr>${head}<th class="number">Tokens</th></tr>${rows.join("")}</table>`;
}

function block(title: string, text: string, open: boolean): string {
  if (text === "") return "";
  return `<details${open ? " open" : ""}><summary>${title}</summary><pre>${escape(text)}</pre></details>`;
}
