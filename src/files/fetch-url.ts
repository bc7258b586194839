import type { IncomingMessage, RequestOptions } from "node:http";
import { get as getSecure } from "node:https";
import { isIP } from "node:net";
import { type HostAddress, hostAddresses, pinned, type Resolve } from "../lib/host-addresses.ts";
import { get as getPlain } from "../lib/node-http.ts";
import { ProxyError, type ProxyServer } from "../lib/proxy.ts";
import { isPublicHost } from "../lib/public-address.ts";
import { SecureTunnelAgent, TunnelAgent } from "../lib/tunnel-agents.ts";
import { codeOf, notNow, type FileRefusal, refused, STOPPED, tooLarge } from "./refusal.ts";

export interface FetchOptions {
  /** Whether an address may be connected to. */
  readonly allowed: (address: string) => boolean;
  /** Whether a port may be connected to. */
  readonly allowedPort: (port: number) => boolean;
  /** Bytes: a longer content is refused by its announced length already. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Who looks the names up, and connects; null or absent: this machine. */
  readonly proxy?: ProxyServer | null;
  /** All addresses of a host name; that of the system unless a test has its own. */
  readonly resolve?: Resolve;
}

/** An answer of which nothing but the header has been read. */
export interface Fetched {
  readonly ok: true;
  readonly mime: string | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

const REDIRECTS_MAX = 5;
/** Characters; what servers take at most. */
const URL_MAX = 8192;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Asks a web server for a file. A stranger wrote the address, so it must not become a way into the machine or its
 * network: only http and https, only addresses that are allowed, connected to exactly as they were checked, and all of
 * it again for every redirect. Never rejects.
 */
export async function fetchUrl(url: string, options: FetchOptions): Promise<Fetched | FileRefusal> {
  let at = parse(url, null);
  for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
    if (!(at instanceof URL)) return at;
    const answer = await ask(at, options);
    if ("ok" in answer) return answer;
    const { statusCode = 0, headers } = answer;
    if (!REDIRECTS.has(statusCode)) return judge(at, answer, options);
    answer.destroy();
    if (headers.location === undefined) return refused("remote_error", `${at.hostname} redirects without an address`);
    at = parse(headers.location, at);
  }
  return refused("remote_error", `it is redirected more than ${REDIRECTS_MAX} times`);
}

/** The address when it may be asked at all. */
function parse(text: string, from: URL | null): URL | FileRefusal {
  if (text.length > URL_MAX) return refused("bad_content", "its address is too long");
  const url = URL.parse(text, from?.href);
  if (url === null) return refused("bad_content", "its address is not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return refused("forbidden", "its address is neither https nor http");
  if (url.username !== "" || url.password !== "")
    return refused("forbidden", "its address contains a user name or a password");
  if (from?.protocol === "https:" && url.protocol === "http:")
    return refused("forbidden", `${from.hostname} redirects from https to http`);
  return url;
}

async function ask(url: URL, options: FetchOptions): Promise<IncomingMessage | FileRefusal> {
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  const port = Number(url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port);
  if (!options.allowedPort(port)) return refused("forbidden", `port ${port} of ${host} is not a web port`);
  const way = options.proxy ? tunnelTo(url, host, options.proxy, options) : await directWay(host, options);
  if ("ok" in way) return way;
  const get = url.protocol === "https:" ? getSecure : getPlain;
  return await new Promise((resolve) => {
    const request = get(url, {
      ...way,
      signal: options.signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "Rialto" },
    });
    request.on("response", resolve);
    request.on("upgrade", (_answer, socket) => {
      socket.destroy();
      resolve(refused("remote_error", `${url.hostname} answers 101`));
    });
    request.on("error", (error) => resolve(unreachable(url, error, options.signal)));
    // Whatever else ends it: nobody may wait forever.
    request.on("close", () => resolve(unreachable(url, null, options.signal)));
  });
}

/** How a request connects. */
type Way = Pick<RequestOptions, "agent" | "lookup">;

/** A connection of its own, to one of these addresses and no other: a second look-up could give another answer. */
async function directWay(host: string, options: FetchOptions): Promise<Way | FileRefusal> {
  const addresses = await addressesOf(host, options);
  return "ok" in addresses ? addresses : { agent: false, lookup: pinned(addresses) };
}

/** The proxy looks the name up: here it can only be seen whether the name is one of an inner network. */
function tunnelTo(url: URL, host: string, proxy: ProxyServer, { allowed }: FetchOptions): Way | FileRefusal {
  // Where this machine may be asked, so may inner names.
  const isAllowed = isIP(host) === 0 ? isPublicHost(host) || allowed("127.0.0.1") : allowed(host);
  if (!isAllowed) return notPublic(host);
  return { agent: url.protocol === "https:" ? new SecureTunnelAgent(proxy, {}) : new TunnelAgent(proxy, {}) };
}

async function addressesOf(host: string, options: FetchOptions): Promise<readonly HostAddress[] | FileRefusal> {
  const { allowed, resolve, signal } = options;
  const found = await hostAddresses(host, { allowed, signal, ...(resolve && { resolve }) });
  if (found.is === "found") return found.addresses;
  if (found.is === "aborted") return STOPPED;
  if (found.is === "unknown") return notNow("network", found.why);
  return notPublic(host);
}

const notPublic = (host: string): FileRefusal =>
  refused("forbidden", `${host} is not on the public Internet (see MediaAllowPrivate)`);

function judge(url: URL, answer: IncomingMessage, { limit }: FetchOptions): Fetched | FileRefusal {
  const refusal = faultOf(url, answer, limit);
  if (refusal !== null) {
    answer.destroy();
    return refusal;
  }
  return { ok: true, mime: answer.headers["content-type"] ?? null, chunks: answer };
}

function faultOf(url: URL, { statusCode = 0, headers }: IncomingMessage, limit: number): FileRefusal | null {
  if (statusCode !== 200) {
    const later = statusCode >= 500 || statusCode === 408 || statusCode === 425 || statusCode === 429;
    const code = statusCode === 404 || statusCode === 410 ? "not_found" : "remote_error";
    return (later ? notNow : refused)(code, `${url.hostname} answers ${statusCode}`);
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    return refused("bad_content", `${url.hostname} sends it with an encoding that Rialto did not ask for`);
  return Number(headers["content-length"] ?? 0) > limit ? tooLarge(limit) : null;
}

function unreachable(url: URL, error: unknown, signal: AbortSignal): FileRefusal {
  if (signal.aborted) return STOPPED;
  const words = error instanceof ProxyError ? error.message : codeOf(error);
  return notNow("network", `${url.hostname} cannot be reached (${words})`);
}
