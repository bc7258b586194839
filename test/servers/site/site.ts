import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Proxy, startProxy } from "../proxy.ts";
import { type Answer, rawOf, refuse, write } from "./answer.ts";
import { Faults } from "./faults.ts";

/** One request, read. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: http.IncomingHttpHeaders;
  readonly raw: Buffer;
}

/** What somebody asks for who wants a socket. */
export interface Handshake {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly url: URL;
}

/** What differs from network to network. */
export interface Business {
  /** The path by which faults and `requests` know a request. */
  readonly name: (url: URL) => string;
  readonly most: number;
  /** Refusals are answers; what it throws ends the connection. */
  readonly answer: (asked: Asked) => Promise<Answer>;
  /** Takes the socket, or says why not. */
  readonly upgrade: (handshake: Handshake) => Answer | null;
  /** Breaks the sockets it has taken. */
  readonly terminate: () => void;
}

/** Listens on loopback behind a proxy, meets faults, goes and comes back: the frame of a server of our own. */
export class Site {
  readonly faults = new Faults();
  /** Each request, as `POST /chat.postMessage`, in the order in which they were finished reading. */
  readonly requests: string[] = [];
  readonly #business: Business;
  #server: http.Server;
  #port = 0;
  #wire: Proxy | null = null;

  constructor(business: Business) {
    this.#business = business;
    this.#server = this.#make();
  }

  async start(): Promise<void> {
    await this.#listen();
    this.#wire = await startProxy(this.#port);
  }

  /** The road to the server. */
  get wire(): Proxy {
    if (this.#wire === null) throw new Error("the server was not started");
    return this.#wire;
  }

  /** Behind the proxy. */
  get port(): number {
    return this.#port;
  }

  /** Nobody is connected and nobody can connect while `down` lasts. */
  async restart(down: () => Promise<void>): Promise<void> {
    await this.#close();
    await down();
    this.#server = this.#make();
    await this.#listen();
  }

  async stop(): Promise<void> {
    await this.wire.stop();
    await this.#close();
  }

  #make(): http.Server {
    const server = http.createServer();
    server.on("request", (request, response) => void this.#serve(request, response));
    server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
    return server;
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    this.#server.close();
    this.#business.terminate();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake");
    const method = request.method ?? "GET";
    const name = this.#business.name(url);
    response.on("error", () => undefined);
    try {
      const raw = await rawOf(request, this.#business.most);
      this.requests.push(`${method} ${name}`);
      const { instead, breaks, until } = this.faults.meet(method, name);
      if (until !== null) await until;
      if (breaks === "before") return void request.socket.destroy();
      const answer = instead ?? (await this.#business.answer({ method, url, headers: request.headers, raw }));
      if (breaks === "after") return void request.socket.destroy();
      write(response, answer);
    } catch {
      // Such a client is gone, sends more than anybody takes, or talks no HTTP.
      request.socket.destroy();
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const url = new URL(request.url ?? "/", "http://fake");
    const name = this.#business.name(url);
    this.requests.push(`GET ${name}`);
    const { instead, breaks, until } = this.faults.meet("GET", name);
    if (until !== null) await until;
    if (breaks !== null) return void socket.destroy();
    const refused = instead ?? this.#business.upgrade({ request, socket, head, url });
    if (refused !== null) refuse(socket, refused);
  }
}
