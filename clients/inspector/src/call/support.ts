/** Which item of a prompt supports a field of the answer: one whose text has the field's text exactly, or that the field cites (IN-6). Pure. */

import type { Prompt } from "../types.js";
import { regionsOf, segments } from "./regions.js";

export interface Support {
  /** The field, such as `items[0].name`; nothing for an answer that is a text. */
  readonly path: string;
  readonly text: string;
  /** The indices of the items, in the order of the prompt. */
  readonly items: readonly number[];
  /** True if `text` is a citation in the field, such as `wiki/prices.md#L3`, that names the items. */
  readonly cited?: boolean;
}

/** Shorter texts stand in many places by chance; a character of Chinese counts as two. */
const SHORTEST = 8;
/** The most fields that are looked for. */
const MOST = 200;

/** The fields of an answer that stand in an item word for word, and what they cite. A text that is given by parts is not searched. */
export function supports(prompt: Prompt, answer: string): Support[] {
  const texts = itemTexts(prompt);
  return fieldsOf(answer).flatMap(({ path, text }) => {
    const items = isLong(text) ? texts.filter((one) => one.text.includes(text)).map((one) => one.item) : [];
    const cited = citations(text).filter((one) => items.length === 0 || one.text !== text);
    const found: Support[] = cited.map((one) => ({ path, text: one.text, items: namedBy(one, prompt, texts), cited: true }));
    return [{ path, text, items }, ...found].filter((one) => one.items.length > 0);
  });
}

/** A place in a file, as packs cite it: a line, lines, a heading or a page. */
interface Citation {
  readonly text: string;
  readonly file: string;
  readonly fragment: string;
  readonly lines?: readonly [number, number];
}

function citations(text: string): Citation[] {
  return [...text.matchAll(/([^\s#"'`()[\]<>,;]+)#([^\s"'`()[\]<>,;]*[^\s"'`()[\]<>,;.:!?])/gu)].map(([text, file = "", fragment = ""]) => {
    const [, first, last = first] = /^L(\d+)(?:-L?(\d+))?$/.exec(fragment) ?? [];
    const lines = first === undefined ? {} : { lines: [Number(first), Number(last)] as const };
    return { text, file, fragment, ...lines };
  });
}

/** The items that show the cited place; where none names its places, those that are of the file. */
function namedBy(citation: Citation, prompt: Prompt, texts: readonly { readonly item: number; readonly text: string }[]): number[] {
  const shown = texts.filter(({ text }) => citations(text).some((one) => isOf(one.file, citation.file) && meets(one, citation)));
  if (shown.length > 0) return shown.map(({ item }) => item);
  const items = prompt.items ?? [];
  return items.filter((item) => [item.source, ...(item.sources ?? []).map(({ source }) => source)].some((source) => isOf(source, citation.file))).map((item) => item.index);
}

function meets(one: Citation, other: Citation): boolean {
  if (!one.lines || !other.lines) return one.fragment === other.fragment;
  return one.lines[0] <= other.lines[1] && other.lines[0] <= one.lines[1];
}

/** Reports whether a source, such as `file://docs/policy.md`, is the file of a citation, which may leave out the folders around it. */
function isOf(source: string, file: string): boolean {
  const path = source.replace(/^[a-z][\w+.-]*:\/\//i, "").replace(/#.*$/, "");
  return path === file || path.endsWith(`/${file}`);
}

function itemTexts(prompt: Prompt): { readonly item: number; readonly text: string }[] {
  const texts = new Map<number, string>();
  prompt.messages.forEach((message, index) => {
    for (const { region, text } of segments(message.text ?? "", regionsOf(prompt, index))) {
      if (region?.kind === "item") texts.set(region.item.index, (texts.get(region.item.index) ?? "") + text);
    }
  });
  return [...texts].map(([item, text]) => ({ item, text }));
}

function fieldsOf(answer: string): { readonly path: string; readonly text: string }[] {
  const found: { path: string; text: string }[] = [];
  const waiting: { readonly path: string; readonly value: unknown }[] = [{ path: "", value: parsed(answer) }];
  for (let next = waiting.shift(); next !== undefined && found.length < MOST; next = waiting.shift()) {
    const { path, value } = next;
    if (typeof value === "string") found.push({ path, text: value.trim() });
    else if (Array.isArray(value)) value.forEach((one, index) => waiting.push({ path: `${path}[${index}]`, value: one }));
    else if (typeof value === "object" && value !== null) for (const [name, one] of Object.entries(value)) waiting.push({ path: path === "" ? name : `${path}.${name}`, value: one });
  }
  return found;
}

function isLong(text: string): boolean {
  return text.replace(/[\u2e80-\u9fff\uf900-\ufaff]/g, "xx").length >= SHORTEST;
}

/** A fence of Markdown around an answer is none of its text. */
function parsed(answer: string): unknown {
  const bare = /^\s*```\w*\n([\s\S]*?)\n```\s*$/.exec(answer)?.[1] ?? answer;
  try {
    return JSON.parse(bare);
  } catch {
    return answer;
  }
}
