// The report of `contexture run --dry-run --json`, as far as the panel shows it. Nothing is taken for granted: the
// program may be of another version.

/** An item of a prompt. */
export interface Item {
  label: string;
  source: string;
  trust: string;
  tokens: number;
  /** Its tokens before it was cut. */
  before: number;
  budget: string;
  clipped: boolean;
}

/** A prompt that would be sent. */
export interface Prompt {
  /** `file:line:column` of the `generate`. */
  site: string;
  model: string;
  system: string;
  user: string;
  items: Item[];
  tools: string[];
  schema: string;
  tokens: number;
  exact: boolean;
  /** True if the prompt stands on placeholders: answers that only a run would give. */
  placeholders: boolean;
}

/** Why there is no report. */
export interface Failure {
  code: string;
  message: string;
  help: string;
}

/** What a dry run says. */
export interface Report {
  prompts: Prompt[];
  warnings: string[];
  tokens: number;
  failure?: Failure;
}

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Reads the report; `undefined` if the text is not one. */
export function readReport(output: string): Report | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    return undefined;
  }
  const report = fields(parsed);
  if (!Array.isArray(report["prompts"])) return undefined;
  const error = report["error"] === undefined ? undefined : fields(report["error"]);
  return {
    prompts: report["prompts"].map(readPrompt),
    warnings: list(report["warnings"]).map((warning) => text(warning) || text(fields(warning)["message"])),
    tokens: count(report["total_tokens"]),
    ...(error && { failure: { code: text(error["code"]), message: text(error["message"]), help: text(error["help"]) } }),
  };
}

function readPrompt(value: unknown): Prompt {
  const prompt = fields(value);
  return {
    site: text(prompt["site"]),
    model: text(prompt["model"]),
    system: text(prompt["system"]),
    user: text(prompt["user"]),
    items: list(prompt["items"]).map(readItem),
    tools: list(prompt["tools"]).map((tool) => text(tool) || text(fields(tool)["name"])),
    schema: prompt["schema"] === undefined || prompt["schema"] === null ? "" : JSON.stringify(prompt["schema"], null, 2),
    tokens: count(prompt["tokens"]),
    exact: prompt["tokens_exact"] === true,
    placeholders: prompt["on_placeholders"] === true,
  };
}

function readItem(value: unknown): Item {
  const item = fields(value);
  const tokens = count(item["tokens"]);
  return {
    label: text(item["label"]),
    source: text(item["source"]),
    trust: text(item["trust"]),
    tokens,
    before: count(item["tokens_before"]) || tokens,
    budget: readBudget(fields(item["budget"])),
    clipped: item["clipped"] === true,
  };
}

function readBudget(budget: Fields): string {
  if (typeof budget["limit"] !== "number") return "";
  const unit = budget["measure"] === "chars" ? " chars" : "";
  return `${budget["limit"]}${unit}, ${text(budget["keep"])}`;
}

/** The line of the `generate` that a prompt is of, from 1. */
export function lineOf(prompt: Prompt): number | undefined {
  const found = /:(\d+):\d+$/.exec(prompt.site);
  return found ? Number(found[1]) : undefined;
}

/** Whether a run lacks its input, so that asking for it helps (AS9017: a value does not fit its declared shape). */
export function lacksInput(report: Report): boolean {
  return report.failure?.code === "AS9017" && report.failure.message.includes("input");
}
