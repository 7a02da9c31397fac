/** Elements made by name. Whatever came over the wire enters the page as text, here and nowhere else. */

type Attributes = Record<string, string | boolean | undefined>;

/** A new element; strings become text. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** An element that the page has. */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new TypeError(`The page has no ${type.name} with the id ${id}.`);
  return element;
}

const LONGEST = 400;

/** A value as readable JSON; long strings, such as a file's data, are told by their length. */
export function readable(value: unknown): string {
  const short = (_: string, inner: unknown): unknown =>
    typeof inner === "string" && inner.length > LONGEST ? `${inner.slice(0, 40)}… (${inner.length} characters)` : inner;
  return JSON.stringify(value, short, 2) ?? "";
}
