/**
 * The client: one session with a server, the turns in it, front-end tools, contexts and their states (CP-16).
 *
 * Decision: a message is done with when its last answer is in, not when it was sent. All else follows from
 * that: a cut connection is resumed, a lost session is begun anew, and callers see neither.
 */
import { ContextureError } from "./protocol/errors.js";
import { newId } from "./protocol/ids.js";
import {
  isA,
  type AnyMessage,
  type Attachment,
  type BareMessage,
  type ClientCapabilities,
  type ContextUpdate,
  type Control,
  type InstructionSet,
  type JsonObject,
  type Json,
  type MessageOf,
  type Metadata,
  type Permission,
  type Progress,
  type SenderType,
  type ToolAvailability,
  type ToolAvailabilityRequest,
  type ToolCallRequest,
  type ToolDefinition,
  type ToolListResponse,
  type ToolResult,
} from "./protocol/messages.js";
import { CallRunner, type CallActivity } from "./calls.js";
import { Contexts } from "./contexts.js";
import { Waits } from "./waits.js";
import { get } from "./http.js";
import { Events, deferred, type Deferred } from "./events.js";
import { settle, type ClientOptions, type Settings } from "./options.js";
import { Session, type ConnectionState } from "./session.js";
import { InstructionRun, ToolRun, type SetHooks } from "./sets.js";
import { Subscription } from "./subscription.js";
import { Toolbox, type FrontendTool, type PermissionHook } from "./tools.js";
import { Turn } from "./turn.js";

export interface ClientEvents {
  state: ConnectionState;
  /** Each message that came, once, also those that a turn or a subscription takes. */
  message: AnyMessage;
  /** A front-end call from its question to its result. */
  call: CallActivity;
  /** Something went wrong that no caller is told: a cut connection, a message of the wrong form. */
  error: ContextureError;
  /** Tools or permissions changed. */
  tools: ToolDefinition[];
}

export interface SendOptions {
  contextId?: string;
  attachments?: Attachment[];
  metadata?: Metadata;
  /** Cancels the turn when it ends. */
  signal?: AbortSignal;
  /** Each message of the turn, in order: calls, results, progress, deltas. */
  onMessage?: (message: AnyMessage) => void;
}

export interface SetOptions {
  metadata?: Metadata;
  /** Cancels the set when it ends. */
  signal?: AbortSignal;
  /** Each change of an instruction. */
  onProgress?: (progress: Progress) => void;
  /** Each result of a call, as it comes. */
  onResult?: (result: ToolResult) => void;
}

export class ContextureClient {
  /** Contexts over HTTP. */
  readonly contexts: Contexts;
  /** What waits for clients and people, over HTTP. */
  readonly waits: Waits;
  readonly #settings: Settings;
  readonly #session: Session;
  readonly #events = new Events<ClientEvents>();
  readonly #tools: Toolbox;
  readonly #calls: CallRunner;
  readonly #subscriptions = new Map<string, Subscription>();
  #announcement: { id: string; done: Deferred<void> } | undefined;
  #announcing = false;

  constructor(options: ClientOptions) {
    this.#settings = settle(options, newId("client"));
    this.contexts = new Contexts(this.#settings);
    this.waits = new Waits(this.#settings);
    this.#tools = new Toolbox(() => this.#toolsChanged());
    this.#calls = new CallRunner(this.#settings, this.#tools, (activity) => this.#events.tell("call", activity));
    this.#session = new Session(this.#settings, {
      state: (state) => this.#events.tell("state", state),
      welcome: (resumed) => this.#welcome(resumed),
      message: (message) => this.#message(message),
      error: (error) => this.#events.tell("error", error),
      make: (type, content) => this.#make(type, content),
    });
  }

  get clientId(): string {
    return this.#settings.clientId;
  }

  get state(): ConnectionState {
    return this.#session.state;
  }

  /** The session on the server, once there is one. */
  get sessionId(): string | undefined {
    return this.#session.sessionId;
  }

  on<Name extends keyof ClientEvents>(name: Name, listener: (value: ClientEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Connects; done when the server welcomed this client, failed when it never will (AUTH_FAILED, say). */
  connect(): Promise<void> {
    return this.#session.connect();
  }

  /** Ends everything; what is open fails with CONNECTION_CLOSED. */
  close(): void {
    this.#calls.cancelAll();
    for (const subscription of this.#subscriptions.values()) subscription.fail(new ContextureError("CONNECTION_CLOSED", "The client was closed."));
    this.#subscriptions.clear();
    this.#session.close();
  }

  // -- turns ------------------------------------------------------------------------------------------------

  /** Says something to the agent. Needs no connection yet: it is sent as soon as there is one. */
  send(text: string, options: SendOptions = {}): Turn {
    const { contextId, attachments, metadata, signal, onMessage } = options;
    const message = this.#make("USER_INPUT", { text, ...(attachments ? { attachments } : {}) }, { contextId, metadata });
    const turn = new Turn(message.messageId, contextId, {
      cancel: () => {
        this.#calls.cancel(message.messageId);
        return this.#stop(message.messageId);
      },
      ...(onMessage ? { onMessage } : {}),
    });
    if (signal?.aborted) {
      turn.fail(new ContextureError("CANCELLED", "The turn was cancelled before it was sent."));
      return turn;
    }
    this.#post(message, { reply: (answer) => turn.take(answer), fail: (error) => turn.fail(error) });
    if (signal) {
      const cancel = (): void => void turn.cancel().catch(() => {});
      signal.addEventListener("abort", cancel, { once: true });
      turn.answer.catch(() => {}).finally(() => signal.removeEventListener("abort", cancel));
    }
    return turn;
  }

  /**
   * Sends any message and gives the message that answers it: the first of the type `answer`, or the first of all
   * when none is named. Fails with ERROR_RESPONSE.
   */
  request(type: string, content: object, options: { contextId?: string; metadata?: Metadata; answer?: string } = {}): Promise<AnyMessage> {
    const { answer, ...more } = options;
    return this.#ask(this.#make(type, content, more), (message) => answer === undefined || message.type === answer);
  }

  // -- sets ----------------------------------------------------------------------------------------------------

  /**
   * Has the server run calls of tools, its own and those of front ends: one after another, at once, one side before
   * the other (FL-1). The results come in the order of the calls.
   */
  requestTools(contextId: string, request: ToolCallRequest, options: SetOptions = {}): ToolRun {
    const message = this.#make("TOOL_CALL_REQUEST", request, { contextId, metadata: options.metadata });
    const calls = request.calls ?? request.toolCalls ?? [];
    return this.#started(message, new ToolRun(message.messageId, calls.map((call) => call.callId), this.#hooks(message, options)), options);
  }

  /** Has the server run instructions that depend on each other (FL-4). */
  runInstructions(contextId: string, set: InstructionSet, options: SetOptions = {}): InstructionRun {
    const message = this.#make("INSTRUCTION", set, { contextId, metadata: options.metadata });
    return this.#started(message, new InstructionRun(message.messageId, this.#hooks(message, options)), options);
  }

  /** The record of a run, which an answer's `metadata.run` names. */
  run(run: string): Promise<JsonObject> {
    return get<JsonObject>(this.#settings, `v1/runs/${encodeURIComponent(run)}`, {});
  }

  // -- contexts ---------------------------------------------------------------------------------------------

  /** Updates a context; the version after it. */
  async update(contextId: string, update: ContextUpdate): Promise<number> {
    const answer = await this.#ask(this.#make("CONTEXT_UPDATE", update, { contextId }), (message) => isA(message, "ACK"));
    return isA(answer, "ACK") ? (answer.content.version ?? 0) : 0;
  }

  /** Sets a part of a context's state; see `formatPath` for names with dots. */
  setState(contextId: string, path: string, value: Json, options: { baseVersion?: number } = {}): Promise<number> {
    return this.update(contextId, { operation: "UPDATE_STATE", path, value, ...options });
  }

  removeState(contextId: string, path: string, options: { baseVersion?: number } = {}): Promise<number> {
    return this.update(contextId, { operation: "REMOVE_STATE", path, ...options });
  }

  addMessage(contextId: string, message: AnyMessage | BareMessage, options: { baseVersion?: number } = {}): Promise<number> {
    return this.update(contextId, { operation: "ADD_MESSAGE", message, ...options });
  }

  /** Adds messages, all of them or none; the version after them. */
  addMessages(contextId: string, messages: (AnyMessage | BareMessage)[], options: { baseVersion?: number } = {}): Promise<number> {
    return this.update(contextId, { changes: messages.map((message) => ({ operation: "ADD_MESSAGE", message })), ...options });
  }

  /** Changes a context's metadata by a merge patch: null removes a field. `userId` stays as it is. */
  patchMetadata(contextId: string, patch: JsonObject, options: { baseVersion?: number } = {}): Promise<number> {
    return this.update(contextId, { operation: "UPDATE_METADATA", value: patch, ...options });
  }

  /** Gives a context a title, or takes it away. */
  rename(contextId: string, title: string | null): Promise<number> {
    return this.patchMetadata(contextId, { title });
  }

  /** Clears the history, or what lies strictly before a time. */
  clearHistory(contextId: string, beforeTimestamp?: string): Promise<number> {
    return this.update(contextId, {
      operation: "CLEAR_HISTORY",
      ...(beforeTimestamp === undefined ? {} : { filter: { beforeTimestamp } }),
    });
  }

  /** Follows a context: its state is kept up to date until the subscription is closed. One per context. */
  subscribe(contextId: string): Subscription {
    const known = this.#subscriptions.get(contextId);
    if (known) return known;
    const subscription: Subscription = new Subscription(contextId, {
      contexts: this.contexts,
      subscribe: (since) => this.#subscribe(subscription, since),
      unsubscribe: () => this.#unsubscribe(contextId),
    });
    this.#subscriptions.set(contextId, subscription);
    subscription.on("error", () => this.#subscriptions.delete(contextId));
    // Otherwise the welcome starts it.
    if (this.state === "open") subscription.start();
    return subscription;
  }

  // -- tools ------------------------------------------------------------------------------------------------

  /** Adds front-end tools and announces them. */
  addTools(...tools: FrontendTool[]): void {
    this.#tools.add(tools);
  }

  removeTool(toolId: string): void {
    this.#tools.remove(toolId);
  }

  get tools(): ToolDefinition[] {
    return this.#tools.list();
  }

  /** Asks the user before a tool runs, and before the server does something sensitive. Without a hook the answer is no. */
  set onPermission(hook: PermissionHook | undefined) {
    this.#calls.ask = hook;
  }

  permission(toolId: string): Permission {
    return this.#tools.permission(toolId);
  }

  /** Decides for a tool until the client ends; "prompt" asks again. */
  setPermission(toolId: string, permission: Permission): void {
    this.#tools.decide(toolId, permission);
  }

  /** Done when the server knows the tools as they are now. */
  get announced(): Promise<void> {
    if (this.#announcement) return this.#announcement.done.promise;
    return this.#announcing ? this.#pending().promise : Promise.resolve();
  }

  /** Whether the server has these tools, from whichever client. */
  async availability(tools: ToolAvailabilityRequest["tools"]): Promise<ToolAvailability[]> {
    const answer = await this.#ask(this.#make("TOOL_AVAILABILITY_REQUEST", { tools }), (message) => isA(message, "TOOL_AVAILABILITY_RESPONSE"));
    return isA(answer, "TOOL_AVAILABILITY_RESPONSE") ? answer.content.availableTools : [];
  }

  /** What tool calls and instructions can call now, with schemas. */
  async callable(): Promise<ToolListResponse> {
    const answer = await this.#ask(this.#make("TOOL_LIST_REQUEST", {}), (message) => isA(message, "TOOL_LIST_RESPONSE"));
    return isA(answer, "TOOL_LIST_RESPONSE") ? answer.content : { tools: [], actions: [] };
  }

  // -- what comes in ----------------------------------------------------------------------------------------

  #welcome(resumed: boolean): void {
    if (resumed) return;
    if (this.#tools.announced().length > 0 || this.#announcement) this.#announce();
    for (const subscription of this.#subscriptions.values()) subscription.start();
  }

  #message(message: AnyMessage): void {
    this.#events.tell("message", message);
    if (isA(message, "TOOL_CALL_REQUEST")) void this.#run(message);
    else if (isA(message, "CONTEXT_DELTA")) this.#subscriptions.get(message.contextId ?? "")?.receive(message.content);
    else if (isA(message, "CONTROL") && message.content.action === "CANCEL") this.#calls.cancel(message.content.target);
    else if (isA(message, "SYSTEM_MESSAGE") && message.content.data?.code === "CONTEXT_DELETED") {
      this.#subscriptions.get(message.contextId ?? "")?.fail(new ContextureError("CONTEXT_NOT_FOUND", message.content.text, { source: "SERVER" }));
    }
  }

  async #run(request: MessageOf<"TOOL_CALL_REQUEST">): Promise<void> {
    const results = await this.#calls.run(request);
    const message = this.#make("TOOL_CALL_RESPONSE", { results }, {
      contextId: request.contextId ?? undefined,
      sender: "TOOL",
      metadata: { inReplyTo: request.messageId },
    });
    try {
      this.#post(message, { reply: () => true, fail: () => {} });
    } catch (error) {
      this.#events.tell("error", error as ContextureError);
    }
  }

  // -- what goes out ----------------------------------------------------------------------------------------

  #make(
    type: string,
    content: object,
    more: { contextId?: string | undefined; metadata?: Metadata | undefined; sender?: SenderType } = {},
  ): AnyMessage {
    const { clientId, userId } = this.#settings;
    return {
      messageId: newId("msg"),
      ...(more.contextId === undefined ? {} : { contextId: more.contextId }),
      timestamp: new Date().toISOString(),
      type,
      sender: { id: more.sender === "TOOL" || type === "HELLO" ? clientId : userId, type: more.sender ?? "USER" },
      content,
      ...(more.metadata === undefined ? {} : { metadata: more.metadata }),
    };
  }

  #post(message: AnyMessage, { reply, fail, ofSession = false }: { reply(answer: AnyMessage): boolean; fail(error: ContextureError): void; ofSession?: boolean }): void {
    this.#session.post({ message, ofSession, reply, fail });
  }

  #ask(message: AnyMessage, isAnswer: (answer: AnyMessage) => boolean): Promise<AnyMessage> {
    const { promise, resolve, reject } = deferred<AnyMessage>();
    this.#post(message, {
      fail: reject,
      reply: (answer) => {
        if (isA(answer, "ERROR_RESPONSE")) reject(ContextureError.of(answer.content));
        else if (isAnswer(answer)) resolve(answer);
        else return false;
        return true;
      },
    });
    return promise;
  }

  async #stop(target: string, action: Control["action"] = "CANCEL"): Promise<void> {
    try {
      await this.#ask(this.#make("CONTROL", { action, target }), () => true);
    } catch (error) {
      // It ended in the meantime: there is nothing left to stop.
      if (!(error instanceof ContextureError && error.code === "UNKNOWN_ID")) throw error;
    }
  }

  #hooks({ messageId }: AnyMessage, { onProgress, onResult }: SetOptions): SetHooks {
    const steer = (action: Control["action"]) => {
      if (action === "CANCEL") this.#calls.cancel(messageId);
      return this.#stop(messageId, action);
    };
    return { steer, ...(onProgress ? { onProgress } : {}), ...(onResult ? { onResult } : {}) };
  }

  #started<Run extends ToolRun | InstructionRun>(message: AnyMessage, run: Run, { signal }: SetOptions): Run {
    if (signal?.aborted) {
      run.fail(new ContextureError("CANCELLED", "The set was cancelled before it was sent."));
      return run;
    }
    this.#post(message, { reply: (answer) => run.take(answer), fail: (error) => run.fail(error) });
    if (signal) {
      const cancel = (): void => void run.cancel().catch(() => {});
      signal.addEventListener("abort", cancel, { once: true });
      const over = (): void => signal.removeEventListener("abort", cancel);
      (run.answer as Promise<unknown>).then(over, over);
    }
    return run;
  }

  #subscribe(subscription: Subscription, since: number | undefined): void {
    const { contextId } = subscription;
    const message = this.#make("SUBSCRIBE", { contextId, ...(since === undefined ? {} : { since }) }, { contextId });
    this.#post(message, {
      ofSession: true,
      fail: (error) => subscription.fail(error),
      reply: (answer) => {
        if (isA(answer, "ERROR_RESPONSE")) subscription.refused(ContextureError.of(answer.content));
        else if (isA(answer, "ACK")) subscription.acknowledged(answer.content.version);
        else return false;
        return true;
      },
    });
  }

  #unsubscribe(contextId: string): void {
    this.#subscriptions.delete(contextId);
    if (this.state !== "open") return;
    this.#post(this.#make("UNSUBSCRIBE", { contextId }, { contextId }), { ofSession: true, fail: () => {}, reply: () => true });
  }

  #toolsChanged(): void {
    this.#events.tell("tools", this.tools);
    if (this.#announcing) return;
    // Several changes at once are one announcement.
    this.#announcing = true;
    queueMicrotask(() => {
      this.#announcing = false;
      if (this.state === "open") this.#announce();
      else if (this.state !== "closed") this.#pending();
    });
  }

  #pending(): Deferred<void> {
    this.#announcement ??= { id: "", done: deferred<void>() };
    return this.#announcement.done;
  }

  #announce(): void {
    const { clientId, deviceType, platform, version, supportedFeatures, limitations } = this.#settings;
    const content: ClientCapabilities = { clientId, deviceType, platform, version, supportedTools: this.#tools.announced(), supportedFeatures, limitations };
    const message = this.#make("CLIENT_CAPABILITIES", content);
    const done = this.#pending();
    this.#announcement = { id: message.messageId, done };
    const settle = (act: () => void): boolean => {
      // A later announcement stands for this one.
      if (this.#announcement?.id === message.messageId) {
        this.#announcement = undefined;
        act();
      }
      return true;
    };
    this.#post(message, {
      ofSession: true,
      fail: (error) => void settle(() => done.reject(error)),
      reply: (answer) => {
        if (!isA(answer, "ERROR_RESPONSE")) return settle(() => done.resolve());
        const error = ContextureError.of(answer.content);
        this.#events.tell("error", error);
        return settle(() => done.reject(error));
      },
    });
  }
}
