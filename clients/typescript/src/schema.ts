/**
 * Checks a call's parameters against the tool's JSON Schema. It knows the keywords below; a schema with others
 * is refused when the tool is added, so that none is silently left unchecked.
 */
import { kindOf, type Violation } from "./protocol/read.js";
import type { Json, JsonObject, JsonSchema } from "./protocol/messages.js";

const KEYWORDS = [
  "type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
  "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
];
const NOTES = ["title", "description", "default", "examples", "format", "contentEncoding", "contentMediaType", "$schema", "$comment"];
const DEPTH = 32;

/** Fails with a TypeError when a schema uses what this module does not check. */
export function checkSchema(schema: JsonSchema, at = "", depth = 0): void {
  if (depth > DEPTH) throw new TypeError(`The schema is nested deeper than ${DEPTH} levels at ${at}.`);
  for (const key of Object.keys(schema)) {
    if (!KEYWORDS.includes(key) && !NOTES.includes(key)) {
      throw new TypeError(`The keyword ${key} at ${at || "/"} is not checked here; use ${KEYWORDS.join(", ")}.`);
    }
  }
  for (const [name, inner] of Object.entries((schema.properties as JsonObject | undefined) ?? {})) {
    checkSchema(inner as JsonSchema, `${at}/properties/${name}`, depth + 1);
  }
  for (const key of ["items", "additionalProperties"]) {
    if (kindOf(schema[key]) === "object") checkSchema(schema[key] as JsonSchema, `${at}/${key}`, depth + 1);
  }
}

/** The value with the schema's defaults filled in at the top level. */
export function withDefaults(schema: JsonSchema, value: JsonObject): JsonObject {
  const filled = { ...value };
  for (const [name, inner] of Object.entries((schema.properties as JsonObject | undefined) ?? {})) {
    const fallback = (inner as JsonSchema).default;
    if (fallback !== undefined && !Object.hasOwn(filled, name)) filled[name] = fallback;
  }
  return filled;
}

/** What is wrong with a value. */
export function validate(schema: JsonSchema, value: Json, pointer = "", depth = 0): Violation[] {
  if (depth > DEPTH) return [{ pointer, expected: `at most ${DEPTH} levels`, found: "more" }];
  const wrong = (expected: string, found = JSON.stringify(value)): Violation[] => [{ pointer, expected, found }];
  if (schema.type !== undefined && !hasType(value, schema.type)) return wrong(String(schema.type), kindOf(value));
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => same(one, value))) {
    return wrong(`one of ${schema.enum.map((one) => JSON.stringify(one)).join(", ")}`);
  }
  if (schema.const !== undefined && !same(schema.const, value)) return wrong(JSON.stringify(schema.const));
  if (typeof value === "number") return range(schema, value, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], pointer, "");
  if (typeof value === "string") return range(schema, [...value].length, ["minLength", "maxLength"], pointer, " characters");
  if (Array.isArray(value)) return validateItems(schema, value, pointer, depth);
  return value !== null && typeof value === "object" ? validateFields(schema, value, pointer, depth) : [];
}

function validateItems(schema: JsonSchema, value: Json[], pointer: string, depth: number): Violation[] {
  const found = range(schema, value.length, ["minItems", "maxItems"], pointer, " items");
  if (kindOf(schema.items) !== "object") return found;
  return found.concat(value.flatMap((one, at) => validate(schema.items as JsonSchema, one, `${pointer}/${at}`, depth + 1)));
}

function validateFields(schema: JsonSchema, value: JsonObject, pointer: string, depth: number): Violation[] {
  const properties = (schema.properties as Record<string, JsonSchema> | undefined) ?? {};
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const found: Violation[] = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ pointer: `${pointer}/${escape(name)}`, expected: "a value", found: "nothing" }));
  for (const [name, inner] of Object.entries(value)) {
    const at = `${pointer}/${escape(name)}`;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) found.push(...validate(property, inner, at, depth + 1));
    else if (schema.additionalProperties === false) found.push({ pointer: at, expected: "no such field", found: kindOf(inner) });
    else if (kindOf(schema.additionalProperties) === "object") {
      found.push(...validate(schema.additionalProperties as JsonSchema, inner, at, depth + 1));
    }
  }
  return found;
}

function range(schema: JsonSchema, size: number, keys: string[], pointer: string, unit: string): Violation[] {
  return keys.flatMap((key) => {
    const bound = schema[key];
    if (typeof bound !== "number") return [];
    const holds = key.startsWith("exclusive")
      ? key.endsWith("Minimum") ? size > bound : size < bound
      : key.startsWith("min") ? size >= bound : size <= bound;
    return holds ? [] : [{ pointer, expected: `${key} ${bound}${unit}`, found: `${size}${unit}` }];
  });
}

function hasType(value: Json, type: Json): boolean {
  if (Array.isArray(type)) return type.some((one) => hasType(value, one));
  return type === "integer" ? Number.isInteger(value) : kindOf(value) === type;
}

function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Whether two values are the same, whatever the order of their keys. */
function same(left: Json, right: Json): boolean {
  return canonical(left) === canonical(right);
}

/** A text that is the same for the same value. */
export function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: Json) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}
