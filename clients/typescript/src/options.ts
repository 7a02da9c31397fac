/** What a client is told when it is made, with what holds when it is not. */
import { ContextureError } from "./protocol/errors.js";
import { clientIdOf, ofTab, type Memory } from "./memory.js";
import type { JsonObject, Limitations } from "./protocol/messages.js";

/** The part of a WebSocket that is used; the browser's and Node's have it. */
export interface Socket {
  readonly protocol: string;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export interface Backoff {
  /** Milliseconds before the first new try. */
  initial: number;
  /** By what the wait grows. */
  factor: number;
  /** Milliseconds that a wait is at most. */
  max: number;
  /** Tries in a row before the client gives up; without limit by default. */
  attempts: number;
}

export interface ClientOptions {
  /** The server, such as `https://agents.example` or `http://127.0.0.1:7878/base`; `/v1/…` is added. */
  url: string | URL;
  /** A bearer token. */
  token?: string;
  /** Names this client; made when absent. */
  clientId?: string;
  /** Who the user is, in `sender.id`; the clientId when absent. */
  userId?: string;
  deviceType?: string;
  platform?: string;
  /** The platform's version. */
  version?: string;
  /** Told with each result of a front-end tool, beside deviceType, platform and version. */
  clientInfo?: JsonObject;
  supportedFeatures?: string[];
  /** Told to the server, and kept by the tools: 50,000,000 bytes and 60,000 ms. */
  limitations?: Limitations;
  reconnect?: Partial<Backoff>;
  /** Milliseconds of silence before the server is asked whether it is there, and then for its answer. */
  heartbeat?: { idle?: number; answer?: number };
  /** Milliseconds for WELCOME. */
  handshakeTimeout?: number;
  /** Milliseconds for one HTTP request. */
  httpTimeout?: number;
  /** Messages that may be open at a time. */
  maxOpen?: number;
  /** Where calls are remembered over reloads: `sessionStorage` in a page, nowhere else; null: nowhere. */
  memory?: Memory | null;
  /** Another WebSocket than the global one. */
  WebSocket?: new (url: string, protocols: string[]) => Socket;
  /** Another fetch than the global one. */
  fetch?: typeof fetch;
}

export interface Settings {
  base: URL;
  token: string | undefined;
  clientId: string;
  userId: string;
  deviceType: string;
  platform: string;
  version: string;
  clientInfo: JsonObject;
  supportedFeatures: string[];
  limitations: Required<Limitations>;
  reconnect: Backoff;
  idle: number;
  answer: number;
  handshakeTimeout: number;
  httpTimeout: number;
  maxOpen: number;
  memory: Memory | undefined;
  WebSocket: new (url: string, protocols: string[]) => Socket;
  fetch: typeof fetch;
}

/** Checks the options and fills in what is absent. */
export function settle(options: ClientOptions, clientId: string): Settings {
  const socket = options.WebSocket ?? (globalThis.WebSocket as unknown as Settings["WebSocket"] | undefined);
  if (!socket) throw new TypeError("There is no WebSocket here: use Node 22 or newer, or give one in the options.");
  if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
    throw new ContextureError("AUTH_FAILED", "A token has visible ASCII characters alone.");
  }
  const memory = options.memory === undefined ? ofTab() : (options.memory ?? undefined);
  const id = options.clientId ?? clientIdOf(memory, clientId);
  const settings: Settings = {
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

function baseOf(url: string | URL): URL {
  const base = new URL(url);
  if (base.protocol === "ws:") base.protocol = "http:";
  if (base.protocol === "wss:") base.protocol = "https:";
  if (base.protocol !== "http:" && base.protocol !== "https:") {
    throw new ContextureError("CONNECTION_FAILED", `${base.protocol} is no way to a server; http, https, ws and wss are.`);
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  base.search = "";
  base.hash = "";
  return base;
}

function checkNumbers(settings: Settings): void {
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
    if (!(value > 0)) throw new RangeError(`${name} must be a number above 0, not ${value}.`);
  }
}

/** The WebSocket subprotocols: the protocol, and the token, which a browser can't send in a header. */
export function subprotocols(token: string | undefined): string[] {
  return token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `bearer.${base64url(token)}`];
}

/** What the server must select. */
export const SUBPROTOCOL = "mcp-cp.1";

/** The version of the protocol that this client speaks. */
export const PROTOCOL_VERSION = "1.0.0";

function base64url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
