import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "./admission.ts";
import { answerProblem, FAILED } from "./answers.ts";
import type { HttpProblem } from "./api/problem.ts";
import { bodyGone, type BodyBounds, receiveBody } from "./body.ts";
import { wantsWebSocket } from "./http-server.ts";

/** Takes a request on, and answers it. False: it is for Fastify, and nothing of it was touched. */
export type Take = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Goes on with the body, which has come in whole. */
export type TakeBody = (body: Buffer, request: IncomingMessage, response: ServerResponse) => void;

interface DirectOptions {
  readonly refusalOf: (caller: Caller) => HttpProblem | null;
  readonly bounds: BodyBounds;
  /** As in `ServerOptions`. */
  readonly onError: (error: unknown, path: string) => void;
}

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly take: Take;
}

/**
 * The requests of which there are most, taken before Fastify sees them: it costs more than all else that a small POST
 * needs. They pass the same checks. Whatever is out of the ordinary (who may not ask, a path in another spelling, a
 * media type that has to be looked at) is left to Fastify, which has the same routes.
 */
export class Direct {
  readonly #options: DirectOptions;
  readonly #routes: Route[] = [];

  constructor(options: DirectOptions) {
    this.#options = options;
  }

  add(method: Route["method"], path: string, take: Take): void {
    this.#routes.push({ method, path, take });
  }

  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = "", headers, rawHeaders } = request;
    const route = this.#routeOf(method, url);
    if (route === undefined || wantsWebSocket(request)) return false;
    if (this.#options.refusalOf({ method, url, headers, rawHeaders, path: route.path }) !== null) return false;
    try {
      return route.take(request, response);
    } catch (error) {
      this.fail(request, response, error);
      // A stream that has begun, and that nobody feeds.
      if (!response.writableEnded) response.destroy();
      return true;
    }
  }

  /** Reads the body of a request that was taken on, or answers why it was not read. */
  takeBody(request: IncomingMessage, response: ServerResponse, take: TakeBody): void {
    receiveBody(request, this.#options.bounds, (body) => {
      if (!Buffer.isBuffer(body)) return void bodyGone(request).then(() => answerUnread(response, body));
      try {
        take(body, request, response);
      } catch (error) {
        this.fail(request, response, error);
      }
    });
  }

  #routeOf(method: string | undefined, url: string): Route | undefined {
    for (const route of this.#routes) {
      if (route.method === method && isAt(route.path, url)) return route;
    }
    return undefined;
  }

  /** A bug: the client is told that there is one, and the operator which. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    this.#options.onError(error, request.url ?? "");
    if (!response.headersSent) answerProblem(response, FAILED);
  }
}

const isAt = (path: string, url: string): boolean =>
  url.startsWith(path) && (url.length === path.length || url[path.length] === "?");

/** The connection stays open, and as through Fastify nothing is said of it. */
function answerUnread(response: ServerResponse, refusal: HttpProblem): void {
  if (response.shouldKeepAlive) response.removeHeader("connection");
  answerProblem(response, refusal);
}
