/** Numbers, times and money as people read them. */

import type { Cost } from "../types.js";
import { plain } from "./visible.js";
import { language, t } from "../words/words.js";

/** What stands for a value that a record lacks. */
export const NOTHING = "–";

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NOTHING : new Intl.NumberFormat(language()).format(value);
}

/** A budget as the program wrote it. */
export function budget({ amount, unit }: { readonly amount: number; readonly unit: string }): string {
  return unit === "tokens" ? t("tokens_n", { n: count(amount) }) : `${count(amount)} ${plain(unit)}`;
}

/** A count that was made here and not by the provider is marked. */
export function counted(value: number | null | undefined, estimated: boolean | undefined): string {
  return value !== null && value !== undefined && estimated ? `≈ ${count(value)}` : count(value);
}

export function duration(micros: number | null | undefined): string {
  if (micros === null || micros === undefined) return NOTHING;
  const digits = (value: number): string => new Intl.NumberFormat(language(), { maximumSignificantDigits: 3 }).format(value);
  if (micros < 1_000) return `${digits(micros)} µs`;
  if (micros < 1_000_000) return `${digits(micros / 1_000)} ms`;
  if (micros < 60_000_000) return `${digits(micros / 1_000_000)} s`;
  const seconds = Math.floor(micros / 1_000_000);
  const rest = `${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return seconds < 3_600 ? `${rest} min` : `${Math.floor(seconds / 3_600)}:${rest} h`;
}

export function time(start: string | null | undefined): string {
  const date = new Date(start ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return NOTHING;
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "medium" }).format(date);
}

/** A day of UTC, which is what days of usage are. */
export function day(start: string): string {
  const date = new Date(start);
  return Number.isNaN(date.getTime()) ? NOTHING : new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeZone: "UTC" }).format(date);
}

export function size(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return NOTHING;
  const short = (value: number): string => new Intl.NumberFormat(language(), { maximumFractionDigits: 1 }).format(value);
  if (bytes < 1_000) return `${short(bytes)} B`;
  return bytes < 1_000_000 ? `${short(bytes / 1_000)} kB` : `${short(bytes / 1_000_000)} MB`;
}

export function cost(value: Cost | null | undefined): string {
  if (!value) return NOTHING;
  const amount = value.micros !== undefined ? value.micros / 1_000_000 : value.actual;
  // The price of a model that answered is not known.
  if (amount === undefined || amount === null) return t("no_price");
  if (amount === 0) return t("free");
  return `${new Intl.NumberFormat(language(), { maximumFractionDigits: 6, minimumFractionDigits: 2 }).format(amount)} ${plain(value.currency)}`;
}

export function place(position: { readonly file: string; readonly line: number } | null | undefined): string {
  return position ? `${position.file}:${position.line}` : "";
}

/** A value as readable JSON. */
export function json(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
