import type { IncomingMessage } from "node:http";
import { problem, type Problem } from "./api/problem.ts";
import type { BodyBudget } from "./body-budget.ts";

/** Why a body was not read, as an error because Fastify knows no other way. */
export class BodyRefused extends Error {
  override readonly name = "BodyRefused";
  readonly problem: Problem;
  readonly statusCode: number;

  constructor(refusal: Problem) {
    super(refusal.message);
    this.problem = refusal;
    this.statusCode = refusal.status;
  }
}

const RETRY_S = 5;
/** So many parts are made one: a part of one byte costs a hundred times as much. */
const PARTS_MAX = 256;

/** Reads the body of a request whole. Rejects with a BodyRefused, and nothing is kept of it then. */
export function readBody(
  request: IncomingMessage,
  { limit, budget }: { readonly limit: number; readonly budget: BodyBudget },
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const announced = Number(request.headers["content-length"] ?? 0);
  const blocks: Buffer[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  const end = (refusal: Problem | null): void => {
    held.release();
    request.off("data", take).off("end", whole).off("close", broken).off("error", broken);
    if (refusal === null) resolve(Buffer.concat([...blocks, ...parts]));
    else reject(new BodyRefused(refusal));
    blocks.length = 0;
    parts = [];
  };
  const take = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > limit) return end(tooLarge(limit));
    if (!held.grow(part.length)) return end(NO_ROOM);
    parts.push(part);
    if (parts.length < PARTS_MAX) return;
    blocks.push(Buffer.concat(parts));
    parts = [];
  };
  const whole = (): void => end(null);
  const broken = (): void => end(problem(400, "the body ended too early"));
  const held = budget.hold(announced, () => end(TOO_SLOW));
  if (announced > limit) end(tooLarge(limit));
  else request.on("data", take).once("end", whole).once("close", broken).once("error", broken);
  return promise;
}

const tooLarge = (limit: number): Problem => problem(413, `the body is larger than MaxBodySize (${limit} bytes)`);
const NO_ROOM: Problem = {
  ...problem(503, "too many bodies are coming in at once; send this one again"),
  retryAfterS: RETRY_S,
};
const TOO_SLOW: Problem = problem(
  408,
  "the body came in too slowly while there was no room for others; send it again, and faster",
);
