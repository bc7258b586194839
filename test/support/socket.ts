import { WebSocket } from "ws";
import type { Message } from "../../src/contract/message.ts";
import { Inbox, within } from "./wait.ts";

export interface Frame {
  readonly data: string;
  readonly binary: boolean;
}

/** A client of GET /api/websocket. */
export class ApiSocket {
  /** Every data frame so far. */
  readonly frames: Frame[] = [];
  /** How the connection ended, as `code reason`. */
  readonly closed: Promise<string>;
  readonly #socket: WebSocket;
  readonly #inbox = new Inbox<Frame>();

  constructor(socket: WebSocket) {
    this.#socket = socket;
    const closed = Promise.withResolvers<string>();
    this.closed = closed.promise;
    socket.on("close", (code, reason) => closed.resolve(`${code} ${reason.toString()}`.trim()));
    socket.on("message", (data: Buffer, binary) => {
      const frame = { data: data.toString("utf8"), binary };
      this.frames.push(frame);
      this.#inbox.push(frame);
    });
  }

  async nextFrame(): Promise<Frame> {
    return await this.#inbox.next(() => `a frame; so far ${this.frames.length}`, this.closed);
  }

  /** The next message; a frame that is not one JSON object fails. */
  async next(): Promise<Message> {
    return JSON.parse((await this.nextFrame()).data) as Message;
  }

  send(data: string | Uint8Array): void {
    this.#socket.send(data);
  }

  /** Sends the first part of a message that goes on. */
  begin(data: string): void {
    this.#socket.send(data, { fin: false });
  }

  /** Sends the fields as one text frame. */
  post(fields: Readonly<Record<string, unknown>>): void {
    this.send(JSON.stringify(fields));
  }

  /** Sends a ping; resolves with the payload of the pong. */
  async ping(payload: string): Promise<string> {
    const pong = Promise.withResolvers<string>();
    this.#socket.once("pong", (data) => pong.resolve(data.toString()));
    this.#socket.ping(payload);
    return await within(pong.promise, () => "a pong");
  }

  /** Reads nothing more: what comes stays with the kernel. */
  pause(): void {
    this.#socket.pause();
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
    await within(this.closed, () => "the close of the WebSocket");
  }

  /** Breaks the connection: with data that was not read, the kernel resets it. */
  async break(): Promise<void> {
    this.#socket.terminate();
    await within(this.closed, () => "the end of the WebSocket");
  }
}

/** Opens a WebSocket; rejects with `refused: <status> <body>` when the server does not upgrade. */
export async function openSocket(url: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiSocket> {
  const opened = Promise.withResolvers<ApiSocket>();
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers: { ...headers }, maxPayload: 64 * 1024 * 1024 });
  const client = new ApiSocket(socket);
  socket.on("open", () => opened.resolve(client));
  socket.on("error", opened.reject);
  socket.on("unexpected-response", (_request, response) => {
    let body = "";
    response.on("data", (part: Buffer) => (body += part.toString()));
    response.on("close", () => opened.reject(new Error(`refused: ${response.statusCode} ${body}`)));
  });
  return await within(opened.promise, () => `the upgrade of ${url}`);
}
