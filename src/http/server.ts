import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { compileGuard } from "./auth.ts";
import { problem, problemBody, type Problem } from "./api/problem.ts";

/**
 * The HTTP server under one BindAddress: authentication, and errors in the API's own form. Routes are added by the caller.
 */
export interface ServerOptions {
  readonly token: string | null;
  /** Bytes of a request body or an inbound WebSocket frame. */
  readonly maxBodySize: number;
  /** Unexpected failures: bugs, never a client's fault. */
  readonly onError: (error: unknown, path: string) => void;
}

/** Readable by everybody, token or not. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/api/health", "/api/openapi.json"]);

export const JSON_TYPE = "application/json; charset=utf-8";

declare module "fastify" {
  interface FastifyInstance {
    /** Open connections. */
    readonly sockets: ReadonlySet<Socket>;
  }
}

/** How long a stop waits for clients, and how often it looks for connections that have become idle. */
const STOP_GRACE_MS = 4_000;
const IDLE_CHECK_MS = 50;

/** How long the rest of a body is taken in after it was refused. */
const DRAIN_MS = 5_000;

/** From the first byte of a request to its last. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_MS = 72_000;

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: options.maxBodySize,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) => sendProblem(reply, fromFramework(error, options)),
    clientErrorHandler: (error, socket) => {
      // A request that is not HTTP; the socket may already be gone.
      if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
      const body = problemBody(`the request is not valid HTTP (${error.code ?? "unreadable"})`);
      socket.end(
        `HTTP/1.1 400 Bad Request\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  });
  app.removeAllContentTypeParsers();
  const guard = compileGuard(options.token);
  app.addHook("onRequest", (request, reply, done) => {
    if (guard(request.headers.authorization) || isOpen(request)) return done();
    void reply.header("WWW-Authenticate", "Bearer");
    sendProblem(
      reply,
      problem(401, "this address needs the header `Authorization: Bearer <token>` with the account's Token"),
    );
  });
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) options.onError(error, request.url);
    await bodyGone(request.raw);
    void reply.removeHeader("connection");
    sendProblem(reply, fromFramework(error, options));
    return reply;
  });
  answerOtherMethods(app);
  app.decorate("sockets", trackSockets(app));
  await app.register(websocket, { options: { maxPayload: options.maxBodySize } });
  return app;
}

/**
 * Resolves when the rest of a refused body has come in (unread), or after DRAIN_MS: closing the connection under a client that is still
 * sending would reset it, and the client would never see the answer.
 */
function bodyGone(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once("end", done).once("close", done).resume();
  });
}

function trackSockets(app: FastifyInstance): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

/**
 * Stops listening and resolves when every connection is closed: one that asks for nothing at once, one with an answer under way when
 * that is sent, and what is left after STOP_GRACE_MS by force.
 */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MS);
  const force = setTimeout(() => app.server.closeAllConnections(), STOP_GRACE_MS);
  const closed = app.close();
  // The server counts a connection that has not sent a byte as busy.
  for (const socket of app.sockets) if (socket.bytesRead === 0) socket.destroy();
  await closed;
  // A socket tells its own listeners after it has told its server; they may still have a position to store.
  while (app.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
  clearInterval(idle);
  clearTimeout(force);
}

const isOpen = (request: FastifyRequest): boolean =>
  request.method === "GET" && OPEN_PATHS.has(request.url.split("?", 1)[0] ?? "");

export function sendProblem(reply: FastifyReply, refusal: Problem): void {
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
    const allowed = methods.get(request.url.split("?", 1)[0] ?? "");
    if (allowed === undefined) return sendProblem(reply, problem(404, "Not Found"));
    void reply.header("Allow", allowed.join(", "));
    if (request.method === "OPTIONS") return void reply.code(204).send();
    sendProblem(reply, problem(405, "Method Not Allowed"));
  });
}

function fromFramework(error: FastifyError, options: ServerOptions): Problem {
  switch (error.statusCode) {
    case 413:
      return problem(413, `the body is larger than MaxBodySize (${options.maxBodySize} bytes)`);
    case 415:
      return problem(415, "Unsupported Media Type: send application/json (or application/x-www-form-urlencoded)");
    case 400:
      return problem(400, error.message);
    case undefined:
    default:
      return problem(500, "the service failed on this request; its log says more");
  }
}
