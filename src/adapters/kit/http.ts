import type http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import type { Clock } from "../../contract/host.ts";
import { request as requestPlain } from "../../lib/node-http.ts";
import { ProxyError } from "../../lib/proxy.ts";
import { errorCode, isBadCertificate, isNoTls, systemWords } from "../../lib/network-error.ts";
import { TURNS } from "./turn-budget.ts";
import { type Agents, agentsFor } from "./agents.ts";
import { PUBLIC, type ServerTrust } from "./trust.ts";
import { Turns } from "./turns.ts";

/** More of an answer than this is not read. */
const ANSWER_MAX = 24 << 20;
/** Bytes of an answer that wait to be taken. A server may send each by itself, which is work for each. */
const UNREAD_MAX = 8 * 1024;
/** Chunks (RFC 9112 §7.1) of an answer whose average size must be at least `CHUNK_BYTES`: each of them is work. */
const CHUNKS_MAX = 10_000;
const CHUNK_BYTES = 32;
/** Interim answers (1xx) before the answer to a request. */
const INTERIM_MAX = 20;
const REQUESTS_MAX = 16;
/** Apart from others: an answer that nobody reads keeps its connection. */
const STREAMS_MAX = 16;

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface HttpRequest {
  readonly method: HttpMethod;
  /** Absolute. */
  readonly url: URL;
  /** Beside those that every request has. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON when it is a text. */
  readonly body: string | Upload | null;
  /** From the call on, also while it waits for its turn. */
  readonly timeoutMs: number;
  /** Tried once more when the server closed a connection that it had kept open: for requests that may be repeated. */
  readonly again: boolean;
  readonly signal: AbortSignal;
}

export interface Upload {
  readonly stream: ReadableStream<Uint8Array>;
  readonly bytes: number;
  readonly mime: string;
}

export type HttpAnswer =
  | {
      readonly is: "answer";
      readonly status: number;
      readonly headers: http.IncomingHttpHeaders;
      readonly text: string;
    }
  | HttpFailure;

export interface HttpFailure {
  readonly is: "failed";
  readonly why: "network" | "timeout" | "aborted" | "certificate" | "no_tls" | "too_large";
  /** For people. */
  readonly message: string;
  /** The server certainly has not read it. */
  readonly certain: boolean;
}

export type Streamed = { readonly is: "stream"; readonly response: http.IncomingMessage } | HttpFailure;

/** Requests to one server over connections of our own, which all end with `close`. Nothing rejects. */
export class Http {
  /** The names of hosts are looked up by a proxy. */
  readonly isProxied: boolean;
  readonly #clock: Clock;
  readonly #agents: Agents;
  readonly #requests = new Turns(REQUESTS_MAX);
  readonly #streams = new Turns(STREAMS_MAX);
  readonly #closed = new AbortController();

  constructor(clock: Clock, trust: ServerTrust = PUBLIC) {
    this.#clock = clock;
    // How many there are is up to us: what waits within an agent has neither a limit nor an end.
    const kept = { keepAlive: true, maxSockets: Infinity, highWaterMark: UNREAD_MAX };
    this.#agents = agentsFor(trust, kept);
    this.isProxied = (trust.proxy ?? null) !== null;
  }

  close(): void {
    this.#closed.abort();
    for (const agent of [this.#agents["http:"], this.#agents["https:"]]) agent.destroy();
  }

  async request(wanted: HttpRequest): Promise<HttpAnswer> {
    const begunMs = this.#clock.monoMs();
    const first = await this.#whole(wanted);
    const timeoutMs = wanted.timeoutMs - (this.#clock.monoMs() - begunMs);
    if (first.is !== "failed" || !first.stale || !wanted.again || timeoutMs <= 0) return first;
    return await this.#whole({ ...wanted, timeoutMs });
  }

  /** The answer as soon as it begins; what is not read must be destroyed. */
  async stream(wanted: HttpRequest): Promise<Streamed> {
    return await this.#start(wanted, this.#streams, (response) => Promise.resolve({ is: "stream", response }));
  }

  async #whole(wanted: HttpRequest): Promise<HttpAnswer & { readonly stale?: boolean }> {
    return await this.#start(wanted, this.#requests, async (response) => {
      const body = new BodyText();
      const refusal = await received(response, body);
      if (refusal !== null) return { is: "failed", why: "too_large", message: refusal, certain: false };
      const { statusCode = 0, headers } = response;
      return { is: "answer", status: statusCode, headers, text: body.toString() };
    });
  }

  async #start<T>(
    wanted: HttpRequest,
    turns: Turns,
    take: (response: http.IncomingMessage) => Promise<T>,
  ): Promise<T | (HttpFailure & { readonly stale: boolean })> {
    const limit = new AbortController();
    const signal = AbortSignal.any([wanted.signal, this.#closed.signal, limit.signal]);
    let state: State = { connected: false, answered: false, reused: false };
    const cancel = this.#clock.after(wanted.timeoutMs, () => limit.abort());
    let done: (() => void) | null = null;
    try {
      done = await turns.take(signal);
      if (done === null) throw new Error("aborted");
      const response = await this.#send(wanted, { signal, done }, (next) => (state = { ...state, ...next }));
      state = { ...state, answered: true };
      return await take(response);
    } catch (error) {
      done?.();
      await discard(wanted.body);
      if (limit.signal.aborted)
        return { ...failed("timeout", done === null ? BUSY : SLOW, !state.connected), stale: false };
      if (signal.aborted) return { ...failed("aborted", "the request was cancelled", !state.connected), stale: false };
      const stale = state.reused && !state.answered && (wanted.body === null || typeof wanted.body === "string");
      return { ...failureOf(error, state.connected), stale };
    } finally {
      cancel();
    }
  }

  async #send(
    wanted: HttpRequest,
    { signal, done }: { readonly signal: AbortSignal; readonly done: () => void },
    tell: (state: Partial<State>) => void,
  ): Promise<http.IncomingMessage> {
    const { url, method, body, headers } = wanted;
    const secure = url.protocol === "https:";
    const answered = Promise.withResolvers<http.IncomingMessage>();
    const request = (secure ? https.request : requestPlain)(url, {
      method,
      signal,
      agent: this.#agents[secure ? "https:" : "http:"],
      headers: {
        Accept: "application/json",
        "User-Agent": "Rialto",
        ...bodyHeaders(body),
        ...headers,
      },
    });
    request.on("error", answered.reject);
    request.on("response", answered.resolve);
    request.on("close", done);
    limitInterim(request);
    request.on("socket", (socket) => {
      if (!socket.connecting) tell({ connected: true, reused: request.reusedSocket });
      else socket.once(secure ? "secureConnect" : "connect", () => tell({ connected: true }));
    });
    if (body === null || typeof body === "string") request.end(body ?? undefined);
    else pour(body, request, answered.reject);
    return await answered.promise;
  }
}

/** Ends a request that is answered by 1xx without end. */
export function limitInterim(request: http.ClientRequest): void {
  let count = 0;
  request.on("information", () => {
    count += 1;
    if (count > INTERIM_MAX) request.destroy(new Error("it answers with 1xx without end"));
  });
}

/** Reads an answer to its end. Resolves with the reason why it is not read any further; null: all of it was read. */
async function received(response: http.IncomingMessage, body: BodyText): Promise<string | null> {
  const ended = Promise.withResolvers<string | null>();
  const refuse = (reason: string): void => {
    ended.resolve(reason);
    response.destroy();
  };
  let chunks = 0;
  response.on("data", (part: Buffer) => {
    chunks += 1;
    if (!body.add(part)) return refuse("its answer is too large");
    if (chunks > CHUNKS_MAX && body.size < chunks * CHUNK_BYTES) return refuse("its answer comes in too small chunks");
    if (!TURNS.isSpent) return;
    response.pause();
    TURNS.wait(() => response.resume());
  });
  response.on("error", ended.reject);
  response.on("end", () => ended.resolve(null));
  response.on("close", () => ended.reject(new Error("the connection was closed")));
  return await ended.promise;
}

/** The bytes of an answer as they come, in one buffer: a server may send each of them by itself. */
class BodyText {
  #bytes = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False: it is too large. */
  add(part: Buffer): boolean {
    const size = this.#size + part.length;
    if (size > ANSWER_MAX) return false;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(size, this.#bytes.length * 2), ANSWER_MAX));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    part.copy(this.#bytes, this.#size);
    this.#size = size;
    return true;
  }

  toString(): string {
    return this.#bytes.toString("utf8", 0, this.#size);
  }
}

const SLOW = "it does not answer in time";
const BUSY = "too much else was asked of it at the same time";

interface State {
  readonly connected: boolean;
  readonly answered: boolean;
  readonly reused: boolean;
}

function bodyHeaders(body: HttpRequest["body"]): http.OutgoingHttpHeaders {
  if (body === null) return {};
  if (typeof body === "string")
    return { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  return { "Content-Type": body.mime, "Content-Length": body.bytes };
}

/** A stream that breaks off, or is longer or shorter than was said, breaks the request off. */
function pour({ stream, bytes }: Upload, request: http.ClientRequest, fail: (error: unknown) => void): void {
  const source = Readable.fromWeb(stream);
  const end = (error: unknown): void => {
    request.destroy();
    fail(error);
  };
  let left = bytes;
  source.on("error", end);
  source.on("data", ({ length }: Uint8Array) => {
    left -= length;
    if (left < 0) end(new Error("the file is longer than was said"));
  });
  source.on("end", () => {
    if (left > 0) end(new Error("the file is shorter than was said"));
  });
  request.on("close", () => source.destroy());
  source.pipe(request);
}

/** What is not sent is given back: whoever gave us a stream is told that we do not want it. */
export async function discard(body: HttpRequest["body"]): Promise<void> {
  if (body === null || typeof body === "string" || body.stream.locked) return;
  await body.stream.cancel().catch(() => undefined);
}

/** What the system, TLS or the parser says of a connection. `connected`: whether there was one. */
export function failureOf(error: unknown, connected: boolean): HttpFailure {
  if (error instanceof ProxyError) return failed("network", error.message, !connected);
  const code = errorCode(error);
  if (isBadCertificate(code)) return failed("certificate", `its certificate cannot be trusted (${code})`, true);
  if (isNoTls(code)) return failed("no_tls", `it does not speak TLS (${code})`, true);
  if (code.startsWith("HPE_"))
    return failed("network", `it does not speak HTTP (${code}); check its address`, !connected);
  // Which setting has the address is the network's.
  const words = code === "ENOTFOUND" ? "there is no such host; check its address" : systemWords(code);
  return failed(
    "network",
    words === undefined ? `the connection failed (${code || "interrupted"})` : `${words} (${code})`,
    !connected,
  );
}

function failed(why: HttpFailure["why"], message: string, certain: boolean): HttpFailure {
  return { is: "failed", why, message, certain };
}
