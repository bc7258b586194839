import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Access } from "../../access/access.ts";
import type { Alert } from "../../admin/views.ts";
import type { SharedHint } from "../../consumers/hint-event.ts";
import { shorten } from "../api/posting-refusal.ts";
import { onAbort } from "../../lib/abort.ts";
import { isUnknown } from "../../log/unknown-outcome.ts";
import { bodyGone, receiveBody } from "../body.ts";
import { type MoreHeaders, problemOf, refusalOf, sendProblem, sendReply, type V1Refusal } from "./answers.ts";
import { type Desk, OpenCall, type OpenCalls } from "./call.ts";
import { flawsOf } from "./check.ts";
import { checkRight, type Doorman, fromHttp, type Knock } from "./doorman.ts";
import type { V1Deps } from "./deps.ts";
import type { V1Host, V1Service } from "./index.ts";
import type { RateLimits } from "./limits.ts";
import type { Quotas } from "./quotas.ts";
import { Shares } from "./share.ts";
import { ProblemError } from "./problems.ts";
import type { Operation, Reply, Route } from "./route.ts";
import { type FoundRoute, RouteTable } from "./table.ts";

/** Speaks with a client over the socket until `signal` is aborted or the client goes. */
export type ServeSocket<Deps = V1Deps> = (socket: WebSocket, caller: SocketCaller, deps: Deps) => void;

export interface SocketCaller {
  readonly access: Access;
  /** Aborted when the token has ended or the server ends. */
  readonly signal: AbortSignal;
  readonly wire: Socket;
  /** Counts one more that says something; throws a ProblemError `rate_limited`. */
  readonly count: () => void;
  /** Counts what it reads; throws a ProblemError `rate_limited`. */
  readonly read: (units: number) => void;
}

export interface RouterOptions<Deps = V1Deps> {
  readonly routes: readonly Route<Deps>[];
  readonly deps: Deps;
  readonly doorman: Pick<Doorman, "admit">;
  readonly limits: RateLimits;
  readonly quotas: Pick<Quotas, "streams" | "sockets">;
  /** Null: there are no sockets here. */
  readonly serveSocket: ServeSocket<Deps> | null;
  readonly host: V1Host;
  /** See V1Service. */
  readonly alerts: V1Service["alerts"];
  readonly hint: V1Service["hint"];
  /** Absent: there are none. */
  readonly webhooks?: V1Service["webhooks"];
  /** Ends what the operations work with. Never rejects. */
  readonly close: () => Promise<void>;
}

/** What a request asks for. */
interface Asked<Deps> {
  readonly route: Route<Deps>;
  readonly call: OpenCall;
}

const SOCKET_ROUTE = { needs: "any", stream: true } as const;
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const RETRY_S = 5;
const noHead = (): readonly string[] => [];

/** Serves the table of routes straight over Node's server: of posts there are many. */
export class Router<Deps = V1Deps> implements V1Service {
  readonly #options: RouterOptions<Deps>;
  readonly #table: RouteTable<Route<Deps>>;
  readonly #calls: OpenCalls = new Set();
  readonly #desk: Desk;
  readonly #admitted = new WeakMap<IncomingMessage, Access>();
  readonly #streams = new Shares();
  readonly #sockets = new Shares();
  #isEnded = false;

  constructor(options: RouterOptions<Deps>) {
    this.#options = options;
    this.#table = new RouteTable(options.routes);
    this.#desk = {
      calls: this.#calls,
      release: options.host.release,
      answer: (call, reply) => this.#answer(call, reply),
      refuse: (call, error) => this.#refuse(error, call.request, call.response, call),
    };
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    try {
      const asked = this.#ask(request, response);
      if (asked === null) return;
      const { body } = asked.route;
      if (body === "stream") this.#options.host.leaveTime(request);
      if (body === undefined || body === "stream") this.#begin(asked);
      else this.#read(asked, body);
    } catch (error) {
      this.#refuse(error, request, response);
    }
  }

  admit(request: IncomingMessage): V1Refusal | null {
    const id = randomUUID();
    try {
      if (this.#isEnded) throw STOPPING;
      const knock = knockOf(request);
      const access = this.#options.doorman.admit(knock, SOCKET_ROUTE);
      checkQuery(knock.search, SOCKET_ROUTE);
      const { sockets } = this.#options.quotas;
      if (!this.#sockets.has(access, sockets)) throw tooMany("sockets", "SocketsPerToken", sockets);
      this.#admitted.set(request, access);
      return null;
    } catch (error) {
      return this.#refusalOf(error, request, id);
    }
  }

  open(socket: WebSocket, request: IncomingMessage, wire: Socket): void {
    const access = this.#admitted.get(request);
    const { limits, quotas, serveSocket, deps } = this.#options;
    if (access === undefined || serveSocket === null || this.#isEnded) return socket.close(SERVICE_RESTART);
    if (!this.#sockets.take(access, quotas.sockets)) return socket.close(TRY_AGAIN_LATER);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    this.#calls.add(end);
    access.ended.addEventListener("abort", end, { once: true });
    socket.once("close", () => {
      this.#calls.delete(end);
      this.#sockets.give(access);
      access.ended.removeEventListener("abort", end);
      end();
    });
    const count = (): void => void limits.post(access);
    const read = (units: number): void => limits.read(access, units);
    serveSocket(socket, { access, signal: ended.signal, wire, count, read }, deps);
  }

  alerts(): readonly Alert[] {
    return this.#options.alerts();
  }

  get webhooks(): V1Service["webhooks"] {
    return this.#options.webhooks ?? null;
  }

  hint(accountKey: string, channel: string, hint: SharedHint): void {
    this.#options.hint(accountKey, channel, hint);
  }

  end(): void {
    this.#isEnded = true;
    const calls = [...this.#calls];
    for (const end of calls) end();
  }

  async close(): Promise<void> {
    this.end();
    await this.#options.close();
  }

  /** Null: it is answered. Throws a ProblemError for what is not let through. */
  #ask(request: IncomingMessage, response: ServerResponse): Asked<Deps> | null {
    if (this.#isEnded) throw STOPPING;
    const knock = knockOf(request);
    const { method = "" } = request;
    const found = this.#table.find(knock.path);
    const route = found === null ? null : routeOf(found, method);
    const access = this.#options.doorman.admit(knock, route);
    if (found === null) throw new ProblemError("not_found", "there is no such address below /v1; see /v1/openapi.json");
    if (route === null) {
      refuseMethod(found, method, response);
      return null;
    }
    checkRight(access, route.needs);
    if (knock.search !== "") checkQuery(knock.search, route);
    const head = this.#count(route, access, knock.search);
    const { params } = found;
    const opened = { access, params, search: knock.search, request, response, head };
    const call = new OpenCall(opened, this.#desk);
    if (route.stream === true) this.#holdStream(call);
    return { route, call };
  }

  /** Counts the request; answers the headers of its answer. Throws a ProblemError `rate_limited`. */
  #count({ needs, units }: Route<Deps>, access: Access, search: string): MoreHeaders {
    if (needs === null) return noHead;
    const { limits } = this.#options;
    if (needs === "write" || needs === "moderate") {
      const head = limits.post(access);
      return () => head;
    }
    limits.read(access, units?.(new URLSearchParams(search)) ?? 1);
    return (bytes) => limits.answered(access, bytes);
  }

  /** Until nobody reads it any more. Throws a ProblemError `rate_limited`. */
  #holdStream({ access, signal }: OpenCall): void {
    const { streams } = this.#options.quotas;
    if (!this.#streams.take(access, streams)) throw tooMany("streams", "StreamsPerToken", streams);
    onAbort(signal, () => this.#streams.give(access));
  }

  #read(asked: Asked<Deps>, schema: Exclude<Route["body"], "stream" | undefined>): void {
    const { call } = asked;
    const { request, response } = call;
    if (!isJson(request)) {
      const detail = "the body of this request is JSON: send it with `Content-Type: application/json`";
      throw new ProblemError("unsupported_media_type", detail);
    }
    const { bounds } = this.#options.host;
    const { bodyMax } = asked.route;
    receiveBody(request, bodyMax === undefined ? bounds : { ...bounds, limit: bodyMax }, (body) => {
      try {
        if (!Buffer.isBuffer(body)) throw fromHttp(body);
        call.raw = body;
        call.body = parsed(body);
        const errors = flawsOf(schema, call.body);
        if (errors.length > 0) throw new ProblemError("bad_request", "the body is not as described", { errors });
        this.#begin(asked);
      } catch (error) {
        this.#refuse(error, request, response, call);
      }
    });
  }

  /** Behind another request on the same connection, an answer gets the socket when its turn comes: streams need it. */
  #begin(asked: Asked<Deps>): void {
    const { response } = asked.call;
    if (asked.route.stream === true && response.socket === null) response.once("socket", () => this.#handle(asked));
    else this.#handle(asked);
  }

  #handle({ route, call }: Asked<Deps>): void {
    try {
      const reply = route.handle(call, this.#options.deps);
      if (reply instanceof Promise)
        reply.then((made) => call.answered(made)).catch((error: unknown) => call.failed(error));
      else this.#answer(call, reply);
    } catch (error) {
      call.failed(error);
    }
  }

  /** Must not throw: nobody may be there to hear it. */
  #answer(call: OpenCall, reply: Reply): void {
    try {
      if (reply !== "taken") sendReply(call.response, reply, call.head);
    } catch (error) {
      call.failed(error);
    }
  }

  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse, call?: OpenCall): void {
    // No status would be true: the client asks again with its key.
    if (isUnknown(error)) return void response.destroy();
    const refusal = this.#refusalOf(error, request, call?.id ?? randomUUID());
    // A stream that has begun, and that nobody feeds.
    if (response.headersSent) return void (response.writableEnded || response.destroy());
    if (this.#isEnded) response.shouldKeepAlive = false;
    if (!hasBody(request) || request.complete) return sendProblem(response, refusal);
    void sendLater(request, response, refusal);
  }

  #refusalOf(error: unknown, request: IncomingMessage, id: string): V1Refusal {
    const refusal = problemOf(error);
    // Without what comes after the path: that may be a ticket.
    if (refusal.code === "internal") this.#options.host.onError(error, `${knockOf(request).path} (${id})`);
    return refusalOf(refusal, id);
  }
}

/** Sent while the client still sends, a refusal might never be read. */
async function sendLater(request: IncomingMessage, response: ServerResponse, refusal: V1Refusal): Promise<void> {
  await bodyGone(request);
  sendProblem(response, refusal);
}

const STOPPING = new ProblemError("unavailable", "Rialto is stopping", {
  headers: { "Retry-After": "5", Connection: "close" },
});

const tooMany = (what: string, setting: string, most: number): ProblemError =>
  new ProblemError("rate_limited", `this token has ${most} ${what} open, as many as ${setting} allows: close one`, {
    headers: { "Retry-After": String(RETRY_S) },
  });

/** RFC 9110 §15.5.6, §9.3.7. */
function refuseMethod({ routes }: FoundRoute<Operation>, method: string, response: ServerResponse): void {
  const allowed = ["OPTIONS", ...routes.keys()];
  const get = routes.get("GET");
  if (get !== undefined && get.stream !== true) allowed.push("HEAD");
  const headers = { Allow: allowed.join(", ") };
  if (method === "OPTIONS") return sendReply(response, { status: 204, headers });
  throw new ProblemError("method_not_allowed", `${method} is not for this address`, { headers });
}

/** What is misspelt would otherwise count as left out. Throws a ProblemError `bad_request`. */
function checkQuery(search: string, { query = {}, stream }: Pick<Operation, "query" | "stream">): void {
  const known = [...Object.keys(query), ...(stream === true ? ["ticket"] : [])];
  const unknown = [...new URLSearchParams(search).keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const names = known.length === 0 ? "there are none" : `there are ${known.map((name) => `\`${name}\``).join(", ")}`;
  const errors = [{ pointer: `/${shorten(unknown)}`, detail: "is no parameter of this request" }];
  throw new ProblemError("bad_request", `there is no parameter \`${shorten(unknown)}\` here; ${names}`, { errors });
}

function routeOf<R extends Operation>({ routes }: FoundRoute<R>, method: string): R | null {
  if (method !== "HEAD") return routes.get(method) ?? null;
  const get = routes.get("GET");
  return get === undefined || get.stream === true ? null : get;
}

function knockOf({ method, url = "", headers, rawHeaders, socket }: IncomingMessage): Knock {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  const mark = url.indexOf("?", start);
  const path = mark === -1 ? url.slice(start) : url.slice(start, mark);
  const search = mark === -1 ? "" : url.slice(mark + 1);
  return { method, url, headers, rawHeaders, path, search, socket };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/** A body without a type, as of a request without one, is taken for what it has to be. */
function isJson({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"];
  if (type === undefined || type === "application/json") return true;
  return /^application\/json *(?:;.*)?$/iu.test(type.trim());
}

/** No body is an object without keys. */
function parsed(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    throw new ProblemError("bad_request", "the body is not JSON");
  }
}
