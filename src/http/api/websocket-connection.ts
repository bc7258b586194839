import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { ReaderConnection } from "./connection.ts";

const PING_EVERY_MS = 54_000;

/** One WebSocket as a reader: a text frame for each item. It is closed when it has not answered the last ping. */
export class WebSocketConnection implements ReaderConnection<readonly Buffer[]> {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  #pingedAtMs: number;
  #alive = true;

  /** `socket`: what the WebSocket runs on. */
  constructor(ws: WebSocket, socket: Socket, nowMs: number) {
    this.#ws = ws;
    this.#socket = socket;
    this.#pingedAtMs = nowMs;
    ws.on("pong", () => {
      this.#alive = true;
    });
    // If anything was written after the client had closed, this write fails: what the kernel took was not read, as
    // after a reset.
    socket.prependListener("end", () => this.#ping());
  }

  get unsent(): number {
    return this.#socket.writableLength;
  }

  get taken(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  get closed(): boolean {
    return this.#ws.readyState !== this.#ws.OPEN || !this.#socket.writable;
  }

  write(frames: readonly Buffer[]): void {
    if (!this.closed) for (const frame of frames) this.#ws.send(frame, { binary: false });
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

  beat(nowMs: number): void {
    if (nowMs - this.#pingedAtMs < PING_EVERY_MS) return;
    if (!this.#alive) return this.destroy();
    this.#alive = false;
    this.#pingedAtMs = nowMs;
    this.#ping();
  }

  /** 1001, going away (RFC 6455 §7.4.1). */
  end(): void {
    this.#ws.close(1001, "the service is stopping");
  }

  destroy(): void {
    this.#ws.terminate();
  }

  #ping(): void {
    if (!this.closed) this.#ws.ping();
  }
}
