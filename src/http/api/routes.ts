import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { WEBSOCKET_PATH } from "../http-server.ts";
import { type HttpApi, JSON_TYPE, type ParseBody, sendProblem } from "../server.ts";
import type { ApiAccount } from "./account.ts";
import type { ApiDeps } from "./deps.ts";
import type { Ingested, OnceKey } from "./ingest.ts";
import { LogError } from "../../log/errors.ts";
import { openApi } from "./openapi.ts";
import { parseFormPost, parseJsonPost, type Parsed } from "./post-body.ts";
import { problem, whyOf } from "./problem.ts";
import { StreamSocket } from "./stream-socket.ts";
import { serveWebSocket } from "./websocket.ts";

/** A checked body, and its digest when the request has an Idempotency-Key. */
interface Body {
  readonly parsed: Parsed;
  readonly once: OnceKey | null;
}

const IDEMPOTENCY_KEY_MAX = 255;
const DESCRIPTION = JSON.stringify(openApi());

/** The endpoints of the HTTP API, as the API specification §4 has them. */
export function addApiRoutes({ app, onBody, release }: HttpApi, deps: ApiDeps): void {
  onBody("application/json", bodyParser(parseJsonPost));
  onBody("application/x-www-form-urlencoded", bodyParser(parseFormPost));

  app.get("/api/health", (_request, reply) => reply.header("Content-Type", "text/plain; charset=utf-8").send("OK"));
  app.get("/api/openapi.json", (_request, reply) => reply.header("Content-Type", JSON_TYPE).send(DESCRIPTION));
  app.get("/api/messages", (_request, reply) => sendPoll(deps.readers, reply));
  app.get("/api/stream", (_request, reply) => {
    reply.hijack();
    const begin = (): void => {
      deps.readers.addStream(StreamSocket.open(reply.raw));
      release(reply.raw);
    };
    // Behind another request on the same connection, the answer gets the socket when its turn comes.
    if (reply.raw.socket === null) reply.raw.once("socket", begin);
    else begin();
  });
  app.route({
    method: "GET",
    url: WEBSOCKET_PATH,
    handler: (_request, reply) =>
      sendProblem(reply, problem(400, "this address speaks WebSocket: send an upgrade request (RFC 6455 §4.1)")),
    wsHandler: (socket, request) => serveWebSocket(socket, request.raw.socket, deps, wantsNoBacklog(request)),
  });
  app.post("/api/message", async (request, reply) => {
    const body = readBody(request);
    const outcome: Ingested = body.parsed.ok
      ? await deps.ingest.post(body.parsed.draft, body.once)
      : { ok: false, problem: body.parsed.problem };
    if (!outcome.ok) sendProblem(reply, outcome.problem);
    else void reply.header("Content-Type", JSON_TYPE).send(`${outcome.line}\n`);
    return reply;
  });
}

async function sendPoll(readers: ApiAccount, reply: FastifyReply): Promise<FastifyReply> {
  const answer = await readers.poll();
  if (answer instanceof LogError) {
    sendProblem(reply, {
      ...problem(503, `the messages cannot be read now (${whyOf(answer)}); try again`),
      retryAfterS: 1,
    });
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
  if (reply.raw.destroyed) answer.broken();
  return reply.header("Content-Type", JSON_TYPE).send(answer.body);
}

function bodyParser(parse: (body: Buffer) => Parsed): ParseBody {
  return (raw, { headers }): Body => {
    const key = headers["idempotency-key"];
    if (key === undefined) return { parsed: parse(raw), once: null };
    if (typeof key !== "string" || key === "" || key.length > IDEMPOTENCY_KEY_MAX) {
      const refusal = problem(400, `Idempotency-Key must be one value of 1 to ${IDEMPOTENCY_KEY_MAX} characters`);
      return { parsed: { ok: false, problem: refusal }, once: null };
    }
    const fingerprint = createHash("sha256").update(raw).digest("base64");
    return { parsed: parse(raw), once: { key, fingerprint } };
  };
}

const wantsNoBacklog = ({ query }: FastifyRequest): boolean => (query as { backlog?: unknown }).backlog === "0";

/** A POST without a body and without a type is an empty message. */
const readBody = (request: FastifyRequest): Body =>
  (request.body as Body | undefined) ?? { parsed: parseJsonPost(Buffer.alloc(0)), once: null };
