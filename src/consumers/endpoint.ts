import type { IncomingMessage } from "node:http";
import { request as requestSecure } from "node:https";
import { isIP } from "node:net";
import type { Clock } from "../contract/host.ts";
import { onAbort } from "../lib/abort.ts";
import { hostAddresses, pinned, type Resolve } from "../lib/host-addresses.ts";
import { errorCode, isBadCertificate, isNoTls, systemWords } from "../lib/network-error.ts";
import { request as requestPlain } from "../lib/node-http.ts";
import { isPublic, isReachable, isWebPort } from "../lib/public-address.ts";
import { retryAfter } from "./schedule.ts";

/** Characters; what servers take at most. */
const URL_MAX = 8192;
/** Bytes of an answer that are read, and forgotten, before the connection is closed. */
const ANSWER_MAX = 65_536;

/** What came of one attempt. */
export interface Answered {
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  /** Why it is a failure, for people; null: it was taken. Nothing in it is what the endpoint wrote. */
  readonly why: string | null;
  readonly retryAfterMs: number | null;
}

export interface CallOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of all of it: look-up, connection, answer. */
  readonly timeoutMs: number;
  /** `host:port`, as in `AllowPrivate`. */
  readonly allowPrivate: readonly string[];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly resolve?: Resolve;
}

/**
 * What is wrong with the address of an endpoint as far as it can be seen without a look-up; null: nothing. See
 * `callEndpoint`.
 */
export function urlFlaw(text: string, allowPrivate: readonly string[]): string | null {
  if (text.length > URL_MAX) return `it must not be longer than ${URL_MAX} characters`;
  const url = URL.parse(text);
  if (url === null) return "it is not a URL";
  if (url.protocol !== "https:" && url.protocol !== "http:") return "it must begin with https:// or http://";
  if (url.username !== "" || url.password !== "") return "it must not contain a user name or a password";
  const { host, port, isOpen } = placeOf(url, allowPrivate);
  if (!isOpen && !isWebPort(port)) return `port ${port} is not a web port (see AllowPrivate)`;
  if (!isOpen && isThisMachine(host)) return notPublic(host);
  return isIP(host) === 0 || (isOpen ? isReachable(host) : isPublic(host)) ? null : notPublic(host);
}

/**
 * One POST to an address that somebody else chose, so it must not become a way into the machine or its network: the
 * host is looked up once, all its addresses must be public or the configuration allows the place, the connection goes
 * to exactly these, and redirects are not followed. Never rejects.
 */
export async function callEndpoint(text: string, options: CallOptions): Promise<Answered> {
  const flaw = urlFlaw(text, options.allowPrivate);
  const url = URL.parse(text);
  if (flaw !== null || url === null) return failed(`the address cannot be called: ${flaw ?? "it is not a URL"}`);
  const { host, isOpen } = placeOf(url, options.allowPrivate);
  const limit = new AbortController();
  const cancel = options.clock.after(options.timeoutMs, () => limit.abort());
  const release = onAbort(options.signal, () => limit.abort());
  const { signal } = limit;
  try {
    const allowed = isOpen ? isReachable : isPublic;
    const found = await hostAddresses(host, { allowed, signal, ...(options.resolve && { resolve: options.resolve }) });
    if (found.is === "unknown") return failed(found.why);
    if (found.is === "closed") return failed(`the address cannot be called: ${notPublic(host)}`);
    if (found.is === "aborted") return late(options);
    const answer = await post(url, { ...options, signal, lookup: pinned(found.addresses) });
    if (typeof answer === "string") return signal.aborted ? late(options) : failed(answer);
    await drain(answer, signal);
    return judge(answer, options.clock.nowMs());
  } finally {
    cancel();
    release();
  }
}

function placeOf(url: URL, allowPrivate: readonly string[]): { host: string; port: number; isOpen: boolean } {
  const port = Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port);
  const isOpen = allowPrivate.includes(`${url.hostname.toLowerCase()}:${port}`);
  return { host: url.hostname.replace(/^\[(.*)\]$/u, "$1"), port, isOpen };
}

/** RFC 6761 §6.3: for these no look-up is needed. */
const isThisMachine = (host: string): boolean => /^(?:.*\.)?localhost(?:\.localdomain)?\.?$/u.test(host);

const notPublic = (host: string): string => `${host} is not on the public Internet (see AllowPrivate)`;

const failed = (why: string): Answered => ({ status: null, why, retryAfterMs: null });

const late = ({ timeoutMs }: CallOptions): Answered => failed(`there was no answer within ${timeoutMs / 1000} s`);

async function post(
  url: URL,
  { headers, body, signal, lookup }: CallOptions & { readonly lookup: ReturnType<typeof pinned> },
): Promise<IncomingMessage | string> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage | string>();
  const ask = url.protocol === "https:" ? requestSecure : requestPlain;
  const content = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  const request = ask(url, {
    method: "POST",
    // A connection of its own: one that is kept could lead elsewhere than what was looked up.
    agent: false,
    lookup,
    signal,
    headers: { ...headers, ...content, accept: "*/*", "accept-encoding": "identity", "user-agent": "Rialto" },
  });
  request.on("response", resolve);
  request.on("upgrade", (_answer, socket) => {
    socket.destroy();
    resolve("it answers 101");
  });
  request.on("error", (error) => resolve(faultWords(errorCode(error))));
  // Whatever else ends it: nobody may wait forever.
  request.on("close", () => resolve("the connection was closed"));
  request.end(body);
  return await promise;
}

function faultWords(code: string): string {
  if (isBadCertificate(code)) return `its certificate is not trusted (${code})`;
  if (isNoTls(code)) return "what answers there does not speak TLS";
  return `it cannot be reached: ${systemWords(code) ?? (code || "the connection failed")}`;
}

/** Lets a polite endpoint finish its answer; never more than ANSWER_MAX, nor longer than the attempt may last. */
async function drain(answer: IncomingMessage, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX) resolve();
  });
  answer.on("error", () => resolve());
  answer.on("close", resolve);
  const release = onAbort(signal, resolve);
  await promise;
  release();
  answer.destroy();
}

function judge({ statusCode = 0, headers }: IncomingMessage, nowMs: number): Answered {
  const isTaken = statusCode >= 200 && statusCode < 300;
  const isMoved = statusCode >= 300 && statusCode < 400;
  const why = isTaken ? null : `it answers ${statusCode}${isMoved ? ", and redirects are not followed" : ""}`;
  return { status: statusCode, why, retryAfterMs: isTaken ? null : retryAfter(headers["retry-after"], nowMs) };
}
