// A server that speaks the client's side of the protocol's wire as a server of ours does, in memory: sessions
// that resume, messages that have effect once, contexts with a change log, subscriptions. What the agent does
// is given by the test. It also serves files, as the demo page needs them.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { withPath, withoutPath } from "../../dist/index.js";
import { ServerSocket } from "./socket.mjs";

const TYPES = { ".svg": "image/svg+xml", ".html": "text/html", ".css": "text/css", ".js": "text/javascript" };
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export class TestServer {
  token;
  // What an agent does with a USER_INPUT: (turn) => Promise. See Turn below.
  agent = async (turn) => turn.answer(`You said: ${turn.text}`);
  contexts = new Map();
  sessions = new Map();
  // All messages that came, repetitions too.
  received = [];
  hellos = [];
  // What waits, and what came of it.
  waits = [];
  answered = [];
  // Things that go wrong, for tests.
  refuse;
  ignore = () => false;
  #http;
  #answers = new Map();
  #sockets = new Set();
  #ids = 0;

  async listen(folder) {
    this.folder = folder;
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#http.on("upgrade", (request, stream) => this.#upgrade(request, stream));
    await new Promise((done) => this.#http.listen(this.port ?? 0, "127.0.0.1", done));
    this.port = this.#http.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  async close() {
    for (const socket of this.#sockets) socket.cut();
    this.#http.closeAllConnections();
    await new Promise((done) => this.#http.close(done));
  }

  /** Breaks all connections. */
  cut() {
    for (const socket of this.#sockets) socket.cut();
  }

  forgetSessions() {
    this.sessions.clear();
  }

  id(prefix) {
    this.#ids += 1;
    return `${prefix}_${this.#ids}`;
  }

  make(type, content, more = {}) {
    return { messageId: more.messageId ?? this.id("srv"), timestamp: new Date().toISOString(), type, sender: { id: "server", type: "SYSTEM" }, content, ...more };
  }

  refusal(code, message, requestId, recoverable = false) {
    return this.make("ERROR_RESPONSE", { errorCode: code, message, details: { requestId }, source: "SERVER", recoverable, suggestedAction: "mend it" });
  }

  // -- sessions ---------------------------------------------------------------------------------------------

  #upgrade(request, stream) {
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((one) => one.trim());
    const bearer = offered.find((one) => one.startsWith("bearer."));
    const token = bearer && Buffer.from(bearer.slice(7), "base64url").toString("utf8");
    if (this.refuse || (this.token !== undefined && token !== this.token)) {
      stream.end(`HTTP/1.1 ${this.refuse ?? 401} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const socket = new ServerSocket(request, stream, this.protocol ?? "mcp-cp.1");
    this.#sockets.add(socket);
    let session;
    socket.onclose = () => {
      this.#sockets.delete(socket);
      if (session?.socket === socket) session.socket = undefined;
    };
    socket.onmessage = (text) => {
      const message = JSON.parse(text);
      if (session) this.#take(session, message);
      else session = this.#hello(socket, message);
    };
  }

  #hello(socket, message) {
    this.hellos.push(message);
    if (this.unwelcome) {
      socket.send(JSON.stringify(this.unwelcome(message)));
      socket.close();
      return undefined;
    }
    const { sessionId, lastSeq = 0 } = message.content;
    let session = this.sessions.get(sessionId);
    if (!session) {
      session = { id: this.id("session"), seq: 0, sent: [], tools: [], follows: new Set(), calls: new Map() };
      this.sessions.set(session.id, session);
    }
    session.socket = socket;
    const welcome = this.make("WELCOME", { protocolVersion: "1.0.0", sessionId: session.id, lastSeq: session.seq }, { metadata: { inReplyTo: message.messageId } });
    socket.send(JSON.stringify(welcome));
    for (const sent of session.sent) if (sent.metadata.seq > lastSeq) socket.send(JSON.stringify(sent));
    // Asked again after a reconnect, under another messageId.
    for (const call of session.calls.values()) this.send(session, this.make("TOOL_CALL_REQUEST", call.request.content, { contextId: call.request.contextId, metadata: { ...call.request.metadata } }));
    return session;
  }

  send(session, message) {
    session.seq += 1;
    const sent = { ...message, metadata: { ...message.metadata, seq: session.seq } };
    session.sent.push(sent);
    session.socket?.send(JSON.stringify(sent));
    return sent;
  }

  #take(session, message) {
    this.received.push(message);
    if (this.ignore(message)) return;
    const key = `${message.contextId ?? ""} ${message.messageId}`;
    const again = this.#answers.get(key);
    if (again) {
      again.session = session;
      for (const answer of again.answers) this.send(session, answer);
      return;
    }
    const exchange = { session, answers: [] };
    this.#answers.set(key, exchange);
    const reply = (type, content, more = {}) => {
      const answer = this.make(type, content, { ...(message.contextId ? { contextId: message.contextId } : {}), ...more, metadata: { ...more.metadata, inReplyTo: message.messageId } });
      if (type !== "MODEL_RESPONSE_DELTA") exchange.answers.push(answer);
      return this.send(exchange.session, answer);
    };
    this.#handle(exchange, message, reply);
  }

  #handle(exchange, message, reply) {
    const { session } = exchange;
    const { content } = message;
    const ack = (version) => reply("ACK", { messageId: message.messageId, ...(version === undefined ? {} : { version }) });
    switch (message.type) {
      case "CLIENT_CAPABILITIES":
        session.tools = content.supportedTools;
        session.clientId = content.clientId;
        ack();
        break;
      case "TOOL_AVAILABILITY_REQUEST":
        reply("TOOL_AVAILABILITY_RESPONSE", {
          availableTools: content.tools.map(({ toolId }) => ({ toolId, available: session.tools.some((tool) => tool.toolId === toolId && tool.permission !== "denied") })),
        });
        break;
      case "TOOL_LIST_REQUEST":
        reply("TOOL_LIST_RESPONSE", { tools: [{ name: "clock", runtime: "BACKEND", kind: "QUERY", class: "read", idempotent: true, parameters: {} }], actions: [] });
        break;
      case "CONTEXT_UPDATE": {
        const context = this.context(message.contextId);
        if (content.baseVersion !== undefined && content.baseVersion < context.version && content.path === context.changes.at(-1)?.path) {
          reply("ERROR_RESPONSE", this.refusal("VERSION_CONFLICT", "changed since", message.messageId).content);
        } else ack(this.change(message.contextId, content));
        break;
      }
      case "SUBSCRIBE": {
        const context = this.contexts.get(content.contextId);
        if (!context) {
          reply("ERROR_RESPONSE", this.refusal("CONTEXT_NOT_FOUND", "no such context", message.messageId).content);
          break;
        }
        session.follows.add(content.contextId);
        ack(context.version);
        break;
      }
      case "UNSUBSCRIBE":
        session.follows.delete(content.contextId);
        ack();
        break;
      case "TOOL_CALL_REQUEST":
      case "INSTRUCTION":
        void this.set({ message, reply, ack, call: (calls) => this.call(exchange.session, message.contextId, message.messageId, calls) });
        break;
      case "CONTROL":
        this.steered.push([content.action, content.target]);
        if (this.sets.has(content.target)) ack();
        else if (this.#turns.has(content.target)) {
          ack();
          this.#turns.get(content.target).stop();
        } else reply("ERROR_RESPONSE", this.refusal("UNKNOWN_ID", "nothing runs under this id", message.messageId).content);
        break;
      case "TOOL_CALL_RESPONSE":
        ack();
        for (const [callId, call] of session.calls) {
          if (!content.results.some((result) => result.callId === callId)) continue;
          session.calls.delete(callId);
          call.done(content.results);
        }
        break;
      case "USER_INPUT":
        ack();
        void this.#turn(exchange, message, reply);
        break;
      default:
        reply("ERROR_RESPONSE", this.refusal("UNKNOWN_TYPE", `${message.type}?`, message.messageId).content);
    }
  }

  /** What answers tool calls and instruction sets; a test says it. */
  set = async () => {};
  /** The ids of sets that can be steered, and how things were. */
  sets = new Set();
  steered = [];

  #turns = new Map();

  async #turn(exchange, message, reply) {
    const contextId = message.contextId ?? this.id("ctx");
    this.change(contextId, { operation: "ADD_MESSAGE", message: { ...message, contextId } });
    let stopped = false;
    const stop = new Promise((done) => this.#turns.set(message.messageId, { stop: () => { stopped = true; done(); } }));
    const responseId = this.id("response");
    let index = 0;
    let said = "";
    const end = (content, more = {}) => {
      const answer = reply("MODEL_RESPONSE", content, { contextId, messageId: responseId, sender: { id: "model", type: "MODEL" }, ...more });
      this.change(contextId, { operation: "ADD_MESSAGE", message: answer });
      return answer;
    };
    const turn = {
      text: message.content.text, message, contextId, stop, reply, responseId,
      get stopped() { return stopped; },
      delta: (text) => { said += text; reply("MODEL_RESPONSE_DELTA", { messageId: responseId, index: index++, text }, { contextId }); },
      answer: (text, more) => end({ text: text ?? said, finishReason: "STOP" }, more),
      breakOff: (code) => end({ text: said, finishReason: "ERROR" }, { metadata: { error: { code, message: `ended: ${code}` } } }),
      wishes: (text, toolCalls) => reply("MODEL_RESPONSE", { text, toolCalls, finishReason: "TOOL_CALLS" }, { contextId, sender: { id: "model", type: "MODEL" } }),
      call: (calls, more = {}) => this.call(exchange.session, contextId, message.messageId, calls, more),
      set: (path, value) => this.change(contextId, { operation: "UPDATE_STATE", path, value }),
    };
    try {
      await this.agent(turn);
    } catch (error) {
      turn.breakOff(String(error?.message ?? error));
    }
    this.#turns.delete(message.messageId);
  }

  call(session, contextId, turn, calls, more = {}) {
    const content = { calls: calls.map((call) => ({ callId: this.id("call"), runtime: "FRONTEND", parameters: {}, ...call })), ...more };
    const request = this.send(session, this.make("TOOL_CALL_REQUEST", content, { contextId, metadata: { inReplyTo: turn } }));
    return new Promise((done) => session.calls.set(content.calls[0].callId, { request, done }));
  }

  // -- contexts ---------------------------------------------------------------------------------------------

  context(contextId) {
    const now = new Date().toISOString();
    if (!this.contexts.has(contextId)) this.contexts.set(contextId, { contextId, creationTime: now, lastUpdateTime: now, version: 0, messages: [], state: {}, changes: [] });
    return this.contexts.get(contextId);
  }

  change(contextId, update) {
    const context = this.context(contextId);
    context.version += 1;
    const changes = (update.changes ?? [update]).map(({ operation, path, value, message, filter }) => {
      if (operation === "UPDATE_STATE") context.state = withPath(context.state, path, value);
      if (operation === "REMOVE_STATE") context.state = withoutPath(context.state, path);
      if (operation === "UPDATE_METADATA") context.metadata = Object.fromEntries(Object.entries({ ...context.metadata, ...value }).filter(([, one]) => one !== null));
      if (operation === "ADD_MESSAGE") context.messages.push({ ...message, metadata: { ...message.metadata, seq: context.messages.length + 1 } });
      return { version: context.version, op: operation, path, value, message, filter };
    });
    context.changes.push(...changes);
    for (const session of this.sessions.values()) {
      if (session.follows.has(contextId)) this.send(session, this.make("CONTEXT_DELTA", { version: context.version, changes }, { contextId }));
    }
    return context.version;
  }

  // -- HTTP -------------------------------------------------------------------------------------------------

  async #serve(request, response) {
    const url = new URL(request.url, this.url);
    const json = (status, body) => response.writeHead(status, { "Content-Type": "application/json" }).end(body === undefined ? "" : JSON.stringify(body));
    if (!url.pathname.startsWith("/v1/")) return this.#file(url, response);
    if (this.refuse) return json(this.refuse, this.refusal("INTERNAL", "refused"));
    if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) return json(401, this.refusal("AUTH_FAILED", "The token is wrong."));
    if (url.pathname.startsWith("/v1/runs/")) return json(200, { run: url.pathname.split("/").at(-1), program: "agent", outcome: "done", events: [] });
    if (url.pathname.startsWith("/v1/waits")) return this.#waits(url, request, json);
    const [, , , contextId, part] = url.pathname.split("/").map(decodeURIComponent);
    const limit = Number(url.searchParams.get("limit") ?? 100);
    if (contextId === undefined) {
      const search = url.searchParams.get("search") ?? "";
      const found = [...this.contexts.values()].filter(({ metadata, messages }) => [metadata?.title, ...messages.map((one) => one.content.text)].some((text = "") => text.includes(search)));
      const all = found.map(({ messages, changes, state, ...head }) => head);
      const from = all.findIndex((one) => one.contextId === url.searchParams.get("after")) + 1;
      const page = all.slice(from, from + limit);
      return json(200, { contexts: page, ...(from + limit < all.length ? { next: page.at(-1).contextId } : {}) });
    }
    const context = this.contexts.get(contextId);
    if (!context) return json(404, this.refusal("CONTEXT_NOT_FOUND", "no such context"));
    if (request.method === "DELETE") {
      this.contexts.delete(contextId);
      for (const session of this.sessions.values()) {
        if (!session.follows.delete(contextId)) continue;
        const content = { action: "NOTIFICATION", text: "the context was deleted", data: { code: "CONTEXT_DELETED" } };
        this.send(session, this.make("SYSTEM_MESSAGE", content, { contextId }));
      }
      return json(204);
    }
    if (part === "messages") {
      const after = Number(url.searchParams.get("after") ?? 0);
      const messages = context.messages.slice(after, after + limit);
      return json(200, { messages, ...(after + limit < context.messages.length ? { next: after + limit } : {}) });
    }
    if (part === "changes") {
      const since = Number(url.searchParams.get("since") ?? 0);
      if (this.compacted?.(since)) return json(422, this.refusal("VALIDATION_FAILED", "compacted"));
      return json(200, { version: context.version, changes: context.changes.filter((change) => change.version > since) });
    }
    const { changes, ...whole } = context;
    return json(200, url.searchParams.get("messages") === "0" ? { ...whole, messages: [] } : whole);
  }

  async #waits(url, request, json) {
    const call = decodeURIComponent(url.pathname.split("/")[3] ?? "");
    if (call === "") return json(200, { waits: this.waits });
    const place = this.waits.findIndex((one) => one.callId === call && one.contextId === url.searchParams.get("contextId"));
    if (place < 0) return json(404, this.refusal("UNKNOWN_ID", `nothing waits under the callId \`${call}\``));
    const [{ callId, contextId }] = this.waits.splice(place, 1);
    if (request.method === "DELETE") {
      this.answered.push({ callId, contextId, cancelled: true });
      return json(204);
    }
    let body = "";
    for await (const part of request) body += part;
    this.answered.push({ callId, contextId, result: JSON.parse(body) });
    return json(200, { callId, contextId });
  }

  async #file(url, response) {
    const path = normalize(url.pathname.endsWith("/") ? `${url.pathname}index.html` : url.pathname);
    try {
      if (!this.folder) throw new Error("no folder");
      const body = await readFile(join(this.folder, path));
      response.writeHead(200, {
        "Content-Type": `${TYPES[extname(path)] ?? "application/octet-stream"}; charset=utf-8`,
        "Content-Security-Policy": POLICY,
        "Permissions-Policy": "camera=(self), geolocation=(self)",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  }
}
