/** Texts of anybody, made safe to look at: signs that nobody sees or that turn a line around are written as their numbers (IN-15). */
// Controls but tab and line ends; soft hyphen; marks, embeddings, overrides and isolates of direction; invisible spaces, operators and fillers; tags.
// Joiners (U+200C, U+200D) and variation selectors belong to scripts and emoji, so they stay.
const SIGNS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]+/gu;
/** Splits a text into what is shown as it is and what is shown by number. */
export function pieces(text) {
    const found = [];
    let end = 0;
    for (const match of text.matchAll(SIGNS)) {
        if (match.index > end)
            found.push({ text: text.slice(end, match.index), sign: false });
        found.push({ text: [...match[0]].map(numbered).join(""), sign: true });
        end = match.index + match[0].length;
    }
    if (end < text.length)
        found.push({ text: text.slice(end), sign: false });
    return found;
}
/** A text in which such signs are numbers, for places that take no elements, such as a title. */
export function plain(text) {
    return pieces(text).map((piece) => piece.text).join("");
}
function numbered(sign) {
    return `⟦U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
}
