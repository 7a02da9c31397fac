/** What a client is told when it is made, with what holds when it is not. */
import { ContextureError } from "./protocol/errors.js";
import { clientIdOf, ofTab } from "./memory.js";
/** Checks the options and fills in what is absent. */
export function settle(options, clientId) {
    const socket = options.WebSocket ?? globalThis.WebSocket;
    if (!socket)
        throw new TypeError("There is no WebSocket here: use Node 22 or newer, or give one in the options.");
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
        throw new ContextureError("AUTH_FAILED", "A token has visible ASCII characters alone.");
    }
    const memory = options.memory === undefined ? ofTab() : (options.memory ?? undefined);
    const id = options.clientId ?? clientIdOf(memory, clientId);
    const settings = {
        base: baseOf(options.url),
        token: options.token,
        clientId: id,
        userId: options.userId ?? id,
        deviceType: options.deviceType ?? (typeof document === "undefined" ? "server" : "browser"),
        platform: options.platform ?? (typeof document === "undefined" ? "node" : "web"),
        version: options.version ?? "1.0.0",
        clientInfo: options.clientInfo ?? {},
        supportedFeatures: options.supportedFeatures ?? [],
        limitations: {
            maxFileSize: options.limitations?.maxFileSize ?? 50_000_000,
            maxProcessingTime: options.limitations?.maxProcessingTime ?? 60_000,
        },
        reconnect: { initial: 250, factor: 2, max: 15_000, attempts: Number.POSITIVE_INFINITY, ...options.reconnect },
        idle: options.heartbeat?.idle ?? 30_000,
        answer: options.heartbeat?.answer ?? 10_000,
        handshakeTimeout: options.handshakeTimeout ?? 10_000,
        httpTimeout: options.httpTimeout ?? 30_000,
        maxOpen: options.maxOpen ?? 1_000,
        memory,
        WebSocket: socket,
        // A browser's fetch wants to be called on its window.
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    };
    checkNumbers(settings);
    return settings;
}
function baseOf(url) {
    const base = new URL(url);
    if (base.protocol === "ws:")
        base.protocol = "http:";
    if (base.protocol === "wss:")
        base.protocol = "https:";
    if (base.protocol !== "http:" && base.protocol !== "https:") {
        throw new ContextureError("CONNECTION_FAILED", `${base.protocol} is no way to a server; http, https, ws and wss are.`);
    }
    if (!base.pathname.endsWith("/"))
        base.pathname += "/";
    base.search = "";
    base.hash = "";
    return base;
}
function checkNumbers(settings) {
    const numbers = {
        "limitations.maxFileSize": settings.limitations.maxFileSize,
        "limitations.maxProcessingTime": settings.limitations.maxProcessingTime,
        "reconnect.initial": settings.reconnect.initial,
        "reconnect.factor": settings.reconnect.factor,
        "reconnect.max": settings.reconnect.max,
        "reconnect.attempts": settings.reconnect.attempts,
        "heartbeat.idle": settings.idle,
        "heartbeat.answer": settings.answer,
        handshakeTimeout: settings.handshakeTimeout,
        httpTimeout: settings.httpTimeout,
        maxOpen: settings.maxOpen,
    };
    for (const [name, value] of Object.entries(numbers)) {
        if (!(value > 0))
            throw new RangeError(`${name} must be a number above 0, not ${value}.`);
    }
}
/** The WebSocket subprotocols: the protocol, and the token, which a browser can't send in a header. */
export function subprotocols(token) {
    return token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `bearer.${base64url(token)}`];
}
/** What the server must select. */
export const SUBPROTOCOL = "mcp-cp.1";
/** The version of the protocol that this client speaks. */
export const PROTOCOL_VERSION = "1.0.0";
function base64url(text) {
    const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
    return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
