/** The front-end tools of a client: what they are, who may run them, how they are announced (CP-13, CP-15). */
import type { Json, JsonObject, Limitations, Permission, ToolCall, ToolDefinition } from "./protocol/messages.js";
import { checkSchema } from "./schema.js";

/** What a running tool has beside its parameters. */
export interface CallContext {
  callId: string;
  contextId: string | undefined;
  /** Ends the tool's work: cancelled, or out of time. */
  signal: AbortSignal;
  limits: Required<Limitations>;
  /** How the server would like the tool to look; free form. */
  uiSettings: JsonObject;
  /** A sensitive result that stayed here, by the handle that the server has. Fails with REFERENCE_MISSING. */
  kept(handle: string): Json;
}

export interface FrontendTool {
  definition: ToolDefinition;
  /** Whether it waits for the user while it runs; then maxProcessingTime does not hold, timeoutClient does. */
  interactive?: boolean;
  /** Its results stay in the client (CP-19): the server gets `{handle}`, which other tools take to `kept`. */
  sensitive?: boolean;
  /** Runs it with checked parameters, defaults filled in. What it throws becomes the call's error. */
  run(parameters: JsonObject, context: CallContext): Json | Promise<Json>;
}

/** What a person is asked before a tool runs. All of it came over the wire or from the tool: show it as text. */
export interface PermissionRequest {
  tool: ToolDefinition;
  call: ToolCall;
  /** The server's words, or a plain sentence with the tool's name when it has none. */
  prompt: string;
  contextId: string | undefined;
  /** Ends when an answer is no longer wanted: take the question away then. */
  signal: AbortSignal;
}

/** Asks the user; true lets the tool run. */
export type PermissionHook = (request: PermissionRequest) => boolean | Promise<boolean>;

/** A tool's failure with a code of its own; others become EXECUTION_FAILED. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly code: string;
  readonly details: Json | undefined;

  constructor(code: string, message: string, details?: Json) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The tool by which the server asks the user before something sensitive is done (CP-19). */
export const CONFIRM = "confirm_action";

/** What is shown of an action that is no tool of this client. */
export function actionOf(action: string, runtime: "FRONTEND" | "BACKEND"): ToolDefinition {
  return { toolId: action, name: action, description: "", version: "", runtime, capabilities: [], parameters: {}, permissionLevel: "ALWAYS_ASK" };
}

const CONFIRMATION: ToolDefinition = {
  ...actionOf(CONFIRM, "FRONTEND"),
  description: "Asks the user whether something may be done.",
  version: "1.0.0",
  parameters: {
    type: "object",
    properties: { action: { type: "string" }, runtime: { type: "string" }, parameters: { type: "object" } },
    required: ["action"],
  },
  returns: { type: "object", properties: { allowed: { type: "boolean" } }, required: ["allowed"] },
  // To be asked is what it is for.
  permissionLevel: "NONE",
};

export class Toolbox {
  readonly #tools = new Map<string, FrontendTool>();
  #confirms = false;
  readonly #decided = new Map<string, Permission>();
  readonly #changed: () => void;

  /** `changed` is called when another announcement is due. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Adds tools, in place of those with the same toolId. */
  add(tools: readonly FrontendTool[]): void {
    for (const { definition } of tools) {
      if (definition.toolId === "") throw new TypeError("A tool needs a toolId.");
      if (definition.toolId === CONFIRM) throw new TypeError(`${CONFIRM} is the client's own: set onPermission.`);
      checkSchema(definition.parameters);
    }
    for (const tool of tools) this.#tools.set(tool.definition.toolId, tool);
    this.#changed();
  }

  remove(toolId: string): void {
    if (this.#tools.delete(toolId)) this.#changed();
  }

  find(toolId: string): FrontendTool | undefined {
    return this.#tools.get(toolId);
  }

  list(): ToolDefinition[] {
    return [...this.#tools.values()].map((tool) => tool.definition);
  }

  /** Whether a tool may run: what was decided, else what its level says. */
  permission(toolId: string): Permission {
    const decided = this.#decided.get(toolId);
    if (decided) return decided;
    return this.#tools.get(toolId)?.definition.permissionLevel === "NONE" ? "granted" : "prompt";
  }

  /** Decides for the rest of this client's life; "prompt" takes a decision back. */
  decide(toolId: string, permission: Permission): void {
    const before = this.permission(toolId);
    if (permission === "prompt") this.#decided.delete(toolId);
    else this.#decided.set(toolId, permission);
    if (this.permission(toolId) !== before) this.#changed();
  }

  /** Whether the user has to be asked before this call. ALWAYS_ASK means each time, granted or not. */
  asks(tool: FrontendTool): boolean {
    const { permissionLevel, toolId } = tool.definition;
    return permissionLevel === "ALWAYS_ASK" || this.permission(toolId) === "prompt";
  }

  /** Whether there is somebody who can be asked about what the server does. */
  set confirms(confirms: boolean) {
    if (confirms === this.#confirms) return;
    this.#confirms = confirms;
    this.#changed();
  }

  /** The entries of CLIENT_CAPABILITIES. */
  announced(): (ToolDefinition & { permission: Permission })[] {
    const own = this.list().map((definition) => ({ ...definition, permission: this.permission(definition.toolId) }));
    return this.#confirms ? [...own, { ...CONFIRMATION, permission: "granted" }] : own;
  }
}
