/** The answers in a page that is a file of its own, with one run: nothing is fetched then (IN-14). */

/** The parts of a query that choose an answer. Lists and texts are whole in a file, so limits and places choose nothing. */
const CHOOSING = ["by", "parent"];

let read: ReadonlyMap<string, unknown> | undefined;

/** The answers by their addresses; none where a server is asked. */
export function inFile(): ReadonlyMap<string, unknown> | undefined {
  const block = document.getElementById("answers");
  if (block) read ??= new Map(Object.entries(JSON.parse(block.textContent ?? "{}") as Record<string, unknown>));
  return read;
}

/** The one run of a file. */
export function runOfFile(): string | undefined {
  const run = inFile()?.get("alone");
  return typeof run === "string" ? run : undefined;
}

/** The address that a file has the answer to a question under. */
export function addressInFile(path: readonly (string | number)[], query: Readonly<Record<string, string | number | undefined>>): string {
  const chosen = CHOOSING.filter((name) => query[name] !== undefined).map((name) => `${name}=${query[name]}`);
  return path.join("/") + (chosen.length > 0 ? `?${chosen.join("&")}` : "");
}
