import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { answerLine, answerProblem, JSON_TYPE } from "../answers.ts";
import type { TakeBody } from "../direct.ts";
import { wantsWebSocket, WEBSOCKET_PATH } from "../http-server.ts";
import { socketsLooked } from "../looked.ts";
import { type HttpApi, sendProblem } from "../server.ts";
import type { ApiAccount } from "./account.ts";
import type { ApiDeps } from "./deps.ts";
import type { Ingested, OnceKey, Poster } from "./ingest.ts";
import { LogError } from "../../log/errors.ts";
import { isUnknown } from "../../log/unknown-outcome.ts";
import { openApi } from "./openapi.ts";
import { parseFormPost, parseJsonPost, type ParsedPost } from "./post-body.ts";
import { notRead, problem, unsure } from "./problem.ts";
import { StreamSocket } from "./stream-socket.ts";
import { serveWebSocket } from "./websocket.ts";
import { isObject } from "../../lib/shapes.ts";

/** A checked body, and its digest when the request has an Idempotency-Key. */
interface Body {
  readonly parsed: ParsedPost;
  readonly once: OnceKey | null;
}

const IDEMPOTENCY_KEY_MAX = 255;
const DESCRIPTION = Buffer.from(JSON.stringify(openApi()));

type Parse = (body: Buffer) => ParsedPost;

/** By media type. */
const PARSERS: ReadonlyMap<string, Parse> = new Map([
  ["application/json", parseJsonPost],
  ["application/x-www-form-urlencoded", parseFormPost],
]);

/** The endpoints of the HTTP API, as the API specification §4 has them. */
export function addApiRoutes(http: HttpApi, deps: ApiDeps): void {
  const { app } = http;
  app.get("/api/health", (_request, reply) => reply.header("Content-Type", "text/plain; charset=utf-8").send("OK"));
  app.get("/api/openapi.json", (_request, reply) => reply.header("Content-Type", JSON_TYPE).send(DESCRIPTION));
  app.get("/api/messages", (request, reply) => sendPoll(deps.readers, request, reply));
  app.route({
    method: "GET",
    url: WEBSOCKET_PATH,
    onRequest: async (request, reply) => await admitSocket(deps.readers, request, reply),
    handler: (_request, reply) =>
      sendProblem(reply, problem(400, "this address speaks WebSocket: send an upgrade request (RFC 6455 §4.1)")),
    wsHandler: (socket, request) => serveWebSocket(socket, request.raw.socket, deps, wantsNoBacklog(request)),
  });
  addStream(http, deps);
  addPost(http, deps);
}

function addStream({ app, direct, release }: HttpApi, { readers }: ApiDeps): void {
  const path = "/api/stream";
  const open = (response: ServerResponse): void => {
    const begin = (): void =>
      whenSure(readers, response, () => {
        readers.addStream(StreamSocket.open(response));
        release(response);
      });
    // Behind another request on the same connection, the answer gets the socket when its turn comes.
    if (response.socket === null) response.once("socket", begin);
    else begin();
  };
  app.get(path, (_request, reply) => {
    reply.hijack();
    open(reply.raw);
  });
  direct.add("GET", path, (_request, response) => {
    open(response);
    return true;
  });
}

/** Opens a stream when it is certain that this node runs the account; at once where there is one machine. */
function whenSure({ certainty }: ApiAccount, response: ServerResponse, open: () => void): void {
  if (certainty.isSure) return open();
  void certainty.soon(null).then((isSure) => {
    if (response.socket?.writable !== true) return;
    if (isSure) open();
    else answerProblem(response, notRead(unsure()));
  });
}

/** … and a WebSocket, which is refused before it is one. */
async function admitSocket({ certainty }: ApiAccount, { raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!wantsWebSocket(raw) || (await certainty.soon(null))) return;
  void reply.header("Connection", "close");
  sendProblem(reply, notRead(unsure()));
  await reply;
}

function addPost({ app, direct, onBody }: HttpApi, { ingest }: ApiDeps): void {
  const path = "/api/message";
  const take = ({ parsed, once }: Body, request: IncomingMessage, response: ServerResponse): void => {
    const poster = new Answer(request, response, direct);
    try {
      if (parsed.ok) ingest.postThen(parsed.draft, once, poster);
      else poster.answered(parsed);
    } catch (error) {
      poster.failed(error);
    }
  };
  // Made once and not for each request: of these there are many.
  const takers = new Map<string, TakeBody>();
  for (const [type, parse] of PARSERS) {
    onBody(type, (body, { raw }) => decode(body, raw, parse));
    takers.set(type, (body, request, response) => take(decode(body, request, parse), request, response));
  }
  app.post<{ Body: Body | undefined }>(path, (request, reply) => {
    reply.hijack();
    take(readBody(request.body), request.raw, reply.raw);
  });
  direct.add("POST", path, (request, response) => {
    const taker = takers.get(mediaTypeOf(request));
    if (taker === undefined) return false;
    direct.takeBody(request, response, taker);
    return true;
  });
}

/** The answer that a post waits for. */
class Answer implements Poster {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #direct: HttpApi["direct"];

  constructor(request: IncomingMessage, response: ServerResponse, direct: HttpApi["direct"]) {
    this.#request = request;
    this.#response = response;
    this.#direct = direct;
  }

  answered(outcome: Ingested): void {
    try {
      if (outcome.ok) answerLine(this.#response, outcome.line);
      else answerProblem(this.#response, outcome.problem);
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error: unknown): void {
    if (isUnknown(error)) this.#response.destroy();
    else this.#direct.fail(this.#request, this.#response, error);
  }
}

/** As nearly all write it; where it is written otherwise, Fastify has to look at it. */
function mediaTypeOf({ headers }: IncomingMessage): string {
  const type = headers["content-type"] ?? "";
  const end = type.indexOf(";");
  return end === -1 ? type : type.slice(0, end);
}

async function sendPoll(
  readers: ApiAccount,
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const answer = await readers.poll();
  if (answer instanceof LogError) {
    sendProblem(reply, notRead(answer));
    return reply;
  }
  await socketsLooked();
  // The system would take the answer nevertheless, and it would count as read.
  if (!socket.writable) {
    answer.broken();
    return reply.hijack();
  }
  // It may have taken long to read it.
  if (!readers.certainty.isSure) {
    answer.broken();
    sendProblem(reply, notRead(unsure()));
    return reply;
  }
  let finished = false;
  reply.raw.once("finish", () => {
    finished = true;
    answer.delivered();
  });
  reply.raw.once("close", () => {
    if (!finished) answer.broken();
  });
  return reply.header("Content-Type", JSON_TYPE).header("Cache-Control", "no-store").send(answer.body);
}

function decode(raw: Buffer, { headers }: IncomingMessage, parse: Parse): Body {
  const key = headers["idempotency-key"];
  if (key === undefined) return { parsed: parse(raw), once: null };
  if (typeof key !== "string" || key === "" || key.length > IDEMPOTENCY_KEY_MAX) {
    const refusal = problem(400, `Idempotency-Key must be one value of 1 to ${IDEMPOTENCY_KEY_MAX} characters`);
    return { parsed: { ok: false, problem: refusal }, once: null };
  }
  const fingerprint = createHash("sha256").update(raw).digest("base64");
  return { parsed: parse(raw), once: { key, fingerprint } };
}

const wantsNoBacklog = ({ query }: FastifyRequest): boolean => isObject(query) && query["backlog"] === "0";

/** A POST without a body and without a type is an empty message. */
const readBody = (body: Body | undefined): Body => body ?? { parsed: parseJsonPost(Buffer.alloc(0)), once: null };
