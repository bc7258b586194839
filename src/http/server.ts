import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import websocket from "@fastify/websocket";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from "fastify";
import { compileAdmission } from "./admission.ts";
import { FAILED, JSON_TYPE } from "./answers.ts";
import { bodyGone, BodyRefused, readBody } from "./body.ts";
import { BodyBudget } from "./body-budget.ts";
import { problem, problemBody, type HttpProblem } from "./api/problem.ts";
import { answerClientError } from "./client-error.ts";
import { Direct } from "./direct.ts";
import { type HttpLimits, HttpServer, V1_SOCKET_PATH, WEBSOCKET_PATH, wantsWebSocket } from "./http-server.ts";
import { refuse } from "./refusal.ts";
import type { ServerShare } from "./server-share.ts";
import { holdMessages } from "./socket-bodies.ts";
import type { OwnNames } from "./own-host.ts";
import type { V1Door } from "./v1/index.ts";

/**
 * The HTTP server under one BindAddress: authentication, and errors in the API's own form. Routes are added by the
 * caller.
 */
export interface ServerOptions {
  readonly token: string | null;
  /** As `Doors.names`. */
  readonly names: (() => OwnNames) | null;
  /** Bytes of a request body or an inbound WebSocket frame. */
  readonly maxBodySize: number;
  /** Absent: this server is the only one, and takes the descriptors that it gets. */
  readonly share?: Pick<ServerShare, "bodies"> & Partial<ServerShare>;
  /** Unexpected failures: bugs, never a client's fault. */
  readonly onError: (error: unknown, path: string) => void;
  /** Absent: those of HttpServer. */
  readonly limits?: HttpLimits | undefined;
  /** Readable by everybody, token or not; absent: those of the HTTP API. */
  readonly openPaths?: ReadonlySet<string>;
  /** Routes that look themselves at who asks. */
  readonly unguarded?: ReadonlySet<string>;
  /** As `Doors.mayHaveTls`. */
  readonly mayHaveTls?: boolean;
  /** What the token is called in the configuration; absent: as for an account of the API. */
  readonly tokenName?: string;
  /** What a body may be, for people; absent: as for the HTTP API. */
  readonly mediaTypes?: string;
  /** Who takes what is below `/v1`; absent: nobody. */
  readonly v1?: V1Door;
}

const OPEN_PATHS: ReadonlySet<string> = new Set(["/api/health", "/api/openapi.json"]);

/** How long a stop waits for clients, and for WebSockets to answer the close. */
const STOP_GRACE_MS = 4_000;
const SOCKET_GRACE_MS = 1_000;

/** Makes of the bytes what `request.body` is. */
type ParseBody = (body: Buffer, request: FastifyRequest) => unknown;

export interface HttpApi {
  /** Takes the routes. */
  readonly app: FastifyInstance;
  /** What becomes of bodies of a media type; a throw of BodyRefused is the answer. */
  readonly onBody: (mediaType: string, parse: ParseBody) => void;
  /** Takes the routes that are answered without Fastify where nothing speaks against it. */
  readonly direct: Pick<Direct, "add" | "takeBody" | "fail">;
  /**
   * Stops listening and resolves when every connection is closed: one that asks for nothing at once (a new one after a
   * second), one with an answer under way when the client has taken that, a WebSocket when it answers the close or
   * after SOCKET_GRACE_MS, and what is left after STOP_GRACE_MS by force.
   */
  readonly close: () => Promise<void>;
  /** Instead of `app.listen`; see HttpServer. */
  readonly open: () => Promise<void>;
  /** See HttpServer. */
  readonly take: (connection: Duplex) => boolean;
  readonly release: (response: ServerResponse) => void;
}

export async function createServer(options: ServerOptions): Promise<HttpApi> {
  const { share: { bodies: budget, descriptors } = { bodies: new BodyBudget() } } = options;
  const { v1, onError } = options;
  const socketPaths = v1 === undefined ? [WEBSOCKET_PATH] : [WEBSOCKET_PATH, V1_SOCKET_PATH];
  const share = descriptors === undefined ? null : { descriptors, each: 1 };
  const server = new HttpServer(options.limits, share, socketPaths);
  const refusalOf = admissionOf(options);
  const bounds = { limit: options.maxBodySize, budget };
  const direct = new Direct({ refusalOf, bounds, onError });
  v1?.attach({
    bounds,
    onError,
    release: (response) => server.release(response),
    leaveTime: (request) => server.leaveTime(request),
  });
  let isClosing = false;
  const app = Fastify({
    logger: false,
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
    serverFactory: (handler) => {
      server.serve((request, response) => {
        if (v1?.take(request, response) === true) return;
        if (isClosing) void refuseClosing(request, response);
        else if (!direct.take(request, response)) handler(request, response);
      });
      return server;
    },
    frameworkErrors: (error, _request, reply) => sendProblem(reply, fromFramework(error, options)),
    clientErrorHandler: (error, socket) => answerClientError(server, error, socket),
  });
  app.removeAllContentTypeParsers();
  // Before the hook of the WebSockets, which takes its time.
  app.addHook("preClose", (done) => {
    isClosing = true;
    v1?.end();
    done();
  });
  // Before the guard: it closes the connection of an upgrade that the guard refuses.
  await app.register(websocket, { options: { maxPayload: options.maxBodySize } });
  app.websocketServer.on("connection", (socket, request) => holdMessages(socket, request.socket, budget));
  if (v1 !== undefined) addV1Socket(app, v1);
  app.addHook("onRequest", admission(refusalOf, options.unguarded));
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const refusal = error instanceof BodyRefused ? error.problem : fromFramework(error, options);
    if (refusal.status === 500) options.onError(error, request.url);
    await bodyGone(request.raw);
    void reply.removeHeader("connection");
    sendProblem(reply, refusal);
    return reply;
  });
  answerOtherMethods(app);
  return {
    app,
    onBody: (mediaType, parse) => {
      app.addContentTypeParser(mediaType, async (request: FastifyRequest, payload: IncomingMessage) => {
        return parse(await readBody(payload, bounds), request);
      });
    },
    direct,
    close: () => closeServer(app, server),
    open: async () => {
      await app.ready();
      server.open();
    },
    take: (connection) => server.take(connection),
    release: (response) => server.release(response),
  };
}

function admissionOf({
  token,
  names,
  openPaths = OPEN_PATHS,
  tokenName = "the account's Token",
  mayHaveTls = true,
}: ServerOptions): ReturnType<typeof compileAdmission> {
  return compileAdmission({ token, names, openPaths, tokenName, mayHaveTls });
}

/** Answers a request that comes while the server closes; Fastify would not say when to try again. */
async function refuseClosing(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await bodyGone(request);
  refuse(response, "Rialto is stopping; try again");
}

/** Refuses who may not ask, and WebSockets at addresses that have none. */
function admission(
  refusalOf: ReturnType<typeof compileAdmission>,
  unguarded: ReadonlySet<string> = new Set(),
): onRequestHookHandler {
  return (request, reply, done) => {
    const { method, url, headers, rawHeaders } = request.raw;
    const path = request.routeOptions.url ?? pathOf(request);
    if (path === V1_SOCKET_PATH) return done();
    const refusal = unguarded.has(path) ? null : refusalOf({ method, url, headers, rawHeaders, path });
    if (refusal !== null) {
      if (refusal.status === 401) void reply.header("WWW-Authenticate", "Bearer");
      return sendProblem(reply, refusal);
    }
    if (wantsWebSocket(request.raw) && pathOf(request) !== WEBSOCKET_PATH) {
      void reply.header("Connection", "close");
      if (!request.is404) return sendProblem(reply, problem(400, `WebSockets are at ${WEBSOCKET_PATH} only`));
    }
    done();
  };
}

/** The one request below `/v1` that Fastify sees: an upgrade. `/v1` says who may, and not the hook of the others. */
function addV1Socket(app: FastifyInstance, v1: V1Door): void {
  app.addHook("onRequest", async (request, reply) => {
    if (pathOf(request) !== V1_SOCKET_PATH) return;
    const refusal = await v1.admit(request.raw);
    if (refusal === null) return;
    await reply.code(refusal.status).headers(refusal.headers).header("Connection", "close").send(refusal.body);
  });
  app.route({
    method: "GET",
    url: V1_SOCKET_PATH,
    handler: (_request, reply) => sendProblem(reply, problem(400, "this address speaks WebSocket")),
    wsHandler: (socket, request) => v1.open(socket, request.raw, request.raw.socket),
  });
}

async function closeServer(app: FastifyInstance, server: HttpServer): Promise<void> {
  const terminate = setTimeout(() => {
    for (const socket of app.websocketServer.clients) socket.terminate();
  }, SOCKET_GRACE_MS);
  const force = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
  // Fastify closes a server that it has listen.
  if (!server.listening) server.close();
  await app.close();
  // A socket tells its own listeners after it has told its server; they may still have a position to store.
  await server.connectionsClosed();
  clearTimeout(terminate);
  clearTimeout(force);
}

const pathOf = (request: FastifyRequest): string => request.url.split("?", 1)[0] ?? "";

export function sendProblem(reply: FastifyReply, refusal: HttpProblem): void {
  void reply.code(refusal.status).header("Content-Type", JSON_TYPE);
  if (refusal.retryAfterS !== undefined) void reply.header("Retry-After", refusal.retryAfterS);
  void reply.send(problemBody(refusal.message));
}

/** Unknown paths are 404; known paths answer OPTIONS, and refuse other methods with 405 (RFC 9110 §15.5.6). */
function answerOtherMethods(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  app.addHook("onRoute", (route) => {
    methods.set(route.url, [...(methods.get(route.url) ?? ["OPTIONS"]), ...[route.method].flat()]);
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.get(pathOf(request));
    if (allowed === undefined) return sendProblem(reply, problem(404, "Not Found"));
    void reply.header("Allow", allowed.join(", "));
    if (request.method === "OPTIONS") return void reply.code(204).send();
    sendProblem(reply, problem(405, "Method Not Allowed"));
  });
}

function fromFramework(error: FastifyError, options: ServerOptions): HttpProblem {
  switch (error.statusCode) {
    case 415:
      return problem(
        415,
        `Unsupported Media Type: send ${options.mediaTypes ?? "application/json (or application/x-www-form-urlencoded)"}`,
      );
    case 400:
      return problem(400, error.message);
    case 404:
      // Methods that Node reads and Fastify does not know, such as PRI, come here and not to the handler of what is not
      // found.
      return problem(404, "Not Found");
    case undefined:
    default:
      return FAILED;
  }
}
