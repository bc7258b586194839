import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { SocketReader } from "../kit/socket-reader.ts";

interface WireEvents {
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
  readonly onError: (error: Error) => void;
}

/** A connected socket that carries texts: no character is cut in two. */
export class Wire {
  readonly #socket: Socket;
  readonly #decoder = new StringDecoder("utf8");
  #reader: SocketReader | null = null;
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
    this.#socket.on("error", onError);
    const socket = this.#socket;
    const onBytes = (bytes: Uint8Array): void => {
      // Answers leave in one go.
      socket.cork();
      onText(this.#decoder.write(bytes));
      socket.uncork();
    };
    this.#reader = new SocketReader({ socket, onBytes, onClose });
    this.#reader.resume();
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
    this.#reader?.pause();
  }

  resume(): void {
    this.#reader?.resume();
  }

  destroy(): void {
    this.#over = true;
    this.#reader?.stop();
    this.#socket.destroy();
  }
}
