import { checkSchema } from "./schema.js";
/** A tool's failure with a code of its own; others become EXECUTION_FAILED. */
export class ToolFailure extends Error {
    name = "ToolFailure";
    code;
    details;
    constructor(code, message, details) {
        super(message);
        this.code = code;
        this.details = details;
    }
}
/** The tool by which the server asks the user before something sensitive is done (CP-19). */
export const CONFIRM = "confirm_action";
/** What is shown of an action that is no tool of this client. */
export function actionOf(action, runtime) {
    return { toolId: action, name: action, description: "", version: "", runtime, capabilities: [], parameters: {}, permissionLevel: "ALWAYS_ASK" };
}
const CONFIRMATION = {
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
    #tools = new Map();
    #confirms = false;
    #decided = new Map();
    #changed;
    /** `changed` is called when another announcement is due. */
    constructor(changed) {
        this.#changed = changed;
    }
    /** Adds tools, in place of those with the same toolId. */
    add(tools) {
        for (const { definition } of tools) {
            if (definition.toolId === "")
                throw new TypeError("A tool needs a toolId.");
            if (definition.toolId === CONFIRM)
                throw new TypeError(`${CONFIRM} is the client's own: set onPermission.`);
            checkSchema(definition.parameters);
        }
        for (const tool of tools)
            this.#tools.set(tool.definition.toolId, tool);
        this.#changed();
    }
    remove(toolId) {
        if (this.#tools.delete(toolId))
            this.#changed();
    }
    find(toolId) {
        return this.#tools.get(toolId);
    }
    list() {
        return [...this.#tools.values()].map((tool) => tool.definition);
    }
    /** Whether a tool may run: what was decided, else what its level says. */
    permission(toolId) {
        const decided = this.#decided.get(toolId);
        if (decided)
            return decided;
        return this.#tools.get(toolId)?.definition.permissionLevel === "NONE" ? "granted" : "prompt";
    }
    /** Decides for the rest of this client's life; "prompt" takes a decision back. */
    decide(toolId, permission) {
        const before = this.permission(toolId);
        if (permission === "prompt")
            this.#decided.delete(toolId);
        else
            this.#decided.set(toolId, permission);
        if (this.permission(toolId) !== before)
            this.#changed();
    }
    /** Whether the user has to be asked before this call. ALWAYS_ASK means each time, granted or not. */
    asks(tool) {
        const { permissionLevel, toolId } = tool.definition;
        return permissionLevel === "ALWAYS_ASK" || this.permission(toolId) === "prompt";
    }
    /** Whether there is somebody who can be asked about what the server does. */
    set confirms(confirms) {
        if (confirms === this.#confirms)
            return;
        this.#confirms = confirms;
        this.#changed();
    }
    /** The entries of CLIENT_CAPABILITIES. */
    announced() {
        const own = this.list().map((definition) => ({ ...definition, permission: this.permission(definition.toolId) }));
        return this.#confirms ? [...own, { ...CONFIRMATION, permission: "granted" }] : own;
    }
}
