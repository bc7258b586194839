import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

interface WireEvents {
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
  readonly onError: (error: Error) => void;
}

/** A connected socket that carries texts: no character is cut in two. */
export class Wire {
  readonly #socket: Socket;
  readonly #decoder = new StringDecoder("utf8");
  #finished = false;
  #over = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** What is written, and has not left. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  listen({ onText, onClose, onError }: WireEvents): void {
    this.#socket.on("data", (part: Buffer) => {
      if (!this.#over) onText(this.#decoder.write(part));
    });
    this.#socket.on("error", onError);
    this.#socket.on("close", onClose);
  }

  /** Ignored after the last words. */
  write(text: string): void {
    if (!this.#finished && !this.#over) this.#socket.write(text);
  }

  /** These are our last words. */
  finish(text: string): void {
    this.#finished = true;
    this.#socket.end(text);
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
