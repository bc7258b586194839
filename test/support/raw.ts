import net from "node:net";
import { within } from "./wait.ts";

/** A bare TCP connection, for what no HTTP library would send or show. */
export class RawConnection {
  /** Resolves when the server has closed or the connection broke. */
  readonly closed: Promise<void>;
  readonly #socket: net.Socket;
  #parts: Buffer[] = [];
  #wake: (() => void)[] = [];

  constructor(socket: net.Socket) {
    this.#socket = socket;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    socket.on("error", () => closed.resolve());
    socket.on("close", () => closed.resolve());
    socket.on("end", () => closed.resolve());
    socket.on("data", (part: Buffer) => {
      this.#parts.push(part);
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  get received(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] ?? Buffer.alloc(0);
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Waits until what was received passes; returns it. */
  async until(enough: (received: Buffer) => boolean, what: string, ms?: number): Promise<Buffer> {
    const ready = async (): Promise<Buffer> => {
      let over = false;
      void this.closed.then(() => (over = true));
      while (!enough(this.received)) {
        if (over) throw new Error(`closed before ${what}; received: ${this.received.toString("latin1").slice(0, 800)}`);
        await Promise.race([this.closed, new Promise<void>((resolve) => this.#wake.push(resolve))]);
      }
      return this.received;
    };
    return await within(ready(), () => `${what}; received: ${this.received.toString("latin1").slice(0, 800)}`, ms);
  }

  /** Waits for one whole answer and returns it. */
  async answer(): Promise<RawAnswer> {
    const bytes = await this.until((received) => parseAnswer(received)?.complete === true, "a whole answer");
    return parseAnswer(bytes)!;
  }

  /** Waits for the server's close, then returns all that came. */
  async untilClosed(): Promise<Buffer> {
    await within(this.closed, () => `the close; received: ${this.received.toString("latin1").slice(0, 800)}`, 15_000);
    return this.received;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** Connects to a server on loopback; rejects when nobody listens. */
export async function connectRaw(url: string): Promise<RawConnection> {
  const opened = Promise.withResolvers<RawConnection>();
  const socket = net.connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  const connection = new RawConnection(socket);
  socket.on("connect", () => opened.resolve(connection));
  socket.on("error", opened.reject);
  return await within(opened.promise, () => `a connection to ${url}`);
}

/** Sends these bytes on a connection of its own and returns the first whole answer. */
export async function rawRequest(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const connection = await connectRaw(url);
  connection.send(bytes);
  try {
    return await connection.answer();
  } finally {
    connection.destroy();
  }
}

export interface RawAnswer {
  readonly statusLine: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The chunks of a chunked body, without the last, empty one. */
  readonly chunks: readonly Buffer[];
  /** The length or the last chunk said that it ends here. */
  readonly complete: boolean;
  /** What follows the answer on the same connection. */
  readonly rest: Buffer;
}

/** Reads one answer off the front; null while the header is not whole. */
export function parseAnswer(bytes: Buffer): RawAnswer | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [statusLine = "", ...fields] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Map<string, string>();
  for (const field of fields) {
    const colon = field.indexOf(":");
    headers.set(field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim());
  }
  const after = bytes.subarray(end + 4);
  if (headers.get("transfer-encoding") === "chunked") return { statusLine, headers, ...parseChunks(after) };
  const length = / (?:1\d\d|204|304) /.test(statusLine) ? 0 : Number(headers.get("content-length") ?? Number.NaN);
  const known = Number.isInteger(length);
  const body = known ? after.subarray(0, length) : after;
  const complete = known && after.length >= length;
  return { statusLine, headers, body, chunks: [], complete, rest: after.subarray(body.length) };
}

function parseChunks(bytes: Buffer): Pick<RawAnswer, "body" | "chunks" | "complete" | "rest"> {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size) || bytes.length < lineEnd + 2 + size + 2) {
      return { body: Buffer.concat(chunks), chunks, complete: false, rest: bytes.subarray(at) };
    }
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { body: Buffer.concat(chunks), chunks, complete: true, rest: bytes.subarray(at) };
    chunks.push(bytes.subarray(lineEnd + 2, at - 2));
  }
}
