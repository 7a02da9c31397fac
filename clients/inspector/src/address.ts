/** The addresses of the views (IN-6, "Settled"): what stands after `#`. */

export interface Filter {
  readonly program: string;
  readonly outcome: string;
  readonly q: string;
}

export interface UsageFilter {
  readonly by: string;
  readonly step: string;
  readonly program: string;
}

export type Place =
  | { readonly view: "runs"; readonly filter: Filter }
  | { readonly view: "run"; readonly run: string }
  | { readonly view: "call"; readonly run: string; readonly call: number }
  | { readonly view: "diff"; readonly left: string; readonly right: string }
  | { readonly view: "usage"; readonly filter: UsageFilter }
  | { readonly view: "unknown"; readonly address: string };

export const NO_FILTER: Filter = { program: "", outcome: "", q: "" };

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
  return { view: "unknown", address };
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
  return { program: values.get("program") ?? "", outcome: values.get("outcome") ?? "", q: values.get("q") ?? "" };
}

export function usage(filter?: UsageFilter): string {
  return filter ? `#/usage?${new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""))}` : "#/usage";
}

export function runs(filter: Filter = NO_FILTER): string {
  const values = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ""));
  return values.size === 0 ? "#/" : `#/?${values}`;
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
  return place.view === "call" ? run(place.run) : runs();
}
