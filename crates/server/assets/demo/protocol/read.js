/**
 * Reading what came over the wire: the envelope, and of each content the fields that this client acts on.
 * Everything else is left as it is, so that a newer server is understood as far as it can be (CP-1, CP-4).
 */
import { ContextureError } from "./errors.js";
const SENDERS = ["USER", "MODEL", "SYSTEM", "TOOL"];
/** The fields without which a content can't be acted on. */
const NEEDED = {
    MODEL_RESPONSE_DELTA: { messageId: "string", index: "number", text: "string" },
    TOOL_AVAILABILITY_RESPONSE: { availableTools: "array" },
    ERROR_RESPONSE: { errorCode: "string", message: "string" },
    WELCOME: { protocolVersion: "string", sessionId: "string", lastSeq: "number" },
    ACK: { messageId: "string" },
    CONTROL: { action: "string", target: "string" },
    CONTEXT_DELTA: { version: "number", changes: "array" },
};
/** Fields that may be absent or null, but are of this kind when they are there. */
const TAKEN = {
    MODEL_RESPONSE: { text: "string", finishReason: "string", toolCalls: "array" },
    TOOL_CALL_REQUEST: { calls: "array", toolCalls: "array" },
    TOOL_CALL_RESPONSE: { results: "array" },
    ERROR_RESPONSE: { details: "object", source: "string", recoverable: "boolean", suggestedAction: "string" },
    ACK: { version: "number" },
};
/** The message that a text holds; fails with PARSE_ERROR or VALIDATION_FAILED. */
export function readMessage(text) {
    let value;
    try {
        value = JSON.parse(text);
    }
    catch (cause) {
        throw new ContextureError("PARSE_ERROR", `The server sent what is no JSON: ${text.slice(0, 60)}`, { source: "SERVER", cause });
    }
    const violations = checkMessage(value);
    if (violations.length > 0) {
        const told = violations.map((one) => `${one.pointer}: expected ${one.expected}, found ${one.found}`).join("; ");
        throw new ContextureError("VALIDATION_FAILED", `The server sent a message of the wrong form: ${told}`, {
            source: "SERVER",
            details: { violations },
        });
    }
    return value;
}
/** What keeps a value from being a message that this client can act on. */
export function checkMessage(value) {
    if (kindOf(value) !== "object")
        return [{ pointer: "", expected: "an object", found: kindOf(value) }];
    const message = value;
    const found = fieldsOf(message, { messageId: "string", timestamp: "string", type: "string", sender: "object", content: "object" }, "");
    found.push(...fieldsOf(message, present(message, { contextId: "string", metadata: "object" }), ""));
    if (kindOf(message.sender) === "object")
        found.push(...checkSender(message.sender));
    if (kindOf(message.content) === "object" && typeof message.type === "string") {
        found.push(...checkContent(message.type, message.content));
    }
    return found;
}
function checkSender(sender) {
    const found = fieldsOf(sender, { id: "string", type: "string" }, "/sender");
    if (typeof sender.type === "string" && !SENDERS.includes(sender.type)) {
        found.push({ pointer: "/sender/type", expected: SENDERS.join(", "), found: JSON.stringify(sender.type) });
    }
    return found;
}
function checkContent(type, content) {
    const needed = Object.hasOwn(NEEDED, type) ? NEEDED[type] : undefined;
    const taken = Object.hasOwn(TAKEN, type) ? TAKEN[type] : undefined;
    const found = fieldsOf(content, { ...needed, ...present(content, taken ?? {}) }, "/content");
    const list = Array.isArray(content.calls) ? "calls" : "toolCalls";
    const calls = content[list];
    if (type === "TOOL_CALL_REQUEST" && Array.isArray(calls)) {
        calls.forEach((call, at) => {
            const pointer = `/content/${list}/${at}`;
            if (kindOf(call) !== "object")
                found.push({ pointer, expected: "an object", found: kindOf(call) });
            else
                found.push(...checkCall(call, pointer));
        });
    }
    if (type === "CONTEXT_DELTA" && Array.isArray(content.changes)) {
        content.changes.forEach((change, at) => {
            const pointer = `/content/changes/${at}`;
            if (kindOf(change) !== "object")
                found.push({ pointer, expected: "an object", found: kindOf(change) });
            else
                found.push(...fieldsOf(change, { version: "number", op: "string" }, pointer));
        });
    }
    return found;
}
function checkCall(call, pointer) {
    const taken = { parameters: "object", userPrompt: "string", timeoutClient: "number", uiSettings: "object" };
    return fieldsOf(call, { callId: "string", name: "string", ...present(call, taken) }, pointer);
}
/** Those of the fields that a value has. */
function present(value, fields) {
    return Object.fromEntries(Object.entries(fields).filter(([field]) => Object.hasOwn(value, field) && value[field] !== null));
}
function fieldsOf(value, needed, at) {
    return Object.entries(needed)
        .filter(([field, kind]) => !Object.hasOwn(value, field) || kindOf(value[field]) !== kind)
        .map(([field, kind]) => ({
        pointer: `${at}/${field}`,
        expected: kind,
        found: Object.hasOwn(value, field) ? kindOf(value[field]) : "nothing",
    }));
}
/** The JSON kind of a value. */
export function kindOf(value) {
    if (value === undefined)
        return "nothing";
    if (value === null)
        return "null";
    if (Array.isArray(value))
        return "array";
    const type = typeof value;
    return type === "string" || type === "number" || type === "boolean" ? type : "object";
}
