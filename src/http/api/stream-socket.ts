import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ReaderConnection } from "./connection.ts";

/**
 * The body of one endless answer, written straight to its socket.
 *
 * A thousand readers get the same bytes: framing a chunk (RFC 9112 §7.1) once and handing the same buffer to every
 * socket costs neither time nor memory per reader. An HTTP/1.0 reader gets the bytes without frames.
 */
export interface Chunk {
  readonly framed: Buffer;
  readonly bare: Buffer;
}

const SILENCE_MS = 20_000;

export function makeChunk(text: string): Chunk {
  const size = Buffer.byteLength(text);
  const head = `${size.toString(16)}\r\n`;
  const framed = Buffer.allocUnsafe(head.length + size + 2);
  framed.write(head, 0, "latin1");
  framed.write(text, head.length, "utf8");
  framed.write("\r\n", head.length + size, "latin1");
  return { framed, bare: framed.subarray(head.length, head.length + size) };
}

/** Lines as a stream has them: the newline after each. */
export const chunkOf = (lines: readonly string[]): Chunk => makeChunk(`${lines.join("\n")}\n`);

/** Every reader of JSON passes it over; a newline would be an empty line to many. */
const HEARTBEAT: Chunk = makeChunk(" ");

export class StreamSocket implements ReaderConnection<Chunk> {
  readonly #socket: Socket;
  readonly #chunked: boolean;
  #beatAtMs = 0;

  /** Sends the head of a 200 answer; the caller writes the body. */
  static open(response: ServerResponse): StreamSocket {
    response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    response.flushHeaders();
    const { socket } = response;
    if (socket === null) throw new Error("the answer has no socket");
    socket.setNoDelay(true);
    socket.setTimeout(0);
    return new StreamSocket(socket, response.chunkedEncoding);
  }

  private constructor(socket: Socket, chunked: boolean) {
    this.#socket = socket;
    this.#chunked = chunked;
    // If anything was written after the client had closed, this write fails: what the kernel took was not read, as
    // after a reset.
    socket.prependListener("end", () => this.write(HEARTBEAT));
  }

  get unsent(): number {
    return this.#socket.writableLength;
  }

  get taken(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  get closed(): boolean {
    return !this.#socket.writable;
  }

  write(chunk: Chunk): void {
    if (!this.closed) this.#socket.write(this.#chunked ? chunk.framed : chunk.bare);
  }

  whenTaken(listener: () => void): void {
    if (this.closed) return;
    if (this.unsent === 0) listener();
    else this.#socket.write("", (error) => error ?? listener());
  }

  onDrain(listener: () => void): void {
    this.#socket.on("drain", listener);
  }

  onClose(listener: (isReset: boolean) => void): void {
    this.#socket.once("close", listener);
  }

  beat(nowMs: number, silentMs: number): void {
    if (silentMs < SILENCE_MS || nowMs - this.#beatAtMs < SILENCE_MS) return;
    this.#beatAtMs = nowMs;
    this.write(HEARTBEAT);
  }

  /** Ends the body; the connection closes once it is sent. */
  end(): void {
    if (!this.closed) this.#socket.end(this.#chunked ? "0\r\n\r\n" : "");
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
