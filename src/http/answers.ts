import type { ServerResponse } from "node:http";
import { type HttpProblem, problem, problemBody } from "./api/problem.ts";

export const JSON_TYPE = "application/json; charset=utf-8";

/** What a client is told of a bug. */
export const FAILED: HttpProblem = problem(500, "the service failed on this request; see its log");

/**
 * Answers 200 with a line of JSON, straight on Node's own answer. Names of headers are written as Fastify writes them.
 */
export function answerLine(response: ServerResponse, line: string): void {
  // Not measured with its newline: that would make another copy of it, as large as the line.
  response.writeHead(200, ["content-type", JSON_TYPE, "content-length", String(Buffer.byteLength(line) + 1)]);
  response.end(`${line}\n`);
}

export function answerProblem(response: ServerResponse, { status, message, retryAfterS }: HttpProblem): void {
  const body = problemBody(message);
  const head = ["content-type", JSON_TYPE];
  if (retryAfterS !== undefined) head.push("retry-after", String(retryAfterS));
  response.writeHead(status, [...head, "content-length", String(Buffer.byteLength(body))]);
  response.end(body);
}
