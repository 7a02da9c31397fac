// The program `contexture`: where it is, and how it is asked.

import { execFile } from "node:child_process";

/** What came back from a command. */
export interface Done {
  /** The exit code, or the reason why it could not be started, such as `ENOENT`. */
  code: number | string;
  stdout: string;
  stderr: string;
}

const LONGEST_MS = 120_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Runs a command to its end; never throws. */
export function ask(program: string, words: string[], folder: string | undefined): Promise<Done> {
  return new Promise((resolve) => {
    const settings = { cwd: folder, timeout: LONGEST_MS, maxBuffer: MOST_BYTES, windowsHide: true };
    execFile(program, words, settings, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? "ended by a signal") : 0, stdout, stderr });
    });
  });
}

/** The program that is started: that of the settings, else the one in PATH. */
export function chosenProgram(setting: string | undefined): string {
  return setting?.trim() || "contexture";
}

/** Why the language server can't be started, or `undefined` if it can. */
export async function serverFault(program: string): Promise<string | undefined> {
  const done = await ask(program, ["lsp", "--help"], undefined);
  if (done.code === 0) return undefined;
  if (done.code === "ENOENT") {
    return program === "contexture"
      ? "`contexture` is not in PATH. Install it, or set `contexture.path` to the program."
      : `\`contexture.path\` is \`${program}\`, and there is no such program.`;
  }
  if (typeof done.code === "string") return `\`${program}\` can't be started: ${done.code}`;
  return `\`${program}\` has no language server: \`contexture lsp\` is missing. Install a newer version.`;
}

/** The last lines of what a command said about its failure. */
export function lastWords(done: Done): string {
  const said = done.stderr.trim().split("\n").slice(-12).join("\n");
  return said || `The command ended with ${done.code} and said nothing.`;
}
