/** The page's own texts, in the reader's language (IN-16). */

import { en } from "./en.js";
import { plain } from "../text/visible.js";
import { zh } from "./zh.js";

export type Word = keyof typeof en;

export const LANGUAGES = [{ code: "en", name: "English", words: en }, { code: "zh", name: "中文", words: zh }] as const;
type Language = (typeof LANGUAGES)[number];

const KEPT = "contexture.language";
let spoken: Language = LANGUAGES.find(({ code }) => code === kept()) ?? LANGUAGES.find(({ code }) => navigator.language.startsWith(code)) ?? LANGUAGES[0];

/** The choice that this reader made before. A browser may refuse to keep one. */
function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export function language(): string {
  return spoken.code;
}

export function speak(code: string): void {
  spoken = LANGUAGES.find((one) => one.code === code) ?? spoken;
  try {
    localStorage.setItem(KEPT, spoken.code);
  } catch {
    // The choice then holds until the page is closed.
  }
}

/** A text with its values put in, which may come from a record. `{n|run|# runs}` has a form for one and a form for others; `#` is the value. */
export function t(word: Word, values: Record<string, string | number> = {}): string {
  const text: string = spoken.words[word];
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (whole, name: string, one?: string, others?: string) => {
    if (!Object.hasOwn(values, name)) return whole;
    const value = plain(String(values[name]));
    return one === undefined || others === undefined ? value : (value === "1" ? one : others).replaceAll("#", () => value);
  });
}
