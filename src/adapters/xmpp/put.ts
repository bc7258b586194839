import { lookup } from "node:dns";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { request as requestHttp } from "../../lib/node-http.ts";
import { proxyOf, type ProxyServer } from "../../lib/proxy.ts";
import { isPublic, isPublicHost } from "../../lib/public-address.ts";
import { agentFor } from "../kit/agents.ts";
import { placeOf } from "../kit/ends.ts";
import type { Upload } from "../kit/http.ts";
import type { XmppSettings } from "./settings.ts";

/** A server that takes nothing for so long is given up. */
const IDLE_MS = 60_000;

/** Where uploads may go. */
export interface Reach {
  /** Only over TLS. */
  readonly secure: boolean;
  readonly verify: boolean;
  /** To addresses of this machine and its own networks as well. */
  readonly inside: boolean;
  /** Who looks the names up, and connects. */
  readonly proxy?: ProxyServer | null;
}

/** As far as the stream got. */
export function reachOf(
  { secure, address }: { readonly secure: boolean; readonly address: string },
  { Server, SkipTLSVerify, Proxy }: Pick<XmppSettings, "Server" | "SkipTLSVerify" | "Proxy">,
): Reach {
  const proxy = proxyOf(Proxy);
  // Through a proxy, the address of the stream is the proxy's.
  const inside = proxy === null ? isInside(address) : !isPublicHost(placeOf(Server)?.host ?? "localhost");
  return { secure, verify: !SkipTLSVerify, inside, proxy };
}

interface Place {
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends content by PUT; resolves with the status of the answer. Rejects when that breaks off, the content is not as
 * long as it was said to be, or the address is not to be reached. Follows no redirect. The stream is over in any case.
 */
export async function putTo(place: Place, content: Upload, reach: Reach, signal: AbortSignal): Promise<number> {
  const body = Readable.fromWeb(content.stream as Parameters<typeof Readable.fromWeb>[0]);
  try {
    return await send(place, body, content, reach, signal);
  } finally {
    body.on("error", () => undefined).destroy();
  }
}

async function send(
  { to, headers }: Place,
  body: Readable,
  { bytes, mime }: Upload,
  { verify, inside, proxy = null }: Reach,
  signal: AbortSignal,
): Promise<number> {
  const { hostname, protocol } = new URL(to);
  const literal = hostname.replace(/^\[(?<six>.*)\]$/u, "$<six>");
  const isLiteral = isIP(literal) !== 0;
  if (!inside && (isLiteral || proxy !== null) && !isPublicHost(literal)) throw new Error(NOT_THERE);
  const given = { ...headers, "content-type": mime, "content-length": String(bytes) };
  const options = {
    method: "PUT",
    headers: given,
    signal,
    timeout: IDLE_MS,
    ...(!inside && { lookup: lookupOutside }),
    ...(proxy !== null && { agent: agentFor(new URL(to), { verify, ca: null, proxy }) }),
  };
  const put: ClientRequest =
    protocol === "https:" ? requestHttps(to, { ...options, rejectUnauthorized: verify }) : requestHttp(to, options);
  const answer = Promise.withResolvers<IncomingMessage>();
  put.on("response", answer.resolve);
  put.on("error", answer.reject);
  put.on("timeout", () => put.destroy(new Error("no answer")));
  const sending = pipeline(body, (parts: AsyncIterable<Uint8Array>) => exactly(parts, bytes), put);
  // A server may answer, and close, before it has read everything: the answer counts.
  sending.catch(answer.reject);
  const response = await answer.promise;
  response.on("error", () => undefined).resume();
  if (!put.writableEnded) put.destroy();
  return response.statusCode ?? 0;
}

/** What is missing would be waited for, and what is too much would be another request to the server. */
async function* exactly(parts: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const part of parts) {
    left -= part.byteLength;
    if (left < 0) break;
    yield part;
  }
  if (left !== 0) throw new Error("the file does not have the announced size");
}

const NOT_THERE = "the upload service gives an address in the local network";

const lookupOutside: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    // With an error nothing is found, not even an empty list.
    const first = error === null ? found[0] : undefined;
    if (first === undefined) done(error ?? new Error("no address"), "");
    else if (found.some(({ address }) => isInside(address))) done(new Error(NOT_THERE), "");
    else if (options.all === true) done(null, found);
    else done(null, first.address, first.family);
  });
};

/** Whether an address is this machine, or one of its own networks. */
export function isInside(address: string): boolean {
  const [bare = ""] = address.split("%");
  return isIP(bare) !== 0 && !isPublic(bare);
}
