import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** The socket as the library wants one: connected already, texts in place of bytes, so that no character is cut in two. */
export class Wire extends EventEmitter {
  readonly secure: boolean;
  readonly #socket: Socket;
  readonly #decoder = new StringDecoder("utf8");
  #finished = false;
  #over = false;

  constructor(socket: Socket, secure: boolean) {
    super();
    this.#socket = socket;
    this.secure = secure;
    this.on("error", () => undefined);
  }

  get unsent(): number {
    return this.#socket.writableLength;
  }

  connect(): void {
    this.#socket.on("data", (part: Buffer) => this.#take(part));
    this.#socket.on("error", (error) => this.emit("error", error));
    this.#socket.on("close", () => this.emit("close"));
    queueMicrotask(() => this.emit("connect"));
  }

  /** What comes when the library has no parser makes it throw, and nobody but us could catch that. */
  #take(part: Buffer): void {
    if (this.#over) return;
    try {
      this.emit("data", this.#decoder.write(part));
    } catch (error) {
      this.emit("error", error);
    }
  }

  write(text: string, done: (error?: Error | null) => void = () => undefined): void {
    // The library answers the server's goodbye with one of its own.
    if (this.#finished || this.#over) done();
    else this.#socket.write(text, done);
  }

  finish(text: string): void {
    this.#finished = true;
    this.#socket.end(text);
  }

  end(): void {
    this.#socket.end();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  destroy(): void {
    this.#over = true;
    this.#socket.destroy();
  }
}
