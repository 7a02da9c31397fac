
/** An entry that failed, or a message that the server refused. */
export class CallError extends Error {
  /** The code, such as `VALIDATION_FAILED`, or that of a `fail`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "CallError";
    this.code = code;
  }
}

/** Where the server is, and who calls. */
export interface Options {
  url: string;
  token?: string;
  /** The context that keeps the calls; without it each client has one of its own. */
  contextId?: string;
}

/** The entries of the program; `[serve] actions` of the server allows them. */
export class Client {
  private readonly options: Options;
  private readonly contextId: string;

  constructor(options: Options) {
    this.options = options;
    this.contextId = options.contextId ?? `ctx_${crypto.randomUUID()}`;
  }

  private async call(action: string, parameters: unknown): Promise<unknown> {
    const { url, token } = this.options;
    const response = await fetch(`${url.replace(/\/+$/, "")}/v1/messages`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify({
        messageId: `msg_${crypto.randomUUID()}`,
        contextId: this.contextId,
        timestamp: new Date().toISOString(),
        type: "INSTRUCTION",
        sender: { id: "client", type: "USER" },
        content: { instructions: [{ instructionId: "call", action, parameters }] },
      }),
    });
    const content = ((await response.json()) as any)?.content;
    const outcome = content?.results?.[0];
    if (outcome?.status === "COMPLETED") return outcome.result;
    const error = outcome?.error ?? outcome?.reason ?? content;
    throw new CallError(error?.code ?? error?.errorCode ?? `HTTP_${response.status}`, error?.message ?? "unexpected answer");
  }
