/** The kinds of events: a sign and a word for each, and a line that says what one did (IN-5). Pure. */

import type { RunEvent } from "../types.js";
import type { Word } from "../words/words.js";

export interface Kind {
  readonly sign: string;
  readonly word: Word;
  /** The colour of its bar, by name. */
  readonly tone: string;
}

const KINDS: Record<string, Kind> = {
  run: { sign: "▶", word: "kind_run", tone: "frame" },
  agent: { sign: "◆", word: "kind_agent", tone: "frame" },
  generate: { sign: "✦", word: "kind_generate", tone: "model" },
  tool: { sign: "⚙", word: "kind_tool", tone: "tool" },
  memory: { sign: "▤", word: "kind_memory", tone: "memory" },
  knowledge: { sign: "▣", word: "kind_knowledge", tone: "memory" },
  use: { sign: "⊕", word: "kind_use", tone: "frame" },
  for: { sign: "↻", word: "kind_for", tone: "frame" },
  parallel_for: { sign: "⇉", word: "kind_parallel_for", tone: "frame" },
  iteration: { sign: "→", word: "kind_iteration", tone: "frame" },
  input: { sign: "⇥", word: "kind_input", tone: "frame" },
  file: { sign: "▭", word: "kind_file", tone: "frame" },
  warning: { sign: "⚠", word: "kind_warning", tone: "wait" },
  progress: { sign: "…", word: "kind_progress", tone: "frame" },
  release: { sign: "⇪", word: "kind_release", tone: "wait" },
  error: { sign: "✕", word: "kind_error", tone: "bad" },
};

const OTHER: Kind = { sign: "•", word: "kind_other", tone: "frame" };

export function kindOf(event: RunEvent): Kind {
  return Object.hasOwn(KINDS, event.kind) ? (KINDS[event.kind] ?? OTHER) : OTHER;
}

type Data = Record<string, unknown>;

function textOf(data: Data, ...names: readonly string[]): string {
  for (const name of names) {
    const value = data[name];
    if (typeof value === "string" && value !== "") return value;
    if (typeof value === "number") return String(value);
  }
  return "";
}

/** The fields of an event; none for a record that lacks them. */
export function dataOf(event: RunEvent): Data {
  return typeof event.data === "object" && event.data !== null && !Array.isArray(event.data) ? (event.data as Data) : {};
}

/** What an event did, in a line: names and values of the record. */
export function summary(event: RunEvent): string {
  const data = dataOf(event);
  switch (event.kind) {
    case "tool":
    case "memory":
      return called(data);
    case "generate":
      return [textOf(data, "agent"), textOf(data, "function")].filter(Boolean).join(".") || textOf(data, "file");
    case "agent":
      return [textOf(data, "agent", "name"), textOf(data, "function")].filter(Boolean).join(".");
    case "use":
      return [...new Set([textOf(data, "label"), textOf(data, "source"), textOf(data, "chosen")])].filter(Boolean).join(" · ");
    case "run":
      return textOf(data, "program");
    case "input":
      return brief(data.value);
    default:
      return textOf(data, "message", "text", "label", "name", "path", "file", "variable", "reason") || brief(data.value ?? data.index);
  }
}

function called(data: Data): string {
  const name = [textOf(data, "name"), textOf(data, "method")].filter(Boolean).join(".");
  const given = data.arguments;
  if (typeof given !== "object" || given === null) return name;
  return `${name}(${Object.entries(given).map(([key, value]) => `${key}: ${brief(value)}`).join(", ")})`;
}

/** A value in one line; what is long ends with a sign that says so. */
function brief(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const characters = [...text.slice(0, 400)];
  return characters.length > 120 ? `${characters.slice(0, 120).join("")}…` : text;
}

/** Reports whether an event failed, or something in it that ended it. */
export function isFailed(event: RunEvent): boolean {
  return failureOf(event) !== "" || dataOf(event).failed === true;
}

/** Reports whether the value of an event stood in the record of another run, and nothing was done for it here. */
export function isRecorded(event: RunEvent): boolean {
  return dataOf(event).from_record === true;
}

/** The error of an event, if it has one of its own. */
export function failureOf(event: RunEvent): string {
  const error = dataOf(event).error;
  if (event.kind === "error") return summary(event);
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "";
  return [textOf(error as Data, "code"), textOf(error as Data, "message")].filter(Boolean).join(": ");
}
