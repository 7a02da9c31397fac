/** Which item of a prompt supports a field of the answer: one whose text has the field's text exactly (IN-6). Pure. */

import type { Prompt } from "../types.js";
import { regionsOf, segments } from "./regions.js";

export interface Support {
  /** The field, such as `items[0].name`; nothing for an answer that is a text. */
  readonly path: string;
  readonly text: string;
  /** The indices of the items, in the order of the prompt. */
  readonly items: readonly number[];
}

/** Shorter texts stand in many places by chance; a character of Chinese counts as two. */
const SHORTEST = 8;
/** The most fields that are looked for. */
const MOST = 200;

/** The fields of an answer that stand in an item word for word. A text that is given by parts is not searched. */
export function supports(prompt: Prompt, answer: string): Support[] {
  const texts = itemTexts(prompt);
  const found = fieldsOf(answer).map(({ path, text }) => ({ path, text, items: texts.filter((one) => one.text.includes(text)).map((one) => one.item) }));
  return found.filter((one) => one.items.length > 0);
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
  return found.filter(({ text }) => text.replace(/[\u2e80-\u9fff\uf900-\ufaff]/g, "xx").length >= SHORTEST);
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
