import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { readTokenOrder, type TokenOrder, type TokenResult } from "../../access/operate.ts";
import type { StoryFilter } from "../../admin/story-filter.ts";
import type { SayResult, SayRequest } from "../../admin/operator.ts";
import type { ResendRequest, ResendResult, TypedResend, TypedResult } from "../../admin/resend.ts";
import type { Follower } from "../../admin/followers.ts";
import type { ExplainView, Readiness, StatusView, Story } from "../../admin/views.ts";
import type { Account } from "../../config/config.ts";
import type { AccountAct, AccountActed } from "../../delivery/status.ts";
import { LogError } from "../../log/errors.ts";
import { isUnknown } from "../../log/unknown-outcome.ts";
import { JSON_TYPE } from "../answers.ts";
import type { Guard } from "../auth.ts";
import { problem, problemBody, type HttpProblem } from "../api/problem.ts";
import { makeChunk, StreamSocket } from "../api/stream-socket.ts";
import { BodyRefused } from "../body.ts";
import { type HttpApi, sendProblem } from "../server.ts";
import { type InviteMade, type InviteOrder, readInviteOrder } from "./guest-office.ts";
import { statusPage } from "./page.ts";
import { isObject } from "../../lib/shapes.ts";

/** A link by which a browser signs in. It counts once. */
export interface DashboardLink {
  readonly url: string;
  /** Unix ms. */
  readonly expiresMs: number;
}

/** What an operator can ask and do. */
export interface AdminDeps {
  readonly status: () => Promise<StatusView>;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: () => Promise<{ readonly type: string; readonly body: string }>;
  /** `question` empty: the newest. Rejects with a LogError, as the next one. */
  readonly explain: (question: string, limit?: number, only?: StoryFilter) => Promise<ExplainView>;
  /** The way of one message; null: nobody knows it. */
  readonly story: (seq: number) => Promise<Story | null>;
  /** Why there is nothing to follow in a gateway, for people; null: it is there. */
  readonly unknown: (gateway: string) => string | null;
  /** As `Followers.add`. */
  readonly follow: (follower: Follower) => (() => void) | null;
  readonly say: (words: SayRequest) => Promise<SayResult>;
  /** Sends a message again to one destination. Rejects with a LogError. */
  readonly resend: (request: ResendRequest) => Promise<ResendResult>;
  /** The same, with the destination as people type it. */
  readonly resendTyped: (order: TypedResend) => Promise<TypedResult>;
  /** What the reload came to, as JSON; null: this program cannot. */
  readonly reload: (() => Promise<unknown>) | null;
  /** Pauses, resumes or reconnects the account with this key. Rejects with a LogError. */
  readonly control: (accountKey: string, act: AccountAct) => Promise<AccountActed>;
  /** Key and protocol of the account of this name, whatever the capitals. */
  readonly account: (name: string) => Pick<Account, "key" | "protocol"> | null;
  /** Makes, shows and ends tokens. Rejects with a LogError. */
  readonly tokens: (order: TokenOrder) => Promise<TokenResult>;
  /** Makes an invite to the web chat. */
  readonly invite: (order: InviteOrder) => Promise<InviteMade>;
  /** Null: nothing listens for browsers. */
  readonly dashboard: () => DashboardLink | null;
  /** Copies the log; the new file, in the data folder. */
  readonly backup: () => Promise<string>;
}

/** For people. */
const NO_DASHBOARD =
  'the dashboard has no address: write AdminBindAddress = "127.0.0.1:4290" into [general], then start Rialto again';
const QUESTION_MAX = 1000;
const TEXT = "text/plain; charset=utf-8";

/** Readable without a token: they answer nothing that matters. */
export const OPEN_ADMIN_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** `by`: the way in that this server is. `guard`: lets in the clients that may ask for the status. */
export function addAdminRoutes(
  { app, onBody, release }: HttpApi,
  deps: AdminDeps,
  { by, guard }: Pick<Follower, "by"> & { readonly guard: Guard },
): void {
  onBody("application/json", (body) => {
    try {
      return JSON.parse(body.length === 0 ? "{}" : body.toString("utf8")) as unknown;
    } catch {
      throw new BodyRefused(problem(400, "the body is not JSON"));
    }
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    void reply.header("Cache-Control", "no-store").header("X-Content-Type-Options", "nosniff");
    done();
  });
  app.get("/healthz", (_request, reply) => reply.header("Content-Type", TEXT).send("ok\n"));
  app.get("/readyz", async (request, reply) => {
    const { ready, troubles } = await deps.readiness();
    const brief = { ready, ok: troubles.length === 0 };
    void reply.code(ready ? 200 : 503);
    // The reasons are for clients that may ask for the status.
    return answer(reply, guard(request.headers.authorization) ? { ...brief, troubles } : brief);
  });
  app.get("/metrics", async (_request, reply) => {
    const { type, body } = await deps.metrics();
    return reply.header("Content-Type", type).send(body);
  });
  app.get("/api/v1/status", async (_request, reply) => answer(reply, await deps.status()));
  app.get("/api/v1/explain", async (request, reply) => {
    const question = queryOf(request.url).get("q")?.trim() ?? "";
    if (question === "" || question.length > QUESTION_MAX) {
      return refuse(reply, problem(400, `q must be words, an id or a number, of at most ${QUESTION_MAX} characters`));
    }
    return await unlessLogFails(reply, async () => answer(reply, await deps.explain(question)));
  });
  app.get("/api/v1/tail", (request, reply) => {
    const gateway = queryOf(request.url).get("gateway");
    // Otherwise it would show nothing forever.
    const why = gateway === null ? null : deps.unknown(gateway);
    if (why !== null) return refuse(reply, problem(404, why));
    return follow({ gateway, by }, reply, deps, release);
  });
  app.post("/api/v1/send", async (request, reply) => {
    const words = wordsOf(request.body);
    if (words === null) return refuse(reply, problem(400, "the body must be JSON: gateway, text and optionally as"));
    return await unlessLogFails(reply, async () => {
      const said = await deps.say(words);
      if (said.is === "said") return answer(reply, said);
      return refuse(reply, problem(said.is === "unknown" ? 404 : 400, said.message));
    });
  });
  app.post("/api/v1/reload", async (_request, reply) => {
    if (deps.reload === null) return refuse(reply, problem(404, "this program runs without a configuration file"));
    return answer(reply, await deps.reload());
  });
  // Who made one could do by it what the older addresses do not let him.
  if (by === "socket") addWaysIn(app, deps);
  app.post("/api/v1/backup", (_request, reply) =>
    unlessLogFails(reply, async () => answer(reply, { file: await deps.backup() })),
  );
}

/** The status for people, where there is no dashboard. */
export function addStatusPage({ app }: HttpApi, deps: AdminDeps): void {
  app.get("/", async (_request, reply) => {
    const page = statusPage(await deps.status());
    void reply.header(
      "Content-Security-Policy",
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    );
    return reply.header("Content-Type", "text/html; charset=utf-8").send(page);
  });
}

function addWaysIn(app: HttpApi["app"], deps: AdminDeps): void {
  app.post("/api/v1/dashboard", (_request, reply) => {
    const link = deps.dashboard();
    return link === null ? refuse(reply, problem(422, NO_DASHBOARD)) : answer(reply, link);
  });
  app.post("/api/v1/resend", async (request, reply) => {
    const order = typedResend(request.body);
    if (order === null)
      return refuse(reply, problem(400, "the body must be JSON: seq, destination, gateway, may_double"));
    return await unlessLogFails(reply, async () => {
      const done = await deps.resendTyped(order);
      if (done.is !== "taken") return refuse(reply, problem(done.is === "unknown" ? 404 : 422, done.message));
      const { gateway, account, channel } = done;
      return answer(reply, { seq: order.seq, gateway, account, channel });
    });
  });
  app.post("/api/v1/invites", async (request, reply) => {
    const order = readInviteOrder(request.body);
    if (typeof order === "string") return refuse(reply, problem(400, order));
    const made = await deps.invite(order);
    return made.ok ? answer(reply, made.invite) : refuse(reply, problem(422, made.message));
  });
  app.post("/api/v1/tokens", async (request, reply) => {
    const order = readTokenOrder(request.body);
    if (order === null) return refuse(reply, problem(400, "the body must be JSON: action, and id or asked"));
    return await unlessLogFails(reply, async () => {
      const done = await deps.tokens(order);
      return done.ok ? answer(reply, done) : refuse(reply, problem(400, done.message));
    });
  });
}

function typedResend(body: unknown): TypedResend | null {
  const { seq, destination, gateway = null, may_double: mayDouble = false } = isObject(body) ? body : {};
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || typeof destination !== "string") return null;
  if ((gateway !== null && typeof gateway !== "string") || typeof mayDouble !== "boolean") return null;
  return { seq, destination, gateway, mayDouble };
}

function follow(
  who: Pick<Follower, "gateway" | "by">,
  reply: FastifyReply,
  deps: AdminDeps,
  release: (response: ServerResponse) => void,
): void {
  const begin = (): void => {
    let socket: StreamSocket | null = null;
    const leave = deps.follow({
      ...who,
      unsent: () => socket?.unsent ?? 0,
      write: (line) => socket?.write(makeChunk(line)),
      end: () => socket?.end(),
      cut: () => socket?.destroy(),
    });
    if (leave === null) {
      reply.raw.writeHead(503, { "Content-Type": JSON_TYPE });
      reply.raw.end(problemBody("too many clients follow already; end one of them"));
      return;
    }
    socket = StreamSocket.open(reply.raw);
    release(reply.raw);
    if (socket.closed) leave();
    else socket.onClose(leave);
  };
  reply.hijack();
  if (reply.raw.socket === null) reply.raw.once("socket", begin);
  else begin();
}

function answer(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.header("Content-Type", JSON_TYPE).send(`${JSON.stringify(value)}\n`);
}

function refuse(reply: FastifyReply, refusal: HttpProblem): FastifyReply {
  sendProblem(reply, refusal);
  return reply;
}

const LOOK_FIRST = 'Look whether it was done ("rialto tail", "rialto status") before you do it again.';

async function unlessLogFails(reply: FastifyReply, task: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    if (isUnknown(error)) return refuse(reply, problem(500, `${error.message} ${LOOK_FIRST}`));
    return refuse(reply, { ...problem(503, `the log does not answer: ${error.message}`), retryAfterS: 1 });
  }
}

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
}

function wordsOf(body: unknown): SayRequest | null {
  if (!isObject(body)) return null;
  const { gateway, text, as = "" } = body;
  if (typeof gateway !== "string" || typeof text !== "string" || typeof as !== "string") return null;
  return { gateway, text, as };
}
