import type { ServerResponse } from "node:http";
import { ConsumerError } from "../../consumers/consumers.ts";
import { LogError } from "../../log/errors.ts";
import { whyOf } from "../api/problem.ts";
import { PROBLEMS, ProblemError } from "./problems.ts";
import type { Reply } from "./route.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM_TYPE = "application/problem+json";

/** On all answers below `/v1`, also on those that a handler gives itself; `Reply.isUncached` goes without the first. */
export const V1_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } as const;
const NOSNIFF = "X-Content-Type-Options";

/** A refusal, ready to be sent. */
export interface V1Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Answered = Exclude<Reply, "taken">;

/** Names and values by turns, of an answer with so many bytes. */
export type MoreHeaders = (bytes: number) => readonly string[];

/** One list of headers that grows: joining several costs as much as Node takes for the headers. */
export function sendReply(response: ServerResponse, reply: Answered, more: MoreHeaders = () => []): void {
  const { status, headers } = reply;
  const text = reply.json ?? (reply.body === undefined ? "" : JSON.stringify(reply.body));
  const bytes = Buffer.byteLength(text);
  const head: string[] = [NOSNIFF, V1_HEADERS[NOSNIFF]];
  if (reply.isUncached !== true) head.push("Cache-Control", V1_HEADERS["Cache-Control"]);
  if (text !== "") head.push("Content-Type", JSON_TYPE);
  if (status !== 204 && status !== 304) head.push("Content-Length", String(bytes));
  for (const part of more(bytes)) head.push(part);
  if (headers !== undefined) for (const name of Object.keys(headers)) head.push(name, headers[name] ?? "");
  response.writeHead(status, head);
  response.end(text);
}

/** What a client is told of what a handler threw; `internal`: a bug. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof LogError) {
    const detail = `the log cannot do it now: ${whyOf(error)}`;
    return new ProblemError("unavailable", detail, { headers: { "Retry-After": "1" } });
  }
  if (error instanceof ConsumerError) {
    const { code, message, held } = error;
    return new ProblemError(code, message, { ...(held.length > 0 && { more: { held: held.map(String) } }) });
  }
  return new ProblemError("internal", "the service failed on this request; its log has it under the id of `instance`");
}

/** RFC 9457. `instance`: the request. */
export function problemText({ code, message, errors, more }: ProblemError, instance: string): string {
  const { status, title, remedy } = PROBLEMS[code];
  const type = `/v1/problems/${code}`;
  return JSON.stringify({
    type,
    title,
    status,
    detail: message,
    instance,
    code,
    remedy,
    ...(errors.length > 0 && { errors }),
    ...more,
  });
}

export function refusalOf(error: ProblemError, instance: string): V1Refusal {
  return {
    status: PROBLEMS[error.code].status,
    headers: { ...V1_HEADERS, "Content-Type": PROBLEM_TYPE, ...error.headers },
    body: problemText(error, instance),
  };
}

export function sendProblem(response: ServerResponse, refusal: V1Refusal, more: readonly string[] = []): void {
  const head = [...Object.entries(refusal.headers).flat(), ...more];
  head.push("Content-Length", String(Buffer.byteLength(refusal.body)));
  response.writeHead(refusal.status, head);
  response.end(refusal.body);
}
