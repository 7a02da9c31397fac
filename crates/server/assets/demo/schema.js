/**
 * Checks a call's parameters against the tool's JSON Schema. It knows the keywords below; a schema with others
 * is refused when the tool is added, so that none is silently left unchecked.
 */
import { kindOf } from "./protocol/read.js";
const KEYWORDS = [
    "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
];
const NOTES = ["title", "description", "default", "examples", "format", "contentEncoding", "contentMediaType", "$schema", "$comment"];
const DEPTH = 32;
/** Fails with a TypeError when a schema uses what this module does not check. */
export function checkSchema(schema, at = "", depth = 0) {
    if (depth > DEPTH)
        throw new TypeError(`The schema is nested deeper than ${DEPTH} levels at ${at}.`);
    for (const key of Object.keys(schema)) {
        if (!KEYWORDS.includes(key) && !NOTES.includes(key)) {
            throw new TypeError(`The keyword ${key} at ${at || "/"} is not checked here; use ${KEYWORDS.join(", ")}.`);
        }
    }
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
        checkSchema(inner, `${at}/properties/${name}`, depth + 1);
    }
    for (const key of ["items", "additionalProperties"]) {
        if (kindOf(schema[key]) === "object")
            checkSchema(schema[key], `${at}/${key}`, depth + 1);
    }
}
/** The value with the schema's defaults filled in at the top level. */
export function withDefaults(schema, value) {
    const filled = { ...value };
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
        const fallback = inner.default;
        if (fallback !== undefined && !Object.hasOwn(filled, name))
            filled[name] = fallback;
    }
    return filled;
}
/** What is wrong with a value. */
export function validate(schema, value, pointer = "", depth = 0) {
    if (depth > DEPTH)
        return [{ pointer, expected: `at most ${DEPTH} levels`, found: "more" }];
    const wrong = (expected, found = JSON.stringify(value)) => [{ pointer, expected, found }];
    if (schema.type !== undefined && !hasType(value, schema.type))
        return wrong(String(schema.type), kindOf(value));
    if (Array.isArray(schema.enum) && !schema.enum.some((one) => same(one, value))) {
        return wrong(`one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
    }
    if (schema.const !== undefined && !same(schema.const, value))
        return wrong(JSON.stringify(schema.const));
    if (typeof value === "number")
        return range(schema, value, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], pointer, "");
    if (typeof value === "string")
        return range(schema, [...value].length, ["minLength", "maxLength"], pointer, " characters");
    if (Array.isArray(value))
        return validateItems(schema, value, pointer, depth);
    return value !== null && typeof value === "object" ? validateFields(schema, value, pointer, depth) : [];
}
function validateItems(schema, value, pointer, depth) {
    const found = range(schema, value.length, ["minItems", "maxItems"], pointer, " items");
    if (kindOf(schema.items) !== "object")
        return found;
    return found.concat(value.flatMap((one, at) => validate(schema.items, one, `${pointer}/${at}`, depth + 1)));
}
function validateFields(schema, value, pointer, depth) {
    const properties = schema.properties ?? {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    const found = required
        .filter((name) => !Object.hasOwn(value, name))
        .map((name) => ({ pointer: `${pointer}/${escape(name)}`, expected: "a value", found: "nothing" }));
    for (const [name, inner] of Object.entries(value)) {
        const at = `${pointer}/${escape(name)}`;
        const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
        if (property)
            found.push(...validate(property, inner, at, depth + 1));
        else if (schema.additionalProperties === false)
            found.push({ pointer: at, expected: "no such field", found: kindOf(inner) });
        else if (kindOf(schema.additionalProperties) === "object") {
            found.push(...validate(schema.additionalProperties, inner, at, depth + 1));
        }
    }
    return found;
}
function range(schema, size, keys, pointer, unit) {
    return keys.flatMap((key) => {
        const bound = schema[key];
        if (typeof bound !== "number")
            return [];
        const holds = key.startsWith("exclusive")
            ? key.endsWith("Minimum") ? size > bound : size < bound
            : key.startsWith("min") ? size >= bound : size <= bound;
        return holds ? [] : [{ pointer, expected: `${key} ${bound}${unit}`, found: `${size}${unit}` }];
    });
}
function hasType(value, type) {
    if (Array.isArray(type))
        return type.some((one) => hasType(value, one));
    return type === "integer" ? Number.isInteger(value) : kindOf(value) === type;
}
function escape(name) {
    return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
/** Whether two values are the same, whatever the order of their keys. */
function same(left, right) {
    return canonical(left) === canonical(right);
}
/** A text that is the same for the same value. */
export function canonical(value) {
    return JSON.stringify(value, (_, inner) => inner !== null && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
        : inner);
}
