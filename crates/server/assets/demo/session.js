/**
 * A session with the server over as many sockets as it takes: HELLO and WELCOME, resuming by the last seq that
 * was seen, back-off, heartbeat (CP-4, CP-6).
 */
import { ContextureError } from "./protocol/errors.js";
import { isA } from "./protocol/messages.js";
import { readMessage } from "./protocol/read.js";
import { deferred } from "./events.js";
import { PROTOCOL_VERSION, SUBPROTOCOL, subprotocols } from "./options.js";
import { Outbox } from "./outbox.js";
/** What can't be mended by trying again. */
const FINAL = ["AUTH_FAILED", "PERMISSION_DENIED", "SENDER_FORBIDDEN", "UNSUPPORTED_VERSION"];
const FINAL_CLOSES = { 1008: "PERMISSION_DENIED", 4401: "AUTH_FAILED", 4403: "PERMISSION_DENIED" };
export class Session {
    #settings;
    #hooks;
    #outbox;
    #state = "idle";
    #socket;
    #sessionId;
    #lastSeq = 0;
    #attempt = 0;
    #timer;
    #connected;
    #error;
    constructor(settings, hooks) {
        this.#settings = settings;
        this.#hooks = hooks;
        this.#outbox = new Outbox(settings.maxOpen);
    }
    get state() {
        return this.#state;
    }
    get sessionId() {
        return this.#sessionId;
    }
    /** Connects; done when the server welcomed the client, failed when it never will. */
    connect() {
        if (this.#error)
            return Promise.reject(this.#error);
        this.#connected ??= deferred();
        if (this.#state === "idle") {
            globalThis.addEventListener?.("online", this.#online);
            this.#dial();
        }
        return this.#connected.promise;
    }
    /** Sends a message now, or as soon as there is a connection. */
    post(open) {
        if (this.#error)
            throw this.#error;
        const text = this.#outbox.add(open);
        if (this.#state === "open")
            this.#socket?.send(text);
    }
    /** Forgets a message whose answer nobody wants any more. */
    drop(messageId) {
        this.#outbox.drop(messageId);
    }
    /** Ends the session; what is open fails with `error`. */
    close(error = new ContextureError("CONNECTION_CLOSED", "The client was closed.")) {
        if (this.#error)
            return;
        this.#error = error;
        clearTimeout(this.#timer);
        globalThis.removeEventListener?.("online", this.#online);
        const socket = this.#socket;
        this.#socket = undefined;
        socket?.close(1000, "done");
        this.#change("closed");
        this.#connected?.reject(error);
        this.#outbox.failAll(error);
    }
    #online = () => {
        if (this.#state !== "waiting")
            return;
        clearTimeout(this.#timer);
        this.#dial();
    };
    #change(state) {
        if (state === this.#state)
            return;
        this.#state = state;
        this.#hooks.state(state);
    }
    #dial() {
        this.#change("connecting");
        const url = new URL("v1/ws", this.#settings.base);
        url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
        const socket = new this.#settings.WebSocket(url.href, subprotocols(this.#settings.token));
        this.#socket = socket;
        let opened = false;
        let refused = false;
        const refuse = () => {
            if (refused)
                return;
            refused = true;
            void this.#refused(socket);
        };
        // What an older socket still says is not heard.
        const ours = () => this.#socket === socket;
        this.#timer = setTimeout(() => ours() && this.#lost(socket, "No WELCOME came in time."), this.#settings.handshakeTimeout);
        socket.onopen = () => {
            opened = true;
            if (ours())
                this.#hello(socket);
        };
        socket.onmessage = (event) => {
            if (ours())
                this.#received(socket, event.data);
        };
        // A close follows and says more; but some sockets that never opened have an error alone.
        socket.onerror = () => {
            if (ours() && !opened)
                refuse();
        };
        socket.onclose = (event) => {
            if (!ours())
                return;
            const final = FINAL_CLOSES[event.code];
            if (final)
                this.close(new ContextureError(final, event.reason || `The server closed the connection (${event.code}).`, { source: "SERVER" }));
            else if (opened)
                this.#lost(socket, event.reason || `The connection ended (${event.code}).`);
            else
                refuse();
        };
    }
    #hello(socket) {
        if (socket.protocol !== SUBPROTOCOL) {
            this.close(new ContextureError("UNSUPPORTED_VERSION", `The server speaks ${JSON.stringify(socket.protocol)}, this client ${SUBPROTOCOL}.`));
            return;
        }
        const resume = this.#sessionId === undefined ? {} : { sessionId: this.#sessionId, lastSeq: this.#lastSeq };
        socket.send(JSON.stringify(this.#hooks.make("HELLO", { protocolVersion: PROTOCOL_VERSION, ...resume })));
    }
    #received(socket, data) {
        let message;
        try {
            if (typeof data !== "string")
                throw new ContextureError("PARSE_ERROR", "The server sent bytes where text belongs.", { source: "SERVER" });
            message = readMessage(data);
        }
        catch (error) {
            this.#hooks.error(error);
            return;
        }
        if (this.#state === "open") {
            this.#beat(socket);
            this.#take(message);
        }
        else if (isA(message, "WELCOME")) {
            this.#welcome(socket, message);
        }
        else if (isA(message, "ERROR_RESPONSE")) {
            this.#unwelcome(socket, ContextureError.of(message.content));
        }
        else {
            this.#lost(socket, `The server began with ${message.type} where WELCOME belongs.`);
        }
    }
    #welcome(socket, message) {
        const { sessionId } = message.content;
        const resumed = sessionId === this.#sessionId;
        this.#sessionId = sessionId;
        if (!resumed)
            this.#lastSeq = 0;
        this.#attempt = 0;
        const again = this.#outbox.again(!resumed);
        this.#beat(socket);
        this.#change("open");
        // Tools and subscriptions first: a turn that is asked again may want them.
        this.#hooks.welcome(resumed);
        for (const text of again)
            socket.send(text);
        this.#connected?.resolve();
    }
    #unwelcome(socket, error) {
        if (!error.recoverable || FINAL.includes(error.code))
            this.close(error);
        else
            this.#lost(socket, error.message);
    }
    #take(message) {
        const seq = message.metadata?.seq;
        if (typeof seq === "number") {
            if (seq <= this.#lastSeq)
                return;
            this.#lastSeq = seq;
        }
        this.#outbox.receive(message);
        this.#hooks.message(message);
    }
    /** Waits for silence, asks whether the server is there, and gives the socket up when it is not. */
    #beat(socket) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            socket.send(JSON.stringify(this.#hooks.make("TOOL_AVAILABILITY_REQUEST", { tools: [] })));
            this.#timer = setTimeout(() => this.#lost(socket, "The server is silent."), this.#settings.answer);
        }, this.#settings.idle);
    }
    /** The socket closed before it opened. A browser does not tell why; HTTP does. */
    async #refused(socket) {
        clearTimeout(this.#timer);
        const error = await this.#probe();
        if (this.#socket !== socket)
            return;
        if (error && FINAL.includes(error.code))
            this.close(error);
        else
            this.#lost(socket, error?.message ?? "The connection could not be made.");
    }
    async #probe() {
        const { base, token, fetch, handshakeTimeout } = this.#settings;
        try {
            const answer = await fetch(new URL("v1/contexts?limit=1", base), {
                headers: { "MCP-CP-Version": PROTOCOL_VERSION, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
                signal: AbortSignal.timeout(handshakeTimeout),
                credentials: "omit",
                cache: "no-store",
            });
            return answer.ok ? undefined : await failureOf(answer);
        }
        catch {
            return undefined;
        }
    }
    #lost(socket, why) {
        clearTimeout(this.#timer);
        this.#socket = undefined;
        socket.close(4000, "lost");
        const { initial, factor, max, attempts } = this.#settings.reconnect;
        this.#attempt += 1;
        const error = new ContextureError("CONNECTION_FAILED", why, { recoverable: true });
        if (this.#attempt > attempts) {
            this.close(error);
            return;
        }
        this.#hooks.error(error);
        const wait = Math.min(max, initial * factor ** (this.#attempt - 1));
        // Jitter, so that the clients of a server that comes back do not all come at once.
        this.#timer = setTimeout(() => this.#dial(), wait / 2 + (Math.random() * wait) / 2);
        this.#change("waiting");
    }
}
const STATUS_CODES = {
    400: "VALIDATION_FAILED",
    401: "AUTH_FAILED",
    403: "PERMISSION_DENIED",
    404: "CONTEXT_NOT_FOUND",
    409: "VERSION_CONFLICT",
    413: "TOO_LARGE",
    415: "VALIDATION_FAILED",
    422: "VALIDATION_FAILED",
    429: "RATE_LIMITED",
    504: "TIMEOUT",
};
/** The error that an HTTP answer tells: the ERROR_RESPONSE in it, or its status. */
export async function failureOf(answer) {
    const text = await answer.text().catch(() => "");
    try {
        const body = JSON.parse(text);
        const content = (body.content ?? body);
        if (typeof content.errorCode === "string")
            return ContextureError.of(content);
    }
    catch {
        // No ERROR_RESPONSE: a proxy's page, say. The status is told.
    }
    const code = STATUS_CODES[answer.status] ?? "INTERNAL";
    return new ContextureError(code, `The server answered ${answer.status} ${answer.statusText}.`, {
        source: "SERVER",
        recoverable: answer.status === 429 || answer.status >= 500,
    });
}
