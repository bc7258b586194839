import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { markerIn, stamp } from "./marker.ts";
import { monotonic } from "./stats.ts";

const HEAD_END = "\r\n\r\n";
/** The common end of both spellings of Content-Length. */
const LENGTH = "ength: ";

/** Called with each whole answer: how long it took in ms, and whether it was a 2xx. */
export type Answered = (connection: Connection, ms: number, ok: boolean) => void;

/**
 * One kept-alive connection that POSTs prepared bytes, one message at a time. As cheap as Node allows: no parser, no
 * copies.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #marker: number;
  readonly #answered: Answered;
  #sentAt = 0;
  #ok = true;
  /** Bytes of the body still to come; -1 while the head is not complete. */
  #missing = -1;
  #head: Buffer | null = null;
  /** Bytes of the last answer's body. */
  answerBytes = 0;
  /** The beginning of the first answer that was not a 2xx. */
  refusal: string | null = null;

  constructor(port: number, body: string, answered: Answered, path = "/api/message") {
    this.#request = Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    this.#marker = markerIn(this.#request);
    this.#answered = answered;
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (size: number): boolean => this.#read(buffer.subarray(0, size));
    this.#socket = connect({ host: "127.0.0.1", port, noDelay: true, onread: { buffer, callback } });
  }

  /** Resolves once connected; `lost` is called if the connection fails or ends after that. */
  async opened(lost: (error: Error) => void): Promise<void> {
    await once(this.#socket, "connect");
    this.#socket.on("error", lost);
    this.#socket.on("close", () => {
      lost(new Error("the server closed a connection"));
    });
  }

  send(number: number): void {
    this.#sentAt = monotonic();
    stamp(this.#request, this.#marker, number, this.#sentAt);
    this.#missing = -1;
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  #read(chunk: Buffer): boolean {
    if (this.#missing < 0) this.#readHead(this.#head === null ? chunk : Buffer.concat([this.#head, chunk]));
    else this.#missing -= chunk.length;
    if (this.#missing === 0) this.#answered(this, monotonic() - this.#sentAt, this.#ok);
    return true;
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END, 0, "latin1");
    if (end < 0) {
      this.#head = Buffer.from(bytes);
      return;
    }
    this.#head = null;
    const at = bytes.indexOf(LENGTH, 0, "latin1") + LENGTH.length;
    let length = 0;
    for (let index = at; (bytes[index] ?? 0) >= 48; index += 1) length = length * 10 + (bytes[index] ?? 0) - 48;
    this.answerBytes = length;
    this.#missing = length - (bytes.length - end - HEAD_END.length);
    this.#ok = bytes[9] === 50;
    if (!this.#ok) this.refusal ??= bytes.toString("utf8").slice(0, 500);
  }
}
