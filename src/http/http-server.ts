import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Descriptors } from "../lib/descriptors.ts";
import { Server } from "../lib/node-http.ts";

export const WEBSOCKET_PATH = "/api/websocket";
export const V1_SOCKET_PATH = "/v1/socket";

/** What one server takes of its clients. */
export interface HttpLimits {
  /** For the header of a request, and again for the rest of it; looked at every `checkMs`. */
  readonly requestMs: number;
  readonly checkMs: number;
  /** A connection on which nothing moves for so long is cut; streams and WebSockets have their own rules. */
  readonly stallMs: number;
  /** How long what still comes is taken in after a refusal: cut earlier, the client would not see it. */
  readonly lingerMs: number;
  readonly connections: number;
  /** How long, and how many at most, connections are kept on which nothing was asked since the last answer. */
  readonly keptMs: number;
  readonly kept: number;
}

/** Of the descriptors of the process. */
export interface DescriptorShare {
  readonly descriptors: Descriptors;
  /** What one connection may hold. */
  readonly each: number;
}

const LIMITS: HttpLimits = {
  requestMs: 60_000,
  checkMs: 10_000,
  stallMs: 120_000,
  lingerMs: 5_000,
  connections: 20_000,
  // Clients that use a connection again after any time fail when it is closed.
  keptMs: 60 * 60 * 1000,
  kept: 1_000,
};

/** Silence after which the kernel asks whether the other side is still there. */
const PROBE_MS = 60_000;
/** What one connection may leave unsent after the answer that is on its way, which may have any size. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A server that closes waits so many looks, each after so many ms, for the first request of a new connection. */
const FIRST_LOOKS = 10;
const FIRST_LOOK_MS = 100;
/** What a waiting request costs besides its answer. */
const REQUEST_BYTES = 4 * 1024;

/** How long the answers before a refusal may take to be taken. */
const REFUSAL_MS = 60_000;

interface Connection {
  /**
   * Those that are no whole answer yet, in order. Nearly always one; a Map that is filled and emptied all the time
   * costs memory.
   */
  readonly waiting: ServerResponse[];
  /** A WebSocket or a stream rules it now. */
  handedOver: boolean;
  /** Ends it, after the answers that wait: what came after their requests cannot be read. */
  refusal: string | null;
  /** It has sent a request. */
  hasAsked: boolean;
}

/**
 * The server of Node, with a limit on what one connection may hold, and with its own notion of an idle connection:
 * Node's calls one idle as soon as its answer was handed over, and so a stop would cut what the client has not taken
 * yet. Every request that was read is answered, whatever comes after it.
 */
export class HttpServer extends Server {
  readonly #limits: HttpLimits;
  readonly #share: DescriptorShare | null;
  /** Where a connection may become a WebSocket. */
  readonly #socketPaths: ReadonlySet<string>;
  readonly #connections = new Map<Socket, Connection>();
  /** Those on which nothing was asked since the last answer; the one that waits for longest is the first. */
  readonly #kept = new Set<Socket>();
  /** Told of the end of an answer, as its `this`: one listener for all, as there are many. */
  readonly #ended: (this: ServerResponse) => void;
  /** Those that are coming in: at how many looks they were. None of those whose handler rules their time. */
  readonly #coming = new WeakMap<IncomingMessage, number>();
  readonly #unhurried = new WeakSet<IncomingMessage>();
  /** Asked to change to another protocol, which nobody does. */
  readonly #unchanged = new WeakSet<IncomingMessage>();
  #isOpen = false;

  constructor(
    limits: HttpLimits = LIMITS,
    share: DescriptorShare | null = null,
    socketPaths: readonly string[] = [WEBSOCKET_PATH],
  ) {
    super({
      // Node has one for all requests, and uploads take longer: see #hurry.
      requestTimeout: 0,
      headersTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keptMs,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      shouldUpgradeCallback: (request) => this.#mayUpgrade(request),
    });
    this.#limits = limits;
    this.#share = share;
    this.#socketPaths = new Set(socketPaths);
    const ended = (response: ServerResponse): void => this.#answerEnded(response);
    this.#ended = function () {
      ended(this);
    };
    if (share !== null) this.#relieve(share);
    // Without a listener, a connection that the system does not let us accept would end the program.
    this.on("error", () => void (this.listening && share?.descriptors.failed()));
    this.timeout = limits.stallMs;
    this.maxConnections = limits.connections;
    this.on("connection", (socket: Socket) => this.#track(socket));
    this.on("listening", () => (this.#isOpen = true));
    this.#hurryAlways();
    this.on("drop", () => this.#closeUnused());
    this.on("upgrade", ({ socket }: IncomingMessage) => {
      const connection = this.#connections.get(socket);
      if (connection !== undefined) connection.handedOver = true;
      this.#kept.delete(socket);
    });
    // Without a listener Node cuts the connection, and with it the answers to the requests before.
    this.on("connect", (_request: IncomingMessage, socket: Socket) => this.refuse(socket, NO_TUNNEL));
  }

  /** Answers from now on what it is given to take, and has no address of its own. */
  open(): void {
    // What begins with it, here and in Node, is the watch over connections.
    this.emit("listening");
  }

  /**
   * Takes a connection that came to another server or by another node, as one that came to the address; it must have
   * what is used of a socket. False: it is not taken, and left alone.
   */
  take(connection: Duplex): boolean {
    if (!this.#isOpen) return false;
    if (this.#connections.size >= this.#limits.connections) {
      this.#closeUnused();
      return false;
    }
    return this.emit("connection", connection);
  }

  serve(handler: RequestListener): void {
    this.on("request", (request: IncomingMessage, response: ServerResponse) => {
      if (!this.#admit(request, response)) return;
      // Node drops what it has read after such a request; a client that is told of the close asks again.
      if (this.#unchanged.has(request)) response.shouldKeepAlive = false;
      handler(request, response);
    });
  }

  /**
   * Ends a connection with these bytes, after the answers to the requests that have come in whole; on a stream or a
   * WebSocket without them.
   */
  refuse(socket: Socket, bytes: string): void {
    const connection = this.#connections.get(socket);
    // What still comes is as unreadable.
    if (connection !== undefined && connection.refusal !== null) return;
    if (connection === undefined || connection.handedOver || !socket.writable) return void socket.destroy();
    connection.refusal = bytes;
    destroyAfter(socket, REFUSAL_MS);
    this.#endRefused(socket, connection);
  }

  /** An answer without end now rules its connection itself, like a WebSocket; its request need not be kept for it. */
  release(response: ServerResponse): void {
    const connection = response.socket === null ? undefined : this.#connections.get(response.socket);
    if (connection === undefined) return;
    connection.handedOver = true;
    forget(connection.waiting, response);
    // Node keeps both for as long as the connection lives. Nobody is told of their end: who rules the connection
    // listens to that.
    const { req: request } = response;
    response.removeAllListeners();
    request.removeAllListeners();
    request.headers = {};
    request.rawHeaders = [];
  }

  /** Its handler says how long the rest of this request may take to come in, and ends the connection. */
  leaveTime(request: IncomingMessage): void {
    this.#unhurried.add(request);
  }

  /**
   * Closes the connections on which nobody waits for an answer; after close() the others follow with their last answer.
   * A connection without a request yet is left open: its request may be on its way, and is answered.
   */
  override closeIdleConnections(): void {
    for (const [socket, connection] of this.#connections) {
      if (isIdle(connection) && connection.hasAsked) socket.destroySoon();
    }
  }

  override close(told?: (error?: Error) => void): this {
    this.#isOpen = false;
    let looks = 0;
    // No time counts: a process that stood still has not read what came meanwhile.
    const timer = setInterval(() => {
      looks += 1;
      if (looks >= FIRST_LOOKS) this.#closeUnused();
    }, FIRST_LOOK_MS);
    this.once("close", () => clearInterval(timer));
    return super.close(told);
  }

  override closeAllConnections(): void {
    for (const socket of this.#connections.keys()) socket.destroy();
  }

  /** Resolves when every connection that is open now has closed, and whoever listens for that has been told. */
  async connectionsClosed(): Promise<void> {
    const sockets = [...this.#connections.keys()];
    await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))));
  }

  /** Closes every connection on which nobody waits for an answer. */
  #closeUnused(): void {
    for (const [socket, connection] of this.#connections) if (isIdle(connection)) socket.destroySoon();
  }

  /** Closes what can be closed without harm when descriptors run short. */
  #relieve({ descriptors }: DescriptorShare): void {
    const relieve = (): void => this.#closeUnused();
    descriptors.relief.add(relieve);
    this.once("close", () => descriptors.relief.delete(relieve));
  }

  #hurryAlways(): void {
    let timer: NodeJS.Timeout | undefined;
    this.on("listening", () => (timer = setInterval(() => this.#hurry(), this.#limits.checkMs).unref()));
    this.on("close", () => clearInterval(timer));
  }

  /** Ends what takes too long to come in. By looks, and not by the time of each: of small requests there are many. */
  #hurry(): void {
    const { requestMs, checkMs } = this.#limits;
    for (const [socket, { waiting, handedOver, refusal }] of this.#connections) {
      const request = handedOver || refusal !== null ? undefined : waiting.at(-1)?.req;
      if (request === undefined || request.complete || this.#unhurried.has(request)) continue;
      const looks = (this.#coming.get(request) ?? 0) + 1;
      this.#coming.set(request, looks);
      if (looks * checkMs <= requestMs) continue;
      const late = Object.assign(new Error("the request takes too long"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      if (!this.emit("clientError", late, socket)) socket.destroy();
    }
  }

  #track(socket: Socket): void {
    const { descriptors, each: most = 1 } = this.#share ?? {};
    // One that came by another node holds a descriptor there.
    const each = socket instanceof Socket ? most : 0;
    if (descriptors?.take(each) === false) return void socket.destroy();
    socket.once("close", () => descriptors?.give(each));
    const connection: Connection = { waiting: [], handedOver: false, refusal: null, hasAsked: false };
    this.#connections.set(socket, connection);
    // Each answer that waits listens to it; waitingBytes bounds them, and not a warning at the eleventh.
    socket.setMaxListeners(0);
    // Node takes its own listener away after a CONNECT or an upgrade, and an error that nobody hears is thrown.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#connections.delete(socket);
      this.#kept.delete(socket);
      // Node tells only the answer that had the socket; those after it would wait forever.
      for (const response of connection.waiting) {
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
    connection.hasAsked = true;
    connection.waiting.push(response);
    this.#kept.delete(socket);
    response.on("close", this.#ended);
    return true;
  }

  #answerEnded(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#connections.get(socket);
    if (connection === undefined || !forget(connection.waiting, response)) return;
    if (connection.refusal !== null) this.#endRefused(socket, connection);
    else if (isIdle(connection)) this.#keep(socket);
  }

  /** It has had its answers. */
  #keep(socket: Socket): void {
    if (!this.#isOpen) return socket.destroySoon();
    if (!this.#connections.has(socket)) return;
    this.#kept.add(socket);
    if (this.#kept.size <= this.#limits.kept) return;
    const [oldest] = this.#kept;
    if (oldest === undefined) return;
    this.#kept.delete(oldest);
    oldest.destroySoon();
  }

  /**
   * Once only the request is left that was not read to its end, if any: the refusal answers it, unless its answer has
   * begun.
   */
  #endRefused(socket: Socket, { waiting, refusal }: Connection): void {
    const isOpen = waiting.some(({ req, writableFinished }) => req.complete && !writableFinished);
    if (isOpen || refusal === null) return;
    const hasBegun = waiting.some(({ req, headersSent }) => !req.complete && headersSent);
    if (hasBegun) socket.destroy();
    else if (socket.writable) {
      socket.end(refusal);
      destroyAfter(socket, this.#limits.lingerMs);
    }
  }

  /**
   * Only a WebSocket that nothing waits before. Every other upgrade is left alone, as RFC 9110 §7.8 allows, and the
   * request served as plain HTTP. Before Node 22.21 and 24.9 the server does not ask, and such a request (Java's client
   * and `curl --http2` send `Upgrade: h2c`) is refused.
   */
  #mayUpgrade(request: IncomingMessage): boolean {
    const isFirst = this.#connections.get(request.socket)?.waiting.length === 0;
    const may = isFirst && wantsWebSocket(request) && this.#socketPaths.has(request.url?.split("?", 1)[0] ?? "");
    if (!may) this.#unchanged.add(request);
    return may;
  }
}

const NO_TUNNEL = "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

function destroyAfter(socket: Socket, ms: number): void {
  const timer = setTimeout(() => socket.destroy(), ms);
  socket.once("close", () => clearTimeout(timer));
}

const isIdle = ({ waiting, handedOver }: Connection): boolean => waiting.length === 0 && !handedOver;

/** False when it was not among them. */
function forget(waiting: ServerResponse[], response: ServerResponse): boolean {
  const at = waiting.indexOf(response);
  if (at === -1) return false;
  if (at === waiting.length - 1) waiting.pop();
  else waiting.splice(at, 1);
  return true;
}

function waitingBytes({ waiting }: Connection): number {
  let bytes = 0;
  let first = true;
  for (const response of waiting) {
    if (!first) bytes += REQUEST_BYTES + response.writableLength;
    first = false;
  }
  return bytes;
}

/** Whether the request asks to become a WebSocket, at whatever path. */
export const wantsWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.trim().toLowerCase() === "websocket";
