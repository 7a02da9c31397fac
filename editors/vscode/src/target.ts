// What a command is about: the arguments of a code lens, or the open editor.

import * as path from "node:path";

/** A program, and the part of it that is meant. */
export interface Target {
  uri: string;
  /** The line of a `generate`, from 1. */
  line?: number;
  /** The agent or function that runs instead of the main one. */
  agent?: string;
  function?: string;
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** Reads the arguments of a command: `{ uri, line }`, or a URI with the name of an agent. */
export function readTarget(first: unknown, second?: unknown): Target | undefined {
  const uri = text(first);
  if (uri !== undefined) return withoutGaps({ uri, agent: text(second) });
  if (typeof first !== "object" || first === null) return undefined;
  const about = first as Record<string, unknown>;
  const named = text(about["uri"]);
  if (named === undefined) return undefined;
  const line = about["line"];
  return withoutGaps({
    uri: named,
    line: typeof line === "number" && Number.isInteger(line) && line > 0 ? line : undefined,
    agent: text(about["agent"]),
    function: text(about["function"]),
  });
}

function withoutGaps(target: { uri: string } & { [Key in keyof Omit<Target, "uri">]: Target[Key] | undefined }): Target {
  return Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined)) as unknown as Target;
}

/** The command line of a run; the input is JSON or `KEY=VALUE`, as the person typed it. */
export function runArguments(file: string, target: Target, input: string): string[] {
  const words = ["run", file];
  if (target.agent !== undefined) words.push("--agent", target.agent);
  if (target.function !== undefined) words.push("--function", target.function);
  if (input.trim() !== "") words.push("--input", input.trim());
  return words;
}

/** The command line of a dry run, which calls no model, changes nothing and uses no network. */
export function dryRunArguments(file: string, target: Target, input: string): string[] {
  return [...runArguments(file, target, input), "--dry-run", "--json", "--color", "never"];
}

/** The folder that a program runs in: the nearest one with a `contexture.toml`, else the folder that the editor has open. */
export function projectFolder(file: string, open: string | undefined, exists: (path: string) => boolean): string {
  const own = path.dirname(file);
  for (let folder = own; ; folder = path.dirname(folder)) {
    if (exists(path.join(folder, "contexture.toml"))) return folder;
    if (folder === path.dirname(folder)) return open ?? own;
  }
}
