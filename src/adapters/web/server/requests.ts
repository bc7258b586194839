import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { Clock } from "../../../contract/host.ts";
import type { WebProblem } from "../../../contract/web-chat.ts";
import { plainIp } from "../../../lib/address.ts";
import { clientAddress } from "../../../lib/forwarded.ts";
import { hostName } from "../../../lib/host-name.ts";
import { STATUS_CODES } from "../../../lib/node-http.ts";
import { isObject, readJson } from "../../../lib/shapes.ts";
import { inTime } from "../../kit/in-time.ts";
import { type Refusal, refusal } from "../chat.ts";
import type { WebCall } from "./calls.ts";
import { SILENCE_MS } from "./pace.ts";

const BODY_MAX = 128 * 1024;

const STATUS: Readonly<Record<WebProblem["code"], number>> = {
  bad_request: 400,
  bad_name: 400,
  unauthorized: 401,
  banned: 403,
  muted: 403,
  forbidden: 403,
  no_links: 403,
  not_found: 404,
  name_taken: 409,
  invite_gone: 410,
  too_large: 413,
  misdirected: 421,
  key_reused: 422,
  too_many: 429,
  slow_mode: 429,
  unavailable: 503,
};

const SAFE = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox",
} as const;

export function answer(
  response: ServerResponse,
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
  type = "application/json",
): void {
  if (response.headersSent || response.destroyed) return;
  const text = body === null ? "" : JSON.stringify(body);
  const kind = body === null ? {} : { "Content-Type": type };
  response.writeHead(status, { ...SAFE, ...kind, "Content-Length": Buffer.byteLength(text), ...headers }).end(text);
}

export function refuse(response: ServerResponse, { refused: code, detail, suggestion, retryS }: Refusal): void {
  const status = STATUS[code];
  const problem: WebProblem = {
    title: STATUS_CODES[status] ?? "",
    status,
    code,
    detail,
    ...(suggestion !== undefined && suggestion !== "" && { suggestion }),
    ...(retryS !== undefined && { retry_after: retryS }),
  };
  const headers = retryS === undefined ? {} : { "Retry-After": String(retryS) };
  answer(response, status, problem, headers, "application/problem+json");
}

/** The body as an object, or why it is none. */
export async function readBody({
  chat,
  request,
  incoming,
  owner,
}: Pick<WebCall, "chat" | "request" | "incoming" | "owner">): Promise<
  { readonly body: Readonly<Record<string, unknown>> } | Refusal
> {
  if (!/^application\/json\b/iu.test(request.headers["content-type"] ?? ""))
    return refusal("bad_request", "the body must be application/json");
  const bytesMax = Number(request.headers["content-length"] ?? BODY_MAX);
  if (bytesMax > BODY_MAX) return TOO_LONG;
  const giveBack = incoming.body(owner, bytesMax);
  if (giveBack === null) return refusal("unavailable", "try again soon", { retryS: 5 });
  try {
    const content = await contentOf(request, chat.host.clock);
    if (typeof content !== "string") return content;
    const body = readJson(content);
    return isObject(body) ? { body } : refusal("bad_request", "the body must be a JSON object");
  } finally {
    giveBack();
  }
}

const TOO_LONG = refusal("too_large", "the request is too long");
const TOO_SLOW = refusal("bad_request", `the request did not come in whole within ${SILENCE_MS / 1000} s`);

/** The request stays as it is: an iterator that is left would cut the connection. */
async function contentOf(request: IncomingMessage, clock: Clock): Promise<string | Refusal> {
  const { promise, resolve, reject } = Promise.withResolvers<string | Refusal>();
  const parts: Buffer[] = [];
  let size = 0;
  request.on("data", (part: Buffer) => {
    size += part.length;
    if (size > BODY_MAX) resolve(TOO_LONG);
    else parts.push(part);
  });
  request.once("end", () => resolve(Buffer.concat(parts).toString()));
  request.once("error", reject);
  request.once("close", () => reject(new Error("the request broke off")));
  return await inTime(promise, { clock, ms: SILENCE_MS }, () => TOO_SLOW);
}

/** What still comes of a request that is answered goes by, for a time: cut at once, the client would not see why. */
export function letGo(request: IncomingMessage, ms: number): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  request.resume();
  const timer = setTimeout(() => socket.destroy(), ms);
  const stop = (): void => clearTimeout(timer);
  request.once("end", stop);
  request.once("close", stop);
}

export const textIn = (body: Readonly<Record<string, unknown>>, key: string): string => {
  const value = body[key];
  return typeof value === "string" ? value : "";
};

/** How the server may be called, and whose requests it takes. */
export interface OwnPlace {
  /** The address of guests. */
  readonly url: string;
  /** The host of BindAddress. */
  readonly bound: string;
  readonly proxies: ReadonlySet<string>;
}

/** Why a request is not answered at all; null: it is. */
export function strangerOf(request: IncomingMessage, { url, bound }: OwnPlace): Refusal | null {
  const authority = request.headers.host ?? "";
  const host = hostName(authority);
  const own = new URL(url);
  const isOwn =
    host !== null &&
    (isIP(host) !== 0 || host === "localhost" || host === hostName(bound) || host === hostName(own.host));
  if (!isOwn) return refusal("misdirected", `this chat is at ${url}`);
  if (request.method === "GET" || request.method === "HEAD") return null;
  const origin = request.headers.origin;
  const isOurs = origin === undefined || origin === own.origin || origin === `http://${authority.toLowerCase()}`;
  const site = request.headers["sec-fetch-site"] ?? "same-origin";
  if (!isOurs || (site !== "same-origin" && site !== "none"))
    return refusal("forbidden", "this request comes from another page");
  if (request.headers["x-rialto"] !== "1") return refusal("forbidden", "the header X-Rialto: 1 is missing");
  return null;
}

/** Who is asking; behind a proxy that is trusted, whom that one names. */
export function addressOf(request: IncomingMessage, { proxies }: OwnPlace): string {
  const header = request.headers["x-forwarded-for"]?.toString() ?? null;
  return clientAddress(request.socket.remoteAddress ?? "", header, proxies);
}

/** Whether what comes from there comes from others. */
export const isProxy = (address: string, { proxies }: OwnPlace): boolean => proxies.has(plainIp(address));

/** As limits count it: whoever has one IPv6 address has all of its /64. */
export function ownerOf(address: string): string {
  const plain = plainIp(address);
  return isIP(plain) === 6 ? netOf(plain) : plain;
}

/** As bans count it: the /24 of an IPv4 address, the /64 of an IPv6 address; empty for an unknown one. */
export function netOf(address: string): string {
  if (isIP(address) === 4) return `${address.split(".").slice(0, 3).join(".")}.0/24`;
  if (isIP(address) !== 6) return "";
  const [head = "", tail] = address.toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: gap }, () => "0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/u, ""))
    .join(":")}::/64`;
}
