/** Elements made by name. Whatever came over the wire enters the page as text, here and nowhere else. */
/** A new element; strings become text. */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === true)
            element.setAttribute(name, "");
        else if (typeof value === "string")
            element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}
/** An element that the page has. */
export function byId(id, type) {
    const element = document.getElementById(id);
    if (!(element instanceof type))
        throw new TypeError(`The page has no ${type.name} with the id ${id}.`);
    return element;
}
const LONGEST = 400;
/** A value as readable JSON; long strings, such as a file's data, are told by their length. */
export function readable(value) {
    const short = (_, inner) => typeof inner === "string" && inner.length > LONGEST ? `${inner.slice(0, 40)}… (${inner.length} characters)` : inner;
    return JSON.stringify(value, short, 2) ?? "";
}
