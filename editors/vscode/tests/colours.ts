// Tokens of a text by the TextMate grammar, with the engine of the editor.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

/** A part of a line with its innermost scope. */
export interface Coloured {
  text: string;
  scope: string;
}

const folder = new URL("../", import.meta.url);

async function load(): Promise<textmate.IGrammar> {
  const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(await readFile(wasm));
  const onigLib = Promise.resolve({
    createOnigScanner: (sources: string[]) => new oniguruma.OnigScanner(sources),
    createOnigString: (text: string) => new oniguruma.OnigString(text),
  });
  const path = new URL("syntaxes/agentscript.tmLanguage.json", folder);
  const registry = new textmate.Registry({
    onigLib,
    loadGrammar: async () => textmate.parseRawGrammar(await readFile(path, "utf8"), "grammar.json"),
  });
  const grammar = await registry.loadGrammar("source.agentscript");
  if (grammar === null) throw new Error("no grammar");
  return grammar;
}

const grammar = await load();

/** Colours a text; `open` tells how many strings or interpolations are open at its end. */
export function colour(text: string): { lines: Coloured[][]; open: number } {
  const lines: Coloured[][] = [];
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const read = grammar.tokenizeLine(line, state);
    state = read.ruleStack as typeof state;
    lines.push(
      read.tokens.map((token) => ({
        text: line.slice(token.startIndex, token.endIndex),
        scope: (token.scopes.at(-1) ?? "").replace(/\.agentscript$/, ""),
      })),
    );
  }
  return { lines, open: state.depth - 1 };
}
