/**
 * Speaks the context protocol with a Contexture server.
 *
 * ```js
 * const client = new ContextureClient({ url: "http://127.0.0.1:7878", token });
 * await client.connect();
 * const turn = client.send("What is the weather in Beijing?");
 * for await (const piece of turn) show(piece.text);
 * const answer = await turn.answer;
 * ```
 */
export * from "./protocol/messages.js";
export { ContextureError, ERROR_CODES, type ErrorCode, type ErrorFields } from "./protocol/errors.js";
export { checkMessage, readMessage, type Violation } from "./protocol/read.js";
export { formatPath, getPath, parsePath, withPath, withoutPath, type Segment } from "./protocol/path.js";
export { newId } from "./protocol/ids.js";
export { ContextureClient, type ClientEvents, type SendOptions, type SetOptions } from "./client.js";
export { Contexts, type ChangePage, type Context, type ContextHead, type ContextPage, type MessagePage } from "./contexts.js";
export { Waits, type Wait, type WaitPage } from "./waits.js";
export { PROTOCOL_VERSION, SUBPROTOCOL, type Backoff, type ClientOptions, type Socket } from "./options.js";
export { Replica, Subscription, type SubscriptionEvents } from "./subscription.js";
export { ToolFailure, type CallContext, type FrontendTool, type PermissionHook, type PermissionRequest } from "./tools.js";
export { type CallActivity } from "./calls.js";
export { type Memory } from "./memory.js";
export { type ConnectionState } from "./session.js";
export { InstructionRun, ToolRun } from "./sets.js";
export { Turn } from "./turn.js";
export { checkSchema, validate } from "./schema.js";
