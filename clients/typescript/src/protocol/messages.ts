/**
 * The messages of the context protocol, field by field as the protocol names them (CP-1, CP-2, CP-2b).
 *
 * These types describe what is known. A message that was received is the object that came: fields that are
 * not described here stay on it, and an optional field may also be null, which says no more than its absence.
 */

/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

export type SenderType = "USER" | "MODEL" | "SYSTEM" | "TOOL";

export interface Sender {
  id: string;
  type: SenderType;
}

/** What a message carries beside its content; open to attributes of one's own. */
export interface Metadata {
  /** The message that this one answers. */
  inReplyTo?: string;
  /** In a session: the number of the message among all that the server sent in it. In a context: its place. */
  seq?: number;
  [attribute: string]: unknown;
}

/** What all messages have. */
export interface Envelope<Type extends string, Content> {
  messageId: string;
  contextId?: string;
  /** ISO 8601, as the sender wrote it. */
  timestamp: string;
  type: Type;
  sender: Sender;
  content: Content;
  metadata?: Metadata;
}

export interface Attachment {
  type: "IMAGE" | "FILE" | "AUDIO" | "VIDEO";
  url: string;
  metadata?: { fileName?: string; /** Bytes. */ fileSize?: number; mimeType?: string };
}

export interface UserInput {
  text: string;
  attachments?: Attachment[];
}

export type FallbackBehavior = "ABORT" | "SKIP" | "USE_ALTERNATIVE";

/** What is done when a call or an instruction fails. */
export interface Recovery {
  strategy: "SKIP" | "RETRY" | "DEGRADE" | "PARTIAL" | "ABORT";
  attempts?: number;
  /** Seconds. */
  delay?: number;
  backoff?: number;
  alternative?: { name?: string; action?: string; parameters?: JsonObject };
}

export interface ToolCall {
  callId: string;
  /** The tool's toolId. */
  name: string;
  parameters?: JsonObject;
  description?: string;
  requiredAfter?: string[];
  /** Seconds. */
  timeout?: number;
  runtime?: "FRONTEND" | "BACKEND";
  recovery?: Recovery;
  /** What the user is shown before the tool runs. */
  userPrompt?: string;
  fallbackBehavior?: FallbackBehavior;
  alternative?: { name: string; parameters?: JsonObject };
  uiSettings?: JsonObject;
  /** Seconds that the client may take, the wait for the user included. */
  timeoutClient?: number;
}

export type FinishReason = "STOP" | "LENGTH" | "TOOL_CALLS" | "ERROR";

export interface ModelResponse {
  text?: string;
  toolCalls?: ToolCall[];
  /** How the calls are made, as in a TOOL_CALL_REQUEST. */
  executionMode?: CallMode;
  timeout?: number;
  frontendTimeout?: number;
  backendTimeout?: number;
  finishReason?: FinishReason;
  usage?: { promptTokens?: number; completionTokens?: number; totalTokens?: number };
}

export type CallMode =
  | "SYNC"
  | "ASYNC"
  | "PARALLEL"
  | "SEQUENTIAL"
  | "FRONTEND_FIRST"
  | "BACKEND_FIRST"
  | "CLIENT_SERVER_PARALLEL";

export interface ToolCallRequest {
  calls: ToolCall[];
  /** Another name for `calls`. */
  toolCalls?: ToolCall[];
  executionMode?: CallMode;
  /** Seconds, for the whole request. */
  timeout?: number;
  /** Seconds, for all front-end calls of the request. */
  frontendTimeout?: number;
  /** Seconds, for all back-end calls of the request. */
  backendTimeout?: number;
}

export interface ToolError {
  code: string;
  message: string;
  details?: Json;
}

export interface ToolResult {
  callId: string;
  status: "SUCCESS" | "ERROR" | "TIMEOUT";
  result?: Json;
  error?: ToolError;
  /** Milliseconds. */
  executionTime?: number;
  clientInfo?: JsonObject;
}

export interface ToolCallResponse {
  results: ToolResult[];
}

export interface SystemMessage {
  action: "NOTIFICATION" | "WARNING" | "ERROR" | "INFO";
  text: string;
  data?: { code?: string; severity?: string; affectedComponents?: string[] };
}

export interface Instruction {
  instructionId: string;
  action: string;
  parameters?: JsonObject;
  dependencies?: string[];
  condition?: string;
  /** Seconds. */
  timeout?: number;
  recovery?: Recovery;
}

export interface InstructionSet {
  instructions: Instruction[];
  executionMode?: "SEQUENTIAL" | "PARALLEL" | "CONDITIONAL";
  /** Seconds, for all of them. */
  timeout?: number;
}

export type Status = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "SKIPPED" | "TIMEOUT";

export interface InstructionOutcome {
  instructionId: string;
  status: Status;
  result?: Json;
  error?: ToolError;
  /** Why it was skipped. */
  reason?: { code: string; message: string };
  /** Milliseconds. */
  executionTime?: number;
}

export interface InstructionResponse {
  status: Status;
  results: InstructionOutcome[];
  /** The instructions in the order in which they were run. */
  order?: string[];
}

/** A JSON Schema; a tool's may use the keywords that `checkSchema` knows. */
export type JsonSchema = JsonObject;

export type PermissionLevel = "NONE" | "USER_CONSENT" | "ALWAYS_ASK";

/** What a tool does to the world: reads or shows, changes something here, hands data to others, or the worst. */
export type ToolClass = "read" | "write" | "send" | "execute";

/** Whether the user lets a tool run: yes, no, or to be asked. */
export type Permission = "granted" | "denied" | "prompt";

export interface ToolDefinition {
  toolId: string;
  /** For display. */
  name: string;
  description: string;
  version: string;
  runtime: "FRONTEND" | "BACKEND";
  capabilities: string[];
  parameters: JsonSchema;
  returns?: JsonSchema;
  /** What the tool does to the world; one that does not say counts as `execute`. */
  class?: ToolClass;
  /** For arguments by name the lowest trust level that may stand in them: `web` for any text. */
  integrity?: Record<string, string>;
  permissionLevel: PermissionLevel;
}

export interface Limitations {
  /** Bytes of one file that a tool takes or gives. */
  maxFileSize?: number;
  /** Milliseconds that a tool may run. */
  maxProcessingTime?: number;
}

export interface ClientCapabilities {
  clientId: string;
  deviceType?: string;
  platform?: string;
  version?: string;
  supportedTools?: (Partial<ToolDefinition> & { toolId: string; permission?: Permission })[];
  supportedFeatures?: string[];
  limitations?: Limitations;
}

/** The tools that a service runs for others of its owner. */
export interface ToolRegistration {
  clientId: string;
  runtime?: "BACKEND";
  supportedTools: (Partial<ToolDefinition> & { toolId: string })[];
  version?: string;
  supportedFeatures?: string[];
  limitations?: Limitations;
}

export interface ToolAvailabilityRequest {
  tools: { toolId: string; minVersion?: string; requiredCapabilities?: string[] }[];
}

export interface ToolAvailability {
  toolId: string;
  available: boolean;
  version?: string;
  capabilities?: string[];
  reason?: "PERMISSION_DENIED" | "NOT_SUPPORTED" | "VERSION_TOO_LOW" | "CAPABILITY_MISSING" | "CLIENT_UNAVAILABLE" | (string & {});
  message?: string;
}

export interface ToolAvailabilityResponse {
  availableTools: ToolAvailability[];
}

/** A tool or an action that can be called. */
export interface Callable {
  name: string;
  runtime: "FRONTEND" | "BACKEND";
  kind: string;
  class: "read" | "write" | "send" | "execute";
  idempotent: boolean;
  /** The JSON Schema of its parameters. */
  parameters: JsonObject;
}

/** What tool calls can call, and what instructions can call. */
export interface ToolListResponse {
  tools: Callable[];
  actions: Callable[];
}

/** An update of a context (CP-10): one operation, or several that take effect together or not at all. */
export type ContextUpdate = { /** The version that was seen. */ baseVersion?: number } & (UpdateStep | { changes: UpdateStep[] });

/** An operation of an update. */
export type UpdateStep =
  | { operation: "ADD_MESSAGE"; message: AnyMessage | BareMessage }
  | { operation: "UPDATE_STATE"; path: string; value: Json }
  | { operation: "REMOVE_STATE"; path: string }
  /** `value` is a merge patch (RFC 7396): null removes a field. */
  | { operation: "UPDATE_METADATA"; value: JsonObject }
  | { operation: "CLEAR_HISTORY"; filter?: { beforeTimestamp: string } };

/** What a message inside an update needs at least. */
export interface BareMessage {
  messageId: string;
  type: string;
  content: Json;
}

export interface ErrorResponse {
  errorCode: string;
  message: string;
  details?: {
    requestId?: string;
    timestamp?: string;
    traceId?: string;
    violatedPolicies?: string[];
    violations?: { pointer: string; expected: string; found: string }[];
    stackTrace?: string;
    [field: string]: unknown;
  };
  source?: string;
  recoverable?: boolean;
  suggestedAction?: string;
}

export interface Hello {
  protocolVersion: string;
  sessionId?: string;
  lastSeq?: number;
}

export interface Welcome {
  protocolVersion: string;
  sessionId: string;
  lastSeq: number;
}

export interface Ack {
  messageId: string;
  version?: number;
  /** The ids of the messages that the `changes` of an update added. */
  messageIds?: string[];
}

export interface ModelResponseDelta {
  /** The MODEL_RESPONSE that is being written. */
  messageId: string;
  /** Place of this piece in it, from 0. */
  index: number;
  text: string;
}

export interface Progress {
  id: string;
  status: Status;
}

export interface Control {
  action: "CANCEL" | "PAUSE" | "RESUME";
  /** A messageId, or a callId. */
  target: string;
}

export interface Subscribe {
  contextId: string;
  /** The version that is known; later ones are sent. */
  since?: number;
}

export interface Unsubscribe {
  contextId: string;
}

/** One change of a context. */
export interface Change {
  /** The context's version after it. */
  version: number;
  op: "ADD_MESSAGE" | "UPDATE_STATE" | "REMOVE_STATE" | "UPDATE_METADATA" | "CLEAR_HISTORY" | (string & {});
  path?: string;
  value?: Json;
  message?: AnyMessage;
  filter?: { beforeTimestamp?: string };
  seq?: number;
  cause?: string;
  time?: string;
}

export interface ContextDelta {
  /** The context's version after the last of the changes. */
  version: number;
  changes: Change[];
}

/** The content of each type of message. */
export interface Contents {
  USER_INPUT: UserInput;
  MODEL_RESPONSE: ModelResponse;
  TOOL_CALL_REQUEST: ToolCallRequest;
  TOOL_CALL_RESPONSE: ToolCallResponse;
  SYSTEM_MESSAGE: SystemMessage;
  INSTRUCTION: InstructionSet;
  CLIENT_CAPABILITIES: ClientCapabilities;
  TOOL_REGISTRATION: ToolRegistration;
  TOOL_AVAILABILITY_REQUEST: ToolAvailabilityRequest;
  TOOL_AVAILABILITY_RESPONSE: ToolAvailabilityResponse;
  TOOL_LIST_REQUEST: Record<string, never>;
  TOOL_LIST_RESPONSE: ToolListResponse;
  CONTEXT_UPDATE: ContextUpdate;
  ERROR_RESPONSE: ErrorResponse;
  HELLO: Hello;
  WELCOME: Welcome;
  ACK: Ack;
  MODEL_RESPONSE_DELTA: ModelResponseDelta;
  INSTRUCTION_RESPONSE: InstructionResponse;
  PROGRESS: Progress;
  CONTROL: Control;
  SUBSCRIBE: Subscribe;
  UNSUBSCRIBE: Unsubscribe;
  CONTEXT_DELTA: ContextDelta;
}

export type MessageType = keyof Contents;

/** A message of one type. */
export type MessageOf<Type extends MessageType> = Envelope<Type, Contents[Type]>;

/** A message of any type that the protocol has. */
export type Message = { [Type in MessageType]: MessageOf<Type> }[MessageType];

/** A message of a type that this client does not know; kept as it came. */
export type UnknownMessage = Envelope<string, unknown>;

export type AnyMessage = Message | UnknownMessage;

const TYPES: Record<MessageType, true> = {
  USER_INPUT: true,
  MODEL_RESPONSE: true,
  TOOL_CALL_REQUEST: true,
  TOOL_CALL_RESPONSE: true,
  SYSTEM_MESSAGE: true,
  INSTRUCTION: true,
  CLIENT_CAPABILITIES: true,
  TOOL_REGISTRATION: true,
  TOOL_AVAILABILITY_REQUEST: true,
  TOOL_AVAILABILITY_RESPONSE: true,
  TOOL_LIST_REQUEST: true,
  TOOL_LIST_RESPONSE: true,
  CONTEXT_UPDATE: true,
  ERROR_RESPONSE: true,
  HELLO: true,
  WELCOME: true,
  ACK: true,
  MODEL_RESPONSE_DELTA: true,
  INSTRUCTION_RESPONSE: true,
  PROGRESS: true,
  CONTROL: true,
  SUBSCRIBE: true,
  UNSUBSCRIBE: true,
  CONTEXT_DELTA: true,
};

/** Whether the protocol of this client has the message's type, so that its content has the type's fields. */
export function isKnown(message: AnyMessage): message is Message {
  return Object.hasOwn(TYPES, message.type);
}

/** Whether a message is of this type. */
export function isA<Type extends MessageType>(message: AnyMessage, type: Type): message is MessageOf<Type> {
  return message.type === type;
}
