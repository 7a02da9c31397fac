// The server's side of a WebSocket (RFC 6455), as much of it as the tests need: text, ping, close.
import { createHash } from "node:crypto";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export class ServerSocket {
  onmessage = () => {};
  onclose = () => {};
  #stream;
  #buffer = Buffer.alloc(0);
  #parts = [];
  #closed = false;

  constructor(request, stream, protocol) {
    this.#stream = stream;
    const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + GUID).digest("base64");
    const chosen = protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : "";
    stream.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${chosen}\r\n`);
    stream.on("data", (bytes) => this.#take(bytes));
    stream.on("error", () => {});
    stream.on("close", () => this.#end());
  }

  send(text) {
    if (!this.#closed) this.#stream.write(frame(0x1, Buffer.from(text)));
  }

  close(code = 1000, reason = "") {
    if (this.#closed) return;
    const body = Buffer.alloc(2);
    body.writeUInt16BE(code);
    this.#stream.write(frame(0x8, Buffer.concat([body, Buffer.from(reason)])));
    this.#stream.end();
  }

  // The connection breaks: no close frame, no goodbye.
  cut() {
    this.#stream.destroy();
  }

  #end() {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose();
  }

  #take(bytes) {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (let read = parse(this.#buffer); read; read = parse(this.#buffer)) {
      this.#buffer = this.#buffer.subarray(read.length);
      if (read.opcode === 0x8) {
        this.close(1000);
        return;
      }
      if (read.opcode > 0x8) continue;
      this.#parts.push(read.payload);
      if (!read.final) continue;
      const text = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.onmessage(text);
    }
  }
}

function frame(opcode, payload) {
  const { length } = payload;
  const head = length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.alloc(length < 65_536 ? 4 : 10);
  if (length >= 126) {
    head[0] = 0x80 | opcode;
    head[1] = length < 65_536 ? 126 : 127;
    if (length < 65_536) head.writeUInt16BE(length, 2);
    else head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

function parse(buffer) {
  if (buffer.length < 2) return undefined;
  let length = buffer[1] & 0x7f;
  let at = 2;
  if (length === 126) {
    if (buffer.length < 4) return undefined;
    length = buffer.readUInt16BE(2);
    at = 4;
  } else if (length === 127) {
    if (buffer.length < 10) return undefined;
    length = Number(buffer.readBigUInt64BE(2));
    at = 10;
  }
  const masked = (buffer[1] & 0x80) !== 0;
  const start = at + (masked ? 4 : 0);
  if (buffer.length < start + length) return undefined;
  const payload = Buffer.from(buffer.subarray(start, start + length));
  if (masked) for (let place = 0; place < length; place += 1) payload[place] ^= buffer[at + (place % 4)];
  return { final: (buffer[0] & 0x80) !== 0, opcode: buffer[0] & 0x0f, payload, length: start + length };
}
