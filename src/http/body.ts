import type { IncomingMessage } from "node:http";
import { problem, type HttpProblem } from "./api/problem.ts";
import { passed } from "../lib/garbage.ts";
import type { BodyBudget } from "./body-budget.ts";
import { BodyParts } from "./body-parts.ts";

/** Why a body was not read, as an error because Fastify knows no other way. */
export class BodyRefused extends Error {
  override readonly name = "BodyRefused";
  readonly problem: HttpProblem;
  readonly statusCode: number;

  constructor(refusal: HttpProblem) {
    super(refusal.message);
    this.problem = refusal;
    this.statusCode = refusal.status;
  }
}

const RETRY_S = 5;

/** How long the rest of a body is taken in after it was refused. */
const DRAIN_MS = 5_000;

export interface BodyBounds {
  readonly limit: number;
  readonly budget: BodyBudget;
}

/** Reads the body of a request whole. Rejects with a BodyRefused, and nothing is kept of it then. */
export function readBody(request: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    receiveBody(request, bounds, (body) => (Buffer.isBuffer(body) ? resolve(body) : reject(new BodyRefused(body))));
  });
}

/** Tells once: the body, whole, or why it was not read. */
export function receiveBody(
  request: IncomingMessage,
  { limit, budget }: BodyBounds,
  done: (body: Buffer | HttpProblem) => void,
): void {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limit) return done(tooLarge(limit));
  let first: Buffer | null = null;
  let rest: BodyParts | null = null;
  let bytes = 0;
  let isOver = false;
  const end = (refusal: HttpProblem | null): void => {
    if (isOver) return;
    isOver = true;
    held?.release();
    const body = refusal ?? rest?.joined() ?? first ?? EMPTY;
    rest?.free();
    first = rest = null;
    if (refusal !== null) request.off("data", take);
    done(body);
  };
  const take = (part: Buffer): void => {
    if (isOver) return;
    bytes += part.length;
    if (bytes > limit) return end(tooLarge(limit));
    // A small body that comes in one part is held by nobody, if there is room for it.
    if (held !== null || bytes !== announced || !budget.hasRoom(bytes)) {
      held ??= budget.hold(announced, () => end(TOO_SLOW));
      if (!held.grow(part.length)) return end(NO_ROOM);
    }
    if (first === null) first = part;
    else (rest ??= new BodyParts(first)).add(part);
  };
  const broken = (): void => end(BROKEN);
  let held = budget.isSmall(announced) ? null : budget.hold(announced, () => end(TOO_SLOW));
  request.on("data", take);
  request.on("end", () => end(null));
  request.on("close", broken);
  request.on("error", broken);
}

const EMPTY = Buffer.alloc(0);
const tooLarge = (limit: number): HttpProblem => problem(413, `the body is larger than MaxBodySize (${limit} bytes)`);
const NO_ROOM: HttpProblem = {
  ...problem(503, "too many bodies are coming in at once; send this one again"),
  retryAfterS: RETRY_S,
};
const BROKEN: HttpProblem = problem(400, "the body ended too early");
const TOO_SLOW: HttpProblem = problem(
  408,
  "the body came in too slowly while there was no room for others; send it again, and faster",
);

/**
 * Resolves when the rest of a refused body has come in (unread), or after DRAIN_MS: closing the connection under a
 * client that is still sending would reset it, and the client would never see the answer.
 */
export function bodyGone(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once("end", done).once("close", done);
    request.on("data", (part: Buffer) => passed(part.length));
  });
}
