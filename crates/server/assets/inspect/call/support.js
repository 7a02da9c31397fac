/** Which item of a prompt supports a field of the answer: one whose text has the field's text exactly (IN-6). Pure. */
import { regionsOf, segments } from "./regions.js";
/** Shorter texts stand in many places by chance; a character of Chinese counts as two. */
const SHORTEST = 8;
/** The most fields that are looked for. */
const MOST = 200;
/** The fields of an answer that stand in an item word for word. A text that is given by parts is not searched. */
export function supports(prompt, answer) {
    const texts = itemTexts(prompt);
    const found = fieldsOf(answer).map(({ path, text }) => ({ path, text, items: texts.filter((one) => one.text.includes(text)).map((one) => one.item) }));
    return found.filter((one) => one.items.length > 0);
}
function itemTexts(prompt) {
    const texts = new Map();
    prompt.messages.forEach((message, index) => {
        for (const { region, text } of segments(message.text ?? "", regionsOf(prompt, index))) {
            if (region?.kind === "item")
                texts.set(region.item.index, (texts.get(region.item.index) ?? "") + text);
        }
    });
    return [...texts].map(([item, text]) => ({ item, text }));
}
function fieldsOf(answer) {
    const found = [];
    const waiting = [{ path: "", value: parsed(answer) }];
    for (let next = waiting.shift(); next !== undefined && found.length < MOST; next = waiting.shift()) {
        const { path, value } = next;
        if (typeof value === "string")
            found.push({ path, text: value.trim() });
        else if (Array.isArray(value))
            value.forEach((one, index) => waiting.push({ path: `${path}[${index}]`, value: one }));
        else if (typeof value === "object" && value !== null)
            for (const [name, one] of Object.entries(value))
                waiting.push({ path: path === "" ? name : `${path}.${name}`, value: one });
    }
    return found.filter(({ text }) => text.replace(/[\u2e80-\u9fff\uf900-\ufaff]/g, "xx").length >= SHORTEST);
}
/** A fence of Markdown around an answer is none of its text. */
function parsed(answer) {
    const bare = /^\s*```\w*\n([\s\S]*?)\n```\s*$/.exec(answer)?.[1] ?? answer;
    try {
        return JSON.parse(bare);
    }
    catch {
        return answer;
    }
}
