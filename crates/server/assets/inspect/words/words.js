/** The page's own texts, in the reader's language (IN-16). */
import { en } from "./en.js";
import { plain } from "../text/visible.js";
import { zh } from "./zh.js";
export const LANGUAGES = [{ code: "en", name: "English", words: en }, { code: "zh", name: "中文", words: zh }];
const KEPT = "contexture.language";
let spoken = LANGUAGES.find(({ code }) => code === kept()) ?? LANGUAGES.find(({ code }) => navigator.language.startsWith(code)) ?? LANGUAGES[0];
/** The choice that this reader made before. A browser may refuse to keep one. */
function kept() {
    try {
        return localStorage.getItem(KEPT);
    }
    catch {
        return null;
    }
}
export function language() {
    return spoken.code;
}
export function speak(code) {
    spoken = LANGUAGES.find((one) => one.code === code) ?? spoken;
    try {
        localStorage.setItem(KEPT, spoken.code);
    }
    catch {
        // The choice then holds until the page is closed.
    }
}
/** A text with its values put in. A value may come from a record. */
export function t(word, values = {}) {
    const text = spoken.words[word];
    return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? plain(String(values[name])) : whole));
}
