import { Server, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

export const WEBSOCKET_PATH = "/api/websocket";

/** From the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;
/** A connection on which nothing moves for so long is cut; streams and WebSockets have their own rules. */
const STALL_MS = 120_000;
const MAX_CONNECTIONS = 20_000;
/** What one connection may leave unsent behind the answer that is on its way, which may have any size. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** What a waiting request costs besides its answer. */
const REQUEST_BYTES = 4 * 1024;

interface Connection {
  /** The requests that have no whole answer yet, in order. */
  readonly waiting: Map<ServerResponse, IncomingMessage>;
  /** A WebSocket or a stream rules it now. */
  handedOver: boolean;
}

/**
 * The server of Node, with a limit on what one connection may hold, and with its own notion of an idle connection: Node's calls one idle
 * as soon as its answer was handed over, and so a stop would cut what the client has not taken yet.
 */
export class HttpServer extends Server {
  readonly #connections = new Map<Socket, Connection>();

  constructor() {
    super({
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      shouldUpgradeCallback: isForWebSocket,
    });
    this.timeout = STALL_MS;
    this.maxConnections = MAX_CONNECTIONS;
    this.on("connection", (socket: Socket) => this.#track(socket));
    this.on("upgrade", ({ socket }: IncomingMessage) => {
      const connection = this.#connections.get(socket);
      if (connection !== undefined) connection.handedOver = true;
    });
  }

  serve(handler: RequestListener): void {
    this.on("request", (request: IncomingMessage, response: ServerResponse) => {
      if (this.#admit(request, response)) handler(request, response);
    });
  }

  /** Whether something written to the socket now would be taken for, or into, the answer to a sound request. */
  isAnswering(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return false;
    if (connection.handedOver) return true;
    return [...connection.waiting].some(([response, request]) => response.headersSent || request.complete);
  }

  /** An answer without end now rules its connection itself, like a WebSocket; its request need not be kept for it. */
  release(response: ServerResponse): void {
    const connection = response.socket === null ? undefined : this.#connections.get(response.socket);
    if (connection === undefined) return;
    connection.handedOver = true;
    connection.waiting.delete(response);
  }

  /** Closes the connections on which nobody waits for an answer; after close() the others follow with their last answer. */
  override closeIdleConnections(): void {
    for (const [socket, connection] of this.#connections) {
      if (isIdle(connection)) socket.destroySoon();
    }
  }

  override closeAllConnections(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  /** Resolves when every connection that is open now has closed, and whoever listens for that has been told. */
  async connectionsClosed(): Promise<void> {
    const sockets = [...this.#connections.keys()];
    await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))));
  }

  #track(socket: Socket): void {
    const connection: Connection = { waiting: new Map(), handedOver: false };
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      this.#connections.delete(socket);
      // Node tells only the answer that had the socket; those behind it would wait for ever.
      for (const response of connection.waiting.keys()) {
        if (response.socket === null && !response.writableFinished) response.emit("close");
      }
    });
  }

  /** False when the connection holds too much already; it is cut then. */
  #admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined || socket.destroyed) return false;
    if (waitingBytes(connection) > MAX_WAITING_BYTES) {
      socket.destroy();
      return false;
    }
    connection.waiting.set(response, request);
    response.once("close", () => {
      connection.waiting.delete(response);
      if (!this.listening && isIdle(connection)) socket.destroySoon();
    });
    return true;
  }
}

const isIdle = ({ waiting, handedOver }: Connection): boolean => waiting.size === 0 && !handedOver;

function waitingBytes({ waiting }: Connection): number {
  let bytes = 0;
  let first = true;
  for (const response of waiting.keys()) {
    if (!first) bytes += REQUEST_BYTES + response.writableLength;
    first = false;
  }
  return bytes;
}

/** Whether the request asks to become a WebSocket, at whatever path. */
export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.trim().toLowerCase() === "websocket";

/**
 * Every other upgrade is left unanswered, as RFC 9110 §7.8 allows, and the request served as plain HTTP. Before Node 22.21 and 24.9 the
 * server does not ask, and such a request (Java's client and `curl --http2` send `Upgrade: h2c`) is refused.
 */
const isForWebSocket = (request: IncomingMessage): boolean =>
  wantsWebSocket(request) && request.url?.split("?", 1)[0] === WEBSOCKET_PATH;
