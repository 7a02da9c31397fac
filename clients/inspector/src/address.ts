/** The addresses of the views (IN-6, "Settled"): what stands after `#`. */

export interface Filter {
  readonly program: string;
  readonly outcome: string;
  readonly model: string;
  /** A time of this place, as a field of a form has it. */
  readonly since: string;
  readonly until: string;
  readonly q: string;
}

export interface UsageFilter {
  readonly by: string;
  readonly step: string;
  readonly program: string;
}

export interface ContextFilter {
  readonly owner: string;
  readonly search: string;
  readonly after: string;
}

export type Place =
  | { readonly view: "runs"; readonly filter: Filter }
  | { readonly view: "run"; readonly run: string }
  | { readonly view: "call"; readonly run: string; readonly call: number }
  | { readonly view: "diff"; readonly left: string; readonly right: string }
  | { readonly view: "usage"; readonly filter: UsageFilter }
  | { readonly view: "flows"; readonly after: string }
  | { readonly view: "flow"; readonly flow: string }
  | { readonly view: "contexts"; readonly filter: ContextFilter }
  | { readonly view: "context"; readonly owner: string; readonly context: string }
  | { readonly view: "knowledge" }
  | { readonly view: "pack"; readonly name: string }
  | { readonly view: "evals" }
  | { readonly view: "eval"; readonly name: string }
  | { readonly view: "unknown"; readonly address: string };

export const NO_FILTER: Filter = { program: "", outcome: "", model: "", since: "", until: "", q: "" };

/** Reads an address; one that names no view is told, not guessed. */
export function read(hash: string): Place {
  const address = hash.replace(/^#/, "");
  const [path = "", query = ""] = address.split("?", 2);
  const parts = path.split("/").filter((part) => part !== "").map(decoded);
  const [view, first, word, last] = parts;
  const call = Number(last);
  if (parts.length === 0) return { view: "runs", filter: filterOf(query) };
  if (view === "runs" && parts.length === 2 && first !== undefined) return { view: "run", run: first };
  if (view === "runs" && parts.length === 4 && first !== undefined && word === "calls" && Number.isInteger(call)) return { view: "call", run: first, call };
  if (view === "diff" && parts.length === 3 && first !== undefined && word !== undefined) return { view: "diff", left: first, right: word };
  if (view === "usage" && parts.length === 1) return { view: "usage", filter: usageOf(query) };
  return kept(parts, new URLSearchParams(query)) ?? { view: "unknown", address };
}

/** Reads the addresses of what is kept besides runs. */
function kept([view, first, ...more]: readonly string[], query: URLSearchParams): Place | undefined {
  if (more.length > 0) return undefined;
  const value = (name: string): string => query.get(name) ?? "";
  if (view === "flows") return first === undefined ? { view: "flows", after: value("after") } : { view: "flow", flow: first };
  if (view === "knowledge") return first === undefined ? { view: "knowledge" } : { view: "pack", name: first };
  if (view === "evals") return first === undefined ? { view: "evals" } : { view: "eval", name: first };
  if (view !== "contexts") return undefined;
  if (first !== undefined) return { view: "context", owner: value("owner"), context: first };
  return { view: "contexts", filter: { owner: value("owner"), search: value("search"), after: value("after") } };
}

function queried(path: string, query: Readonly<Record<string, string>>): string {
  const values = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  return values.size === 0 ? path : `${path}?${values}`;
}

export function flows(after = ""): string {
  return queried("#/flows", { after });
}

/** A run of a set within a step of another has a `/` in its id. */
export function flow(id: string): string {
  return `#/flows/${encodeURIComponent(id)}`;
}

export function contexts(filter?: ContextFilter): string {
  return queried("#/contexts", { ...filter });
}

export function context(owner: string, id: string): string {
  return queried(`#/contexts/${encodeURIComponent(id)}`, { owner });
}

export function knowledge(): string {
  return "#/knowledge";
}

export function pack(name: string): string {
  return `#/knowledge/${encodeURIComponent(name)}`;
}

export function evals(): string {
  return "#/evals";
}

export function evaluation(name: string): string {
  return `#/evals/${encodeURIComponent(name)}`;
}

function usageOf(query: string): UsageFilter {
  const values = new URLSearchParams(query);
  return { by: values.get("by") ?? "program", step: values.get("step") ?? "day", program: values.get("program") ?? "" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function filterOf(query: string): Filter {
  const values = new URLSearchParams(query);
  const value = (name: string): string => values.get(name) ?? "";
  return { program: value("program"), outcome: value("outcome"), model: value("model"), since: value("since"), until: value("until"), q: value("q") };
}

export function usage(filter?: UsageFilter): string {
  return queried("#/usage", { ...filter });
}

export function runs(filter: Filter = NO_FILTER): string {
  return queried("#/", { ...filter });
}

export function run(id: string): string {
  return `#/runs/${encodeURIComponent(id)}`;
}

export function call(id: string, number: number): string {
  return `${run(id)}/calls/${number}`;
}

export function diff(left: string, right: string): string {
  return `#/diff/${encodeURIComponent(left)}/${encodeURIComponent(right)}`;
}

/** The address that Esc leads to. */
export function parent(place: Place): string {
  switch (place.view) {
    case "call":
      return run(place.run);
    case "flow":
      return flows();
    case "context":
      return contexts({ owner: place.owner, search: "", after: "" });
    case "eval":
      return evals();
    case "pack":
      return knowledge();
    default:
      return runs();
  }
}
