import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import { errorCode, isBadCertificate, isNoTls, systemWords } from "./network-error.ts";

/** Another server, which connects to servers for us. */
export interface ProxyServer {
  /** `https`: it is spoken to over TLS. */
  readonly kind: "http" | "https" | "socks5";
  readonly host: string;
  readonly port: number;
  readonly login: { readonly user: string; readonly password: string } | null;
}

interface TunnelOptions {
  readonly proxy: ProxyServer;
  /** A host to be looked up by the proxy, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly signal?: AbortSignal;
  /** The address of this machine to connect from; absent: the system chooses. */
  readonly localAddress?: string;
  /** Bytes that wait to be taken. */
  readonly highWaterMark?: number;
}

/** Why a proxy gives no connection, for people; without what is secret in its address. */
export class ProxyError extends Error {}

const TUNNEL_MS = 30_000;
/** Bytes; a proxy that says more before a connection is there is none. */
const ANSWER_MAX = 16 * 1024;
const KEEP_ALIVE_MS = 60_000;
const PORTS = { http: 80, https: 443, socks5: 1080 } as const;

/** The value of the setting `Proxy`; null when it is empty. Throws on what the setting's rule does not let pass. */
export function proxyOf(setting: string): ProxyServer | null {
  if (setting === "") return null;
  const { protocol, hostname, port, username, password } = new URL(setting);
  const kind = protocol === "http:" ? "http" : protocol === "https:" ? "https" : "socks5";
  const login = username === "" ? null : { user: decoded(username), password: decoded(password) };
  return { kind, host: hostname.replaceAll(/^\[|\]$/gu, ""), port: Number(port) || PORTS[kind], login };
}

/**
 * A connection to a server through a proxy: what it sends next is the server's, and nothing that the proxy has said is
 * left in it. Rejects with a `ProxyError`.
 */
export async function openTunnel(options: TunnelOptions): Promise<Socket> {
  const { proxy } = options;
  const limit = AbortSignal.timeout(TUNNEL_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  const place = { host: proxy.host, port: proxy.port, noDelay: true };
  const { localAddress, highWaterMark } = options;
  const from = { ...(localAddress !== undefined && { localAddress }), ...(highWaterMark && { highWaterMark }) };
  const kept = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };
  const name = isIP(proxy.host) === 0 ? { servername: proxy.host } : {};
  const isSecure = proxy.kind === "https";
  const socket = isSecure
    ? connectSecure({ ...place, ...from, ...name })
    : connectPlain({ ...place, ...from, ...kept });
  // An error that comes later is the caller's; until it listens, there must be somebody who does.
  socket.on("error", () => undefined);
  const talk = new Talk(socket, signal);
  const called = placeOf(proxy);
  try {
    await talk.event(isSecure ? "secureConnect" : "connect").catch((error: unknown) => {
      throw limit.aborted ? late() : new Error(faultWords(error));
    });
    await (proxy.kind === "socks5" ? askSocks : askHttp)(talk, options);
    return socket;
  } catch (error) {
    socket.destroy();
    const why = limit.aborted ? late() : error;
    throw new ProxyError(`the proxy ${called} ${why instanceof Error ? why.message : String(why)}`);
  }
}

const late = (): Error => new Error(`gives no connection within ${TUNNEL_MS / 1000} s`);

/** RFC 9110 §9.3.6. */
async function askHttp(talk: Talk, { proxy: { login }, host, port }: TunnelOptions): Promise<void> {
  const place = placeOf({ host, port });
  const basic = login === null ? "" : Buffer.from(`${login.user}:${login.password}`).toString("base64");
  const authorization = login === null ? "" : `Proxy-Authorization: Basic ${basic}\r\n`;
  talk.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${authorization}\r\n`);
  const head = await talk.read((had) => had.indexOf("\r\n\r\n") + 4 || 0, 4);
  const status = Number(/^HTTP\/1\.[01] (?<status>\d{3})\b/u.exec(head.toString("latin1"))?.groups?.["status"]);
  if (status >= 200 && status < 300) return;
  if (Number.isNaN(status)) throw new Error("does not speak HTTP; check Proxy");
  throw new Error(status === 407 ? loginWords(login !== null) : `does not connect to ${place}: HTTP ${status}`);
}

const VERSION = 5;
const CONNECT = 1;
const [NO_LOGIN, BY_PASSWORD] = [0, 2];
const [IPV4, NAME, IPV6] = [1, 3, 4];

/** RFC 1928, and RFC 1929 for the login. */
async function askSocks(talk: Talk, { proxy: { login }, host, port }: TunnelOptions): Promise<void> {
  talk.write(Buffer.from(login === null ? [VERSION, 1, NO_LOGIN] : [VERSION, 2, NO_LOGIN, BY_PASSWORD]));
  const [version, method] = await talk.take(2);
  if (version !== VERSION) throw new Error("does not speak SOCKS5; check Proxy");
  if (method === BY_PASSWORD && login !== null) {
    talk.write(Buffer.concat([Buffer.of(1), counted(login.user), counted(login.password)]));
    if ((await talk.take(2))[1] !== 0) throw new Error(loginWords(true));
  } else if (method !== NO_LOGIN) throw new Error(loginWords(false));
  // Always the name: the proxy looks it up.
  talk.write(Buffer.concat([Buffer.of(VERSION, CONNECT, 0), socksHost(host), Buffer.of(port >> 8, port & 255)]));
  const [, reply = 0, , kind] = await talk.take(4);
  if (reply !== 0)
    throw new Error(`does not connect to ${placeOf({ host, port })}: ${SOCKS[reply] ?? `error ${reply}`}`);
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : ((await talk.take(1))[0] ?? 0);
  await talk.take(length + 2);
}

function socksHost(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.of(IPV4, ...host.split(".").map(Number));
  // URL writes every address in one way: hexadecimal groups, the longest run of zeros as `::`.
  const six = isIP(host) === 6 ? (URL.parse(`http://[${host}]`)?.hostname.slice(1, -1) ?? "") : "";
  if (six === "") return Buffer.concat([Buffer.of(NAME), counted(host)]);
  const [before = [], after = []] = six.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...zeros, ...after].map((group) => group.padStart(4, "0"));
  return Buffer.from([IPV6, ...Buffer.from(groups.join(""), "hex")]);
}

/** A text with its length in bytes before it. */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error("takes no name or password of more than 255 bytes");
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** RFC 1928 §6, by number. */
const SOCKS = [
  "",
  "a general failure",
  "its rules do not allow it",
  "the network is unreachable",
  "the host is unreachable",
  "the connection is refused",
  "the host is too far away",
  "it cannot make connections",
  "it does not know this kind of address",
];

const loginWords = (hasLogin: boolean): string =>
  hasLogin ? "does not accept the user and the password in Proxy" : "wants a user and a password; add them to Proxy";

/** What is said before the connection is there, in turns. */
class Talk {
  readonly #socket: Socket;
  readonly #signal: AbortSignal;

  constructor(socket: Socket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
  }

  write(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  async take(length: number): Promise<Buffer> {
    return await this.read((had) => (had.length >= length ? length : 0), length);
  }

  /** `lengthIn`: of the answer, in what came so far; 0 while it is not whole. What is behind it is left to be read. */
  async read(lengthIn: (had: Buffer) => number, min: number): Promise<Buffer> {
    let had = Buffer.alloc(0);
    for (;;) {
      const length = lengthIn(had);
      if (length >= min) {
        if (had.length > length) this.#socket.unshift(had.subarray(length));
        return had.subarray(0, length);
      }
      if (had.length > ANSWER_MAX) throw new Error("answers too much; check Proxy");
      const part: unknown = this.#socket.read();
      if (!Buffer.isBuffer(part)) await this.event("readable");
      else had = Buffer.concat([had, part]);
    }
  }

  async event(name: "connect" | "secureConnect" | "readable"): Promise<void> {
    const socket = this.#socket;
    const done = Promise.withResolvers<void>();
    const closed = (): void => done.reject(new Error("closed the connection"));
    const stop = (): void => done.reject(new Error("was given up"));
    if (this.#signal.aborted) stop();
    if (socket.readableEnded || socket.destroyed) closed();
    socket.once(name, done.resolve).once("error", done.reject).once("end", closed).once("close", closed);
    this.#signal.addEventListener("abort", stop, { once: true });
    try {
      await done.promise;
    } finally {
      socket.off(name, done.resolve).off("error", done.reject).off("end", closed).off("close", closed);
      this.#signal.removeEventListener("abort", stop);
    }
  }
}

function placeOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function faultWords(error: unknown): string {
  const code = errorCode(error);
  if (isBadCertificate(code)) return `has a certificate that cannot be trusted (${code})`;
  if (isNoTls(code)) return "does not speak TLS; write http:// in Proxy";
  if (code === "ENOTFOUND") return "cannot be reached: there is no such host; check Proxy";
  const words = systemWords(code) ?? (error instanceof Error ? error.message : "");
  return `cannot be reached: ${words}${code === "" ? "" : ` (${code})`}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
