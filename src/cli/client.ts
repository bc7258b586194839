import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { basename, dirname } from "node:path";
import { withShortPath } from "../http/admin/socket.ts";
import { request } from "../lib/node-http.ts";
import { printable } from "../lib/printable.ts";

/** Longest that an answer may take. */
const ANSWER_MS = 30_000;
/** Of an answer. */
const ANSWER_BYTES = 64 * 1024 * 1024;

export interface ControlResponse {
  readonly status: number;
  readonly body: string;
}

/** Nothing listens on the socket, or not for us. `message` says where, and what to do. */
export class NotRunning extends Error {
  override readonly name = "NotRunning";
}

export interface Question {
  readonly method: "GET" | "POST" | "DELETE";
  /** With its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Longest that the answer may take, when it is no small question. */
  readonly patienceMs?: number;
}

/** Asks the Rialto at a socket. Rejects with NotRunning, also when the signal is aborted. */
export async function ask(socket: string, question: Question, signal?: AbortSignal): Promise<ControlResponse> {
  const limit = AbortSignal.timeout(question.patienceMs ?? ANSWER_MS);
  const response = await open(socket, question, signal === undefined ? limit : AbortSignal.any([limit, signal]));
  return { status: response.statusCode ?? 0, body: await bodyOf(response, socket) };
}

async function bodyOf(response: IncomingMessage, socket: string): Promise<string> {
  let body = "";
  try {
    for await (const part of response.setEncoding("utf8")) {
      body += String(part);
      if (body.length > ANSWER_BYTES) throw new NotRunning(`the answer of the Rialto at ${socket} is too large`);
    }
  } catch (error) {
    throw whyNot(error, socket);
  }
  return body;
}

/** It runs, but refuses the request. */
export class RequestRefused extends Error {
  override readonly name = "Refused";
  readonly answer: ControlResponse;

  constructor(answer: ControlResponse) {
    super(answer.body);
    this.answer = answer;
  }
}

/**
 * The lines of an endless answer; ends when the signal is aborted or the other side ends it. Rejects with NotRunning or
 * Refused.
 */
export async function* lines(socket: string, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const begun = new AbortController();
  const limit = setTimeout(() => begun.abort(), ANSWER_MS);
  const response = await open(socket, { method: "GET", path }, AbortSignal.any([signal, begun.signal])).finally(() =>
    clearTimeout(limit),
  );
  const status = response.statusCode ?? 0;
  if (status !== 200) throw new RequestRefused({ status, body: await bodyOf(response, socket) });
  let rest = "";
  try {
    for await (const part of response.setEncoding("utf8")) {
      const whole = (rest + String(part)).split("\n");
      rest = whole.pop() ?? "";
      yield* whole;
    }
  } catch (error) {
    // Cut off, by us or because Rialto has stopped: nothing more will come.
    if (!signal.aborted && !isCut(error)) throw error;
  }
}

async function open(socket: string, { method, path, body }: Question, signal: AbortSignal): Promise<IncomingMessage> {
  // Node 22 throws at a later moment, where nobody can catch it.
  if (socket.includes("\0")) throw new NotRunning(noSuchPath(socket, "the path holds a zero byte"));
  const sent = body === undefined ? "" : JSON.stringify(body);
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  try {
    return await withShortPath(dirname(socket), basename(socket), async (socketPath) => {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        const asked = request({ socketPath, method, path, headers, signal, agent: false }, resolve);
        asked.on("error", reject).end(sent);
      });
    });
  } catch (error) {
    throw whyNot(error, socket);
  }
}

function whyNot(error: unknown, socket: string): unknown {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new NotRunning(notThere(socket));
    case "ECONNREFUSED":
      return new NotRunning(`no Rialto runs with this configuration: nothing listens on ${socket}`);
    case "EACCES":
    case "EPERM":
      return new NotRunning(`this user may not open ${socket}: run this command as the user that runs Rialto`);
    case "ECONNRESET":
    case "ERR_STREAM_PREMATURE_CLOSE":
      return new NotRunning(`the Rialto at ${socket} has stopped`);
    default:
      if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError"))
        return new NotRunning(`the Rialto at ${socket} does not answer`);
      // A path that the system does not take, or something that is no Rialto.
      if (error instanceof Error && typeof codeOf(error) === "string")
        return new NotRunning(noSuchPath(socket, error.message));
      return error;
  }
}

/** Whoever deletes the data folder deletes the socket of a Rialto that still runs. */
function notThere(socket: string): string {
  const what = "no Rialto runs with this configuration";
  if (existsSync(dirname(socket))) return `${what}: there is no ${socket}`;
  return `${what}, or its data folder was deleted while it runs: there is no ${socket}; if one runs, start it again`;
}

const noSuchPath = (socket: string, why: string): string =>
  `no Rialto can be asked at ${printable(socket)}: ${printable(why)}`;

const isCut = (error: unknown): boolean =>
  codeOf(error) === "ECONNRESET" || codeOf(error) === "ERR_STREAM_PREMATURE_CLOSE";

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
