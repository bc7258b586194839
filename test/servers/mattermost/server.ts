import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Proxy, startProxy } from "../proxy.ts";
import { Channels } from "./channels.ts";
import { Faults } from "./faults.ts";
import { routeFiles } from "./files.ts";
import { incoming, Outgoing } from "./hooks.ts";
import { Posts } from "./posts.ts";
import { type Answer, bodyOf, type Call, errorBody, Routes, sessionOf, TooLarge, write } from "./requests.ts";
import { routeChannels } from "./routes-channels.ts";
import { routePeople } from "./routes-people.ts";
import { routePosts } from "./routes-posts.ts";
import { routeSystem } from "./routes-system.ts";
import { Sockets } from "./sockets.ts";
import { newId, Refusal } from "./wire.ts";
import { type ServerConfig, World } from "./world.ts";

export interface MattermostOptions {
  /** As `/chat`; empty: the site is at the root. */
  readonly subpath?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly config?: Partial<ServerConfig>;
}

/** Bodies of other requests than files. */
const PAYLOAD_MAX = 300_000;

/** Headers of a form around its files. */
const FORM_MAX = 64 * 1024;

/**
 * A Mattermost server of our own: what it says, refuses and forgets is what the real one does, by its public
 * description. Tests do what people do by `people.ts`, and break it by `faults`, `wire` and the methods here.
 */
export class FakeMattermost {
  readonly world = new World();
  readonly posts = new Posts(this.world);
  readonly channels = new Channels(this.world, this.posts);
  readonly faults = new Faults();
  readonly sockets = new Sockets(this.world);
  readonly outgoing = new Outgoing(this.world, this.posts);
  /** Each request, as `POST /posts`, in the order in which they were finished reading. */
  readonly requests: string[] = [];
  readonly #routes = new Routes();
  readonly #subpath: string;
  readonly #tls: MattermostOptions["tls"];
  #server: http.Server | https.Server;
  #port = 0;
  #wire: Proxy | null = null;

  private constructor(options: MattermostOptions) {
    this.#subpath = options.subpath ?? "";
    this.#tls = options.tls;
    Object.assign(this.world.config, options.config);
    this.posts.onPosted = (post) => this.outgoing.hear(post);
    routeSystem(this.#routes, this.world);
    routePeople(this.#routes, this.world);
    routeChannels(this.#routes, this.world, this.channels, this.posts);
    routePosts(this.#routes, this.world, this.posts);
    routeFiles(this.#routes, this.world);
    this.#server = this.#make();
  }

  static async start(options: MattermostOptions = {}): Promise<FakeMattermost> {
    const server = new FakeMattermost(options);
    await server.#listen();
    server.#wire = await startProxy(server.#port);
    return server;
  }

  /** As the setting `Server` names it; what goes there can be cut and stalled by `wire`. */
  get address(): string {
    return `127.0.0.1:${this.wire.port}${this.#subpath}`;
  }

  /** The same without a proxy on the way, for measurements. */
  get directAddress(): string {
    return `127.0.0.1:${this.#port}${this.#subpath}`;
  }

  get url(): string {
    return `${this.#tls === undefined ? "http" : "https"}://${this.address}`;
  }

  /** The road to the server. */
  get wire(): Proxy {
    if (this.#wire === null) throw new Error("the server was not started");
    return this.#wire;
  }

  /** Breaks all connections without the server seeing it: an old stream cannot be had again before `sockets.see()`. */
  cutUnseen(): void {
    this.sockets.blind = true;
    this.wire.cut();
  }

  /** The program ends and starts again: what is in the database stays, streams and keys of posts are forgotten. */
  async restart(down: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    await this.#close();
    this.world.hub.forget();
    this.posts.forget();
    await down();
    this.#server = this.#make();
    await this.#listen();
  }

  async stop(): Promise<void> {
    await this.wire.stop();
    await this.#close();
    this.world.hub.forget();
    await this.outgoing.settled();
  }

  #make(): http.Server | https.Server {
    const server = this.#tls === undefined ? http.createServer() : https.createServer(this.#tls);
    // As long as the real one keeps idle connections.
    server.keepAliveTimeout = 60_000;
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

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const at = this.#locate(request.url ?? "/");
    const method = request.method ?? "GET";
    response.on("error", () => undefined);
    try {
      const most = at.path === "/api/v4/files" ? this.world.config.maxFileSize + FORM_MAX : PAYLOAD_MAX;
      const raw = await bodyOf(request, most);
      const name = at.path.startsWith("/api/v4") ? at.path.slice("/api/v4".length) : at.path;
      this.requests.push(`${method} ${name}`);
      const { instead, breaks, until } = this.faults.meet(method, name);
      if (until !== null) await until;
      if (breaks === "before") return void request.socket.destroy();
      const limit = this.faults.limited(request.headers.authorization ?? "", this.world.now());
      const call = {
        method,
        path: name,
        params: {},
        query: at.query,
        headers: request.headers,
        raw,
        me: "",
        token: "",
      };
      const answer = instead ?? limit.refused ?? (await this.#answer(at.path, call));
      if (breaks === "after") return void request.socket.destroy();
      write(response, { ...answer, headers: { ...this.#headers(), ...limit.headers, ...answer.headers } });
    } catch (error) {
      if (!(error instanceof TooLarge)) return void request.socket.destroy();
      const words = "The request body is too large.";
      const refusal = new Refusal(413, "api.context.request_body_too_large.app_error", words);
      write(response, { status: 413, json: errorBody(refusal), headers: { connection: "close" } });
    }
  }

  /** Refusals are answers. */
  async #answer(path: string, call: Call): Promise<Answer> {
    try {
      if (path.startsWith("/api/v4/")) return await this.#api(call);
      const [, hook] = /^\/hooks\/([A-Za-z0-9]+)$/.exec(path) ?? [];
      if (hook !== undefined && call.method === "POST") return await incoming(this.world, this.posts, hook, call);
      // Any other address of the site is its web page.
      if (path !== "") return { bytes: "<!DOCTYPE html><html></html>", headers: { "content-type": "text/html" } };
      return { status: 404, bytes: "404 page not found\n", headers: { "content-type": "text/plain" } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, json: errorBody(error) };
    }
  }

  async #api(call: Call): Promise<Answer> {
    const route = this.#routes.find(call.method, call.path);
    if (route === null) {
      throw new Refusal(404, "api.context.404.app_error", "Sorry, we could not find the page.");
    }
    const { params, handler, open } = route;
    let session = { me: "", token: "" };
    try {
      session = sessionOf(this.world, call.headers);
    } catch (error) {
      if (!open) throw error;
    }
    return await handler({ ...call, ...session, params });
  }

  #upgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const at = this.#locate(request.url ?? "/");
    const { instead, breaks, until } = this.faults.meet("GET", "/websocket");
    const limit = this.faults.limited(request.headers.authorization ?? "", this.world.now());
    this.requests.push("GET /websocket");
    if (breaks !== null) return void socket.destroy();
    const refused = instead ?? limit.refused ?? (/^\/api\/v4\/websocket\/?$/.test(at.path) ? null : NOT_THERE);
    const go = (): void => {
      if (refused === null) this.sockets.accept(request, socket, head, at.query);
      else refuse(socket, refused);
    };
    if (until === null) go();
    else void until.then(go);
  }

  /** The path behind the subpath; empty for what is outside of the site. */
  #locate(url: string): { path: string; query: URLSearchParams } {
    const { pathname, searchParams: query } = new URL(url, "http://fake");
    const inside = pathname === this.#subpath || pathname.startsWith(`${this.#subpath}/`);
    return { path: inside ? pathname.slice(this.#subpath.length) || "/" : "", query };
  }

  #headers(): Record<string, string> {
    const { version } = this.world.config;
    return { "X-Request-Id": newId(), "X-Version-Id": `${version}.${version}.8f2e6e4cbd4a3c8ea0cd3c2b.false` };
  }
}

const NOT_THERE: Answer = { status: 404, bytes: "404 page not found\n", headers: { "content-type": "text/plain" } };

/** An answer to a handshake, which has no response object. */
function refuse(socket: Duplex, answer: Answer): void {
  const body = answer.json === undefined ? Buffer.from(answer.bytes ?? "") : Buffer.from(JSON.stringify(answer.json));
  const status = answer.status ?? 200;
  const headers = { ...answer.headers, "content-length": String(body.length), connection: "close" };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`);
  socket.end(body);
}
