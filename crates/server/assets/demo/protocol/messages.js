/**
 * The messages of the context protocol, field by field as the protocol names them (CP-1, CP-2, CP-2b).
 *
 * These types describe what is known. A message that was received is the object that came: fields that are
 * not described here stay on it, and an optional field may also be null, which says no more than its absence.
 */
const TYPES = {
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
export function isKnown(message) {
    return Object.hasOwn(TYPES, message.type);
}
/** Whether a message is of this type. */
export function isA(message, type) {
    return message.type === type;
}
