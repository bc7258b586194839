import { lookup } from "node:dns";
import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A server that takes nothing for so long is given up. */
const IDLE_MS = 60_000;

export interface Content {
  readonly stream: ReadableStream<Uint8Array>;
  readonly bytes: number;
  readonly mime: string;
}

/** Where uploads may go. */
export interface Reach {
  /** Only over TLS. */
  readonly secure: boolean;
  readonly verify: boolean;
  /** To addresses of this machine and its own networks as well. */
  readonly inside: boolean;
}

interface Place {
  readonly to: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends content by PUT; resolves with the status of the answer. Rejects when that breaks off, the content is not as long as it was said to be, or the
 * address is not to be reached. Follows no redirect. The stream is over in any case.
 */
export async function putTo(place: Place, content: Content, reach: Reach, signal: AbortSignal): Promise<number> {
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
  { bytes, mime }: Content,
  { verify, inside }: Reach,
  signal: AbortSignal,
): Promise<number> {
  const { hostname, protocol } = new URL(to);
  const literal = hostname.replace(/^\[(?<six>.*)\]$/u, "$<six>");
  if (!inside && isIP(literal) !== 0 && isInside(literal)) throw new Error(NOT_THERE);
  const given = { ...headers, "content-type": mime, "content-length": String(bytes) };
  const options = {
    method: "PUT",
    headers: given,
    signal,
    timeout: IDLE_MS,
    ...(!inside && { lookup: lookupOutside }),
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
  if (left !== 0) throw new Error("the file is not as long as it was said to be");
}

const NOT_THERE = "the service for uploads names an address within our own network";

const lookupOutside: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    const [first] = found ?? [];
    if (error !== null || first === undefined) done(error ?? new Error("no address"), "");
    else if (found.some(({ address }) => isInside(address))) done(new Error(NOT_THERE), "");
    else if (options.all === true) done(null, found);
    else done(null, first.address, first.family);
  });
};

const INSIDE = new BlockList();
for (const net of ["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"])
  addNet(net);
for (const net of ["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"]) addNet(net);
for (const net of ["::/96", "64:ff9b::/96", "fc00::/7", "fe80::/10", "ff00::/8"]) addNet(net);

function addNet(net: string): void {
  const [address = "", bits = ""] = net.split("/");
  INSIDE.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** Whether an address is this machine, or one of its own networks (RFC 6890); IPv4 within IPv6 counts as what it is. */
export function isInside(address: string): boolean {
  const [bare = ""] = address.split("%");
  const version = isIP(bare);
  return version !== 0 && INSIDE.check(bare, version === 6 ? "ipv6" : "ipv4");
}
