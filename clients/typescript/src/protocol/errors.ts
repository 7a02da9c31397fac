/** The codes of the protocol with meaning and remedy, and the one error that this package throws (CP-17). */
import type { ErrorResponse, ModelResponse } from "./messages.js";

interface Explanation {
  meaning: string;
  remedy: string;
}

/** What each code means and what to do about it. The last four are this client's own. */
export const ERROR_CODES = {
  PARSE_ERROR: { meaning: "The message is not JSON.", remedy: "Send one JSON object per message." },
  VALIDATION_FAILED: { meaning: "The message does not have the form of its type.", remedy: "Mend the fields that the violations name." },
  UNKNOWN_TYPE: { meaning: "The server does not know this type of message.", remedy: "Use a type of the protocol, or a server that knows it." },
  UNSUPPORTED_VERSION: { meaning: "Client and server speak different major versions.", remedy: "Use the version that the message names." },
  AUTH_FAILED: { meaning: "The token is missing, wrong or expired.", remedy: "Connect with a valid token." },
  PERMISSION_DENIED: { meaning: "The user or the token's scopes do not allow it.", remedy: "Ask for the permission, or go on without." },
  SENDER_FORBIDDEN: { meaning: "The token may not send as this type of sender.", remedy: "Send as USER, or use a token with the scope." },
  CONTEXT_NOT_FOUND: { meaning: "There is no such context for this token.", remedy: "Check the contextId, or start a new context." },
  VERSION_CONFLICT: { meaning: "Others changed the same part of the context.", remedy: "Read the context again and repeat the update." },
  MESSAGE_ID_CONFLICT: { meaning: "The messageId was used for another content.", remedy: "Send with a new messageId." },
  EXECUTION_FAILED: { meaning: "A tool or an instruction failed.", remedy: "See the message; mend the parameters or try again." },
  UNKNOWN_ACTION: { meaning: "There is no such tool or action.", remedy: "Use a name that was announced." },
  TIMEOUT: { meaning: "It took longer than allowed.", remedy: "Try again, or allow more time." },
  DEPENDENCY_FAILED: { meaning: "What it depends on failed.", remedy: "Mend the dependency first." },
  CONDITION_FALSE: { meaning: "Its condition does not hold.", remedy: "Nothing, when that was meant." },
  SET_TIMEOUT: { meaning: "The whole set ran out of time.", remedy: "Allow more time, or do less." },
  REFERENCE_MISSING: { meaning: "A reference leads to nothing.", remedy: "Check the path of the reference." },
  CYCLE: { meaning: "The dependencies go in a circle.", remedy: "Remove one of the dependencies that are named." },
  DUPLICATE_ID: { meaning: "An id is used twice.", remedy: "Give each its own id." },
  UNKNOWN_ID: { meaning: "An id that is referred to does not exist.", remedy: "Check the id." },
  UNDECLARED_REFERENCE: { meaning: "A result is used without a declared dependency.", remedy: "Declare the dependency." },
  CALL_ENDED: { meaning: "The call has its answer already, was cancelled, or its time is over.", remedy: "Nothing: the first answer counts." },
  TOOL_NAME_TAKEN: { meaning: "A tool of this name belongs to somebody else.", remedy: "Register it under another name." },
  RUN_UNDER_WAY: { meaning: "The run is under way, or waits for an answer.", remedy: "Wait for its end, or cancel it." },
  CLIENT_UNAVAILABLE: { meaning: "No client with this tool is connected.", remedy: "Open the app, or go on without the tool." },
  CANCELLED: { meaning: "It was cancelled.", remedy: "Send it again when it is wanted after all." },
  OUTCOME_UNCERTAIN: { meaning: "It is not known whether it took effect.", remedy: "Look at the context; send a new message if need be." },
  RATE_LIMITED: { meaning: "Too many messages in too short a time.", remedy: "Wait, then go on more slowly." },
  TOO_LARGE: { meaning: "It is larger than allowed.", remedy: "Send less, or raise the limit." },
  INTERNAL: { meaning: "The other side has a fault.", remedy: "Report it with the trace id." },
  CONNECTION_FAILED: { meaning: "The server can't be reached.", remedy: "Check the address and the network." },
  CONNECTION_CLOSED: { meaning: "This client was closed.", remedy: "Connect a new client." },
  QUEUE_FULL: { meaning: "Too many messages wait to be sent.", remedy: "Wait until the connection is back." },
  NOT_SECURE: { meaning: "The browser allows this on secure pages alone.", remedy: "Serve the page over https, or from localhost." },
} as const satisfies Record<string, Explanation>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorFields {
  /** What to do about it; that of the code when absent. */
  remedy?: string;
  /** CLIENT, SERVER, TOOL or SYSTEM. */
  source?: string;
  /** Whether the same may succeed when it is tried again. */
  recoverable?: boolean;
  details?: unknown;
  /** The answer as far as it came, when a turn broke off. */
  partial?: ModelResponse;
  cause?: unknown;
}

/** What went wrong, with a code to decide by and a remedy to show. */
export class ContextureError extends Error {
  override readonly name = "ContextureError";
  /** A code of `ERROR_CODES`, or one that a newer server or a tool has. */
  readonly code: ErrorCode | (string & {});
  readonly remedy: string;
  readonly source: string;
  readonly recoverable: boolean;
  readonly details: unknown;
  readonly partial: ModelResponse | undefined;

  constructor(code: ErrorCode | (string & {}), message: string, fields: ErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = code;
    this.remedy = fields.remedy ?? explain(code)?.remedy ?? "";
    this.source = fields.source ?? "CLIENT";
    this.recoverable = fields.recoverable ?? false;
    this.details = fields.details;
    this.partial = fields.partial;
  }

  /** The error that an ERROR_RESPONSE tells. */
  static of(content: ErrorResponse): ContextureError {
    return new ContextureError(content.errorCode, content.message, {
      ...(content.suggestedAction ? { remedy: content.suggestedAction } : {}),
      source: content.source ?? "SERVER",
      recoverable: content.recoverable ?? false,
      details: content.details,
    });
  }
}

function explain(code: string): Explanation | undefined {
  return Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as ErrorCode] : undefined;
}
