import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Proxy, startProxy } from "../proxy.ts";
import { Faults } from "./faults.ts";
import { Limits } from "./limits.ts";
import { routeMembers } from "./members.ts";
import { Messages } from "./messages.ts";
import { type Answer, bodyOf, rawOf, Routes, write } from "./requests.ts";
import { routeChannels } from "./routes-channels.ts";
import { Sockets } from "./sockets.ts";
import { Spacebar } from "./spacebar.ts";
import { routeThreads, Threads } from "./threads.ts";
import { routeWebhooks, Webhooks } from "./webhooks.ts";
import { errorBody, no, Refusal } from "./wire.ts";
import { World } from "./world.ts";

export interface DiscordOptions {
  /** What stands before `/v10`, as `/api`. */
  readonly base?: string;
  /** Behaves like Spacebar, which has `/v9` alone. */
  readonly isSpacebar?: boolean;
}

/**
 * A Discord of our own: what it says, refuses and forgets is what the real one does, by its public description. Tests
 * do what people do by `people.ts`, and break it by `faults`, `limits`, `wire`, `sockets` and the methods here.
 */
export class FakeDiscord {
  readonly world = new World();
  readonly messages = new Messages(this.world);
  readonly threads = new Threads(this.world, this.messages);
  readonly webhooks = new Webhooks(this.world, this.messages, this.threads);
  readonly faults = new Faults();
  readonly limits = new Limits(() => this.world.now());
  readonly sockets = new Sockets(this.world);
  /** Each request, as `POST /channels/1/messages`, in the order in which they were finished reading. */
  readonly requests: string[] = [];
  readonly #routes = new Routes();
  readonly #base: string;
  readonly #spacebar: Spacebar | null;
  #server: http.Server;
  #port = 0;
  #wire: Proxy | null = null;

  private constructor(options: DiscordOptions) {
    this.#base = options.base ?? "/api";
    this.#spacebar = options.isSpacebar === true ? new Spacebar(this.sockets) : null;
    routeMembers(this.#routes, this.world);
    routeChannels(this.#routes, this.world, this.messages, this.threads);
    routeThreads(this.#routes, this.world, this.threads);
    routeWebhooks(this.#routes, this.world, this.webhooks, this.messages);
    this.#routeGateway();
    this.#server = this.#make();
  }

  static async start(options: DiscordOptions = {}): Promise<FakeDiscord> {
    const server = new FakeDiscord(options);
    await server.#listen();
    server.#wire = await startProxy(server.#port);
    server.world.site = `http://127.0.0.1:${server.wire.port}`;
    return server;
  }

  /** Before `/v10`; what goes there, and to the gateway, can be cut and stalled by `wire`. */
  get url(): string {
    return `${this.world.site}${this.#base}`;
  }

  /** The road to the server. */
  get wire(): Proxy {
    if (this.#wire === null) throw new Error("the server was not started");
    return this.#wire;
  }

  /** Where it listens itself, behind the road. */
  get port(): number {
    return this.#port;
  }

  /** No proxy on the way and no limits, for measurements. */
  unbridle(): void {
    this.limits.off = true;
    this.world.site = `http://127.0.0.1:${this.#port}`;
  }

  /** The servers go and come back: what is stored stays, sessions are lost. */
  async restart(down: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#close();
    this.world.hub.forget();
    await down();
    this.#server = this.#make();
    await this.#listen();
  }

  /** The road breaks, and the server goes on taking the connections of the gateway for sound, until `sockets.see`. */
  cutUnseen(): void {
    this.sockets.blind = true;
    this.wire.cut();
  }

  async stop(): Promise<void> {
    await this.wire.stop();
    await this.#close();
    this.world.hub.forget();
  }

  #make(): http.Server {
    const server = http.createServer();
    server.on("request", (request, response) => void this.#serve(request, response));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    return server;
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #close(): Promise<void> {
    this.#server.close();
    this.sockets.terminate();
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server, "close");
  }

  #routeGateway(): void {
    const url = (): string => `${this.world.site.replace("http", "ws")}/gateway`;
    this.#routes.on("GET", "/gateway", () => ({ json: { url: url() } }), true);
    this.#routes.on("GET", "/gateway/bot", () => {
      const limit = { total: 1000, remaining: this.world.hub.starts, reset_after: 86_400_000, max_concurrency: 1 };
      return { json: { url: url(), shards: 1, session_start_limit: limit } };
    });
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake");
    const method = request.method ?? "GET";
    const prefix = `${this.#base}/v${this.sockets.version}`;
    const path = url.pathname.startsWith(`${prefix}/`) ? url.pathname.slice(prefix.length) : "";
    response.on("error", () => undefined);
    try {
      const { instead, breaks, until } = this.faults.meet(method, path === "" ? url.pathname : path);
      if (until !== null) await until;
      if (breaks === "before") return void request.socket.destroy();
      const answer = await this.#answer(request, method, path, url, instead);
      this.requests.push(`${method} ${path === "" ? url.pathname : path}`);
      if (breaks === "after") return void request.socket.destroy();
      this.limits.note(answer);
      write(response, { ...answer, headers: { date: new Date(this.world.now()).toUTCString(), ...answer.headers } });
    } catch {
      // Such a client is gone, or talks no HTTP.
      request.socket.destroy();
    }
  }

  /** Refusals are answers. */
  async #answer(
    request: http.IncomingMessage,
    method: string,
    path: string,
    url: URL,
    instead: Answer | null,
  ): Promise<Answer> {
    let headers = {};
    try {
      // Most refusals come without the body having been looked at; it is read all the same.
      const raw = await rawOf(request, this.world.maxBody);
      const banned = this.limits.banned();
      if (banned !== null || instead !== null) return banned ?? instead ?? {};
      if (path === "") return this.#file(url);
      const refusal = this.#spacebar?.refusal(method, path, request, raw) ?? null;
      if (refusal !== null) return refusal;
      const { route, params } = this.#routes.find(method, path);
      const [, token = ""] = /^Bot (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
      const app = this.world.appOf(token);
      if (app === undefined && !route.open) throw no("unauthorized");
      const hookChannel = this.world.webhooks.get(params["webhook"] ?? "")?.channel;
      const taken = this.limits.take(route.name, params, token, hookChannel);
      headers = taken.headers;
      if (taken.refused !== null) return taken.refused;
      const body = await bodyOf(request, raw);
      const me = app?.user.id ?? "";
      const done = route.handler({ method, path, route: route.name, params, query: url.searchParams, body, me });
      const answer = this.#spacebar?.answer(method, path, done) ?? done;
      return { ...answer, headers: { ...headers, ...answer.headers } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, retryS } = error;
      const wait = retryS === null ? {} : { "Retry-After": String(Math.ceil(retryS)) };
      return { status, json: errorBody(error), headers: { ...headers, ...wait } };
    }
  }

  /** Files are given to whoever has an address that is still good. */
  #file(url: URL): Answer {
    const [, channel, id, name] = /^\/attachments\/(\d+)\/(\d+)\/([^/]+)$/.exec(url.pathname) ?? [];
    const stored = this.world.files.get(id ?? "");
    const until = Number.parseInt(url.searchParams.get("ex") ?? "0", 16) * 1000;
    const signed = url.searchParams.get("hm") === id && until > this.world.now();
    const there = stored?.channel === channel && name !== undefined;
    const text = { "content-type": "text/plain" };
    if (stored === undefined || !there || !signed) {
      return { status: 404, headers: text, bytes: "This content is no longer available." };
    }
    const mime = stored.upload.mime ?? "application/octet-stream";
    return { bytes: stored.upload.content, headers: { "content-type": mime } };
  }

  #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const url = new URL(request.url ?? "/", "http://fake");
    const path = url.pathname.replace(/\/$/, "");
    this.requests.push(`GET ${path}`);
    const { instead, breaks, until } = this.faults.meet("GET", path);
    if (breaks !== null || !/^\/gateway(\/resume)?$/.test(path)) return void socket.destroy();
    const go = (): void => {
      if (instead === null) return this.sockets.accept(request, socket, head, url);
      const status = instead.status ?? 500;
      socket.end(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\nconnection: close\r\n\r\n`);
    };
    if (until === null) go();
    else void until.then(go);
  }
}
