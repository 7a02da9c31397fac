/** The answers of the API (IN-4). Fields that older records lack are optional. */

export interface Cost {
  readonly micros?: number;
  /** Null where a model that answered has no price. */
  readonly actual?: number | null;
  readonly currency: string;
  readonly source?: string;
}

export interface Fault {
  readonly code: string;
  readonly message: string;
}

export type State = "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED" | "INTERRUPTED";

export interface Run {
  readonly run: string;
  readonly program?: string | null;
  readonly outcome?: string | null;
  readonly state?: State;
  readonly start?: string | null;
  readonly duration_us?: number | null;
  readonly bytes?: number | null;
  readonly model?: string | null;
  readonly models?: readonly string[];
  readonly calls?: number | null;
  readonly input?: number | null;
  readonly output?: number | null;
  readonly cached?: number | null;
  readonly estimated?: boolean;
  readonly finish?: string | null;
  readonly cost?: Cost | null;
  readonly error?: Fault | null;
  /** The run whose changed prompts this one asked, or the step of a set that it is. */
  readonly part_of?: { readonly run?: string; readonly flow?: string; readonly step?: string };
}

export interface RunHead extends Run {
  readonly lines?: number;
  /** The calls that have a prompt: those that kept their answer, too. */
  readonly prompts?: number;
  /** The id of the trace that the run is exported as. */
  readonly trace?: string;
  readonly notes?: readonly string[];
}

export interface RunEvent {
  readonly id: number;
  readonly parent?: number | null;
  readonly kind: string;
  readonly start_us: number;
  readonly duration_us?: number | null;
  readonly children?: number;
  readonly call?: number | null;
  readonly data?: unknown;
}

export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

export interface Budget {
  readonly amount: number;
  readonly unit: string;
  readonly limit?: number;
  readonly measure?: string;
  readonly keep?: string;
}

export interface Cut {
  readonly reason: string;
  readonly budget?: Budget;
  readonly removed?: number;
  readonly left_out?: boolean;
  readonly kept?: { readonly kept: number; readonly of: number; readonly shortened?: number } | null;
}

export interface Span {
  readonly message: number;
  readonly start: number;
  readonly end: number;
}

export interface Item {
  readonly index: number;
  readonly label?: string | null;
  readonly source: string;
  readonly position?: Position | null;
  readonly trust: string;
  readonly sources?: readonly { readonly source: string; readonly trust: string }[];
  readonly text?: string;
  readonly value?: string;
  readonly score?: number | null;
  readonly tokens: number;
  readonly tokens_before: number;
  readonly tokens_before_exact?: boolean;
  readonly budget?: Budget | null;
  readonly priority?: number;
  readonly clipped?: boolean;
  readonly cuts?: readonly Cut[];
  readonly span?: Span | null;
  /** True for the result of a tool that the model asked for: it came after this prompt. */
  readonly later?: boolean;
}

export interface Layer {
  readonly name: string;
  readonly digest?: string;
  readonly tokens: number;
  readonly span?: Span | null;
}

export interface Message {
  readonly role: string;
  readonly text: string | null;
  readonly bytes?: number;
  readonly tokens?: number;
  readonly digest?: string;
}

export interface SentCall {
  readonly function: string;
  readonly arguments: string;
}

export interface SentAttempt {
  readonly attempt: number;
  readonly messages?: readonly { readonly role: string; readonly text: string; readonly calls?: readonly SentCall[] }[];
  readonly answer?: string | null;
  readonly errors?: unknown;
  /** Where the answer was kept from, if no model was asked. */
  readonly kept?: "record" | "cache";
}

export interface Prompt {
  readonly messages: readonly Message[];
  readonly items?: readonly Item[];
  readonly layers?: readonly Layer[];
  readonly tools?: readonly unknown[];
  readonly attempts?: readonly SentAttempt[];
}

export interface AttemptRecord {
  readonly attempt: number;
  readonly finish_reason?: string | null;
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly cached_tokens?: number | null;
  readonly estimated?: boolean;
  readonly latency_ms?: number | null;
  readonly max_output?: number | null;
  readonly schema_form?: string | null;
  readonly options?: unknown;
  readonly retried?: readonly string[];
  readonly waits_ms?: readonly number[];
  readonly failure?: string | null;
}

export interface RankedPassage {
  readonly text: string;
  readonly heading?: string | null;
  readonly first_line: number;
  readonly last_line: number;
  readonly score: number;
  readonly tokens: number;
}

export interface Ranked {
  readonly source: string;
  readonly label?: string | null;
  readonly question: string;
  readonly passages: readonly RankedPassage[];
  readonly left_out: { readonly texts: number; readonly passages: number; readonly best?: readonly RankedPassage[] };
}

export interface Pack {
  readonly name: string;
  readonly version?: string | null;
  readonly status?: string;
  readonly tokens: number;
  readonly budget: number;
  readonly warnings?: readonly string[];
}

export interface OfferedTool {
  readonly tool: string;
  readonly method: string;
  readonly function: string;
  readonly class: string;
  readonly tokens: number;
}

export interface Manifest {
  readonly version?: number;
  readonly call: number;
  readonly site?: Position & { readonly agent?: string | null; readonly function?: string | null };
  readonly model?: { readonly uri: string; readonly tokenizer: string; readonly tokenizer_exact: boolean };
  readonly passed_over?: readonly { readonly uri: string; readonly code: string; readonly reason: string }[];
  readonly layers?: readonly Layer[];
  readonly items?: readonly Item[];
  readonly packs?: readonly Pack[];
  readonly ranked?: readonly Ranked[];
  readonly masked?: readonly { readonly part: string; readonly what: string; readonly line: number }[];
  readonly tools?: readonly OfferedTool[];
  readonly attempts?: readonly AttemptRecord[];
  readonly cost?: Cost | null;
  readonly options?: unknown;
  readonly tokens?: number;
  readonly max_input?: number | null;
}

export interface CallAnswer {
  readonly run: string;
  readonly call: number;
  readonly calls: number;
  readonly event?: RunEvent;
  readonly manifest: Manifest;
}

export interface TextPart {
  readonly text: string;
  readonly offset: number;
  readonly next: number | null;
  readonly total: number;
}

export type Change = "added" | "gone" | "changed" | "cut_differently" | "same";

/** A part of two texts: `=` in both, `-` in the left one, `+` in the right one. */
export interface WordPart {
  readonly side: "=" | "-" | "+";
  readonly text: string;
}

export interface PartDiff {
  /** The words that differ, where both texts are here and not too long. */
  readonly words?: readonly WordPart[];
  readonly change: Change;
  readonly left?: string | null;
  readonly right?: string | null;
  /** The size of a text that is too long for the answer; it is null then. */
  readonly left_bytes?: number;
  readonly right_bytes?: number;
}

export interface LayerDiff extends PartDiff {
  readonly name: string;
}

export interface ItemDiff extends PartDiff {
  readonly label?: string | null;
  readonly source: string;
  readonly tokens: readonly [number, number];
  readonly tokens_before?: readonly [number, number];
  readonly spans?: readonly [Span | null, Span | null];
}

export interface CallDiff {
  readonly change: Change;
  readonly left?: number | null;
  readonly right?: number | null;
  readonly site: string;
  readonly models?: readonly [string, string];
  readonly tokens: readonly [number, number];
  readonly exact?: readonly [boolean, boolean];
  readonly layers?: readonly LayerDiff[];
  readonly items?: readonly ItemDiff[];
}

/** The program of a run, as it is now. */
export interface Program {
  readonly file: string;
  readonly text: string;
}

/** A model call whose prompt was made again from a changed program. */
export interface RecheckedCall {
  readonly site: string;
  readonly n: number | null;
  readonly change: Change;
  readonly changed: boolean;
  /** True if the answer of the record is to another prompt, or to one that follows from such an answer. */
  readonly stale: boolean;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly layers?: readonly LayerDiff[];
  readonly items?: readonly ItemDiff[];
  readonly models?: readonly [string, string];
}

export interface Recheck {
  readonly calls: readonly RecheckedCall[];
  /** What can't be compared. */
  readonly notes?: readonly string[];
  readonly failure: Fault | null;
  readonly patch: string;
  /** What asking models for the changed prompts may take, or why they can't be asked. */
  readonly offer?: Offer | { readonly error: Fault } | null;
}

export interface Offer {
  readonly calls: readonly { readonly n: number; readonly model: string; readonly changed: boolean }[];
  readonly models: readonly string[];
  readonly tokens: number | null;
  readonly cost: number | null;
}

export interface Why {
  readonly verdict: string;
  readonly by?: unknown;
  readonly line?: unknown;
  readonly detail?: unknown;
}

export interface TokenPart {
  readonly kind: "item" | "layer" | "tools" | "rest";
  readonly name: string;
  readonly tokens: number;
  readonly calls: number;
  /** In hundredths of the picture. */
  readonly tile?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

export interface RunTokens {
  readonly total: number;
  readonly calls: number;
  readonly parts: readonly TokenPart[];
}

export interface UsageRow {
  readonly name: string;
  readonly runs: number;
  readonly calls: number;
  readonly failed: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly estimated: boolean;
  /** Millionths of each currency. */
  readonly cost: Readonly<Record<string, number>>;
  readonly unpriced: number;
  readonly median_us: number | null;
  readonly most_us: number | null;
}

export interface Usage {
  readonly all: UsageRow;
  readonly rows: readonly UsageRow[];
  readonly times: readonly UsageRow[];
  readonly more: boolean;
  readonly notes: readonly string[];
}

export interface EvalHead {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A case in one variant, with the run that was judged, if one is kept. */
export interface EvalCell {
  readonly name: string;
  readonly variant: string | null;
  readonly outcome: string;
  readonly expectations: readonly { readonly name: string; readonly passed: boolean; readonly detail: string | null }[];
  readonly run: string | null;
  readonly tokens: number;
  readonly error?: Fault | null;
}

export interface EvalSuite {
  readonly file: string;
  readonly cases: readonly EvalCell[];
}

/** What `eval --json` and `test --json` print. */
export interface EvalReport {
  readonly suites: readonly EvalSuite[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What there is besides runs, and whether the server beside the inspector can change it. */
export interface About {
  readonly flows: boolean;
  readonly contexts: boolean;
  readonly knowledge: boolean;
  readonly can_change: boolean;
  readonly can_recheck?: boolean;
  readonly evals?: boolean;
}

export interface FlowHead {
  readonly run: string;
  readonly name: string;
  readonly status: string;
  readonly context?: string | null;
  readonly steps: number;
  readonly done: number;
  readonly started: string;
  readonly ended: string | null;
}

export interface FlowStep {
  readonly id: string;
  readonly action: string;
  readonly parameters: unknown;
}

export interface Flow extends FlowHead {
  readonly set: unknown;
  readonly results: Readonly<Record<string, { readonly status: string; readonly executionTime?: number; readonly result?: unknown; readonly error?: unknown; readonly reason?: unknown }>>;
  readonly conditions: Readonly<Record<string, { readonly text: string; readonly values: readonly { readonly path: string; readonly value: unknown }[] }>>;
  /** The number of all steps by their state. */
  readonly states: Readonly<Record<string, number>>;
  /** Where the steps go on that are not in this part. */
  readonly next?: number | null;
  readonly events: readonly { readonly event: string; readonly id?: string; readonly action?: string; readonly attempt?: number; readonly key?: string; readonly time: string }[];
}

/** A call of a client's tool, or a question, that nobody has answered yet. */
export interface Wait {
  readonly callId: string;
  readonly contextId: string;
  readonly kind: string;
  readonly since: string;
  readonly expires: string;
  readonly client: string;
  readonly owner: string;
  readonly flow: string;
  readonly step: string;
  readonly request: unknown;
}

interface ContextHead {
  readonly contextId: string;
  readonly creationTime: string;
  readonly lastUpdateTime: string;
  readonly version: number;
  readonly messageCount?: number;
  readonly metadata?: { readonly title?: unknown } | null;
}

export interface ContextPage {
  readonly owners: readonly string[];
  readonly owner: string | null;
  readonly contexts: readonly ContextHead[];
  readonly next: string | null;
}

export interface Context extends ContextHead {
  readonly owner: string;
  readonly oldest: number;
  readonly last: number;
  readonly state: unknown;
}

export interface ContextMessage {
  readonly messageId: string;
  readonly timestamp: string;
  readonly type: string;
  readonly sender?: { readonly id: string };
  readonly content?: Readonly<Record<string, unknown>>;
}

export interface ContextChange {
  readonly version: number;
  readonly op: string;
  readonly path?: string;
  readonly message?: ContextMessage;
  readonly cause?: string;
  readonly time: string;
}

export interface PackHead {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly status: string;
  readonly trust?: string;
  /** Why it may not be read. */
  readonly closed?: string | null;
  readonly usage?: { readonly uses: number } | null;
}

export interface PackDetails extends PackHead {
  readonly guide: string;
  readonly sections: readonly { readonly path: string; readonly heading: string; readonly first_line: number; readonly tokens: number }[];
  readonly all_sections: number;
  readonly left_out: readonly string[];
  readonly warnings: readonly string[];
}

export interface Hit {
  readonly anchor: string;
  readonly heading: string;
  readonly score: number;
  readonly text: string;
}
