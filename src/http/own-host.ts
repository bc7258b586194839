import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopback } from "../lib/address.ts";
import { hostName } from "../lib/host-name.ts";

/** How an address that needs no token may be called. */
export interface OwnNames {
  /** The host of its BindAddress. */
  readonly bound: string;
  /** `AllowedHosts`, as `hostName` writes them. */
  readonly allowed: readonly string[];
  /** What the system calls this machine. */
  readonly machine: string;
}

/**
 * Whether a request for this host is meant for us. A web page can have its own name lead here (DNS rebinding), and is
 * no foreign origin then, but its browser still says that name in `Host`. No page can have an IP address, `localhost`
 * or a name of this network as its own.
 */
export function isOwnHost(authority: string, { bound, allowed, machine }: OwnNames): boolean {
  if (authority !== last.authority) last = { authority, host: hostName(authority) };
  const { host } = last;
  if (host === null) return false;
  if (isIP(host) !== 0 || host === "localhost" || host.endsWith(".localhost")) return true;
  if (host === hostName(bound) || allowed.includes(host)) return true;
  return !isLoopback(bound) && (!host.includes(".") || host === hostName(machine));
}

/** Nearly all requests name the host that the one before named. */
let last: { readonly authority: string; readonly host: string | null } = { authority: "", host: null };

/**
 * Which host a request asks: that of its target where it names one (RFC 9112 §3.2.2), otherwise that of `Host`.
 * Undefined only in HTTP/1.0.
 */
export function authorityOf({ url = "", headers }: Pick<IncomingMessage, "url" | "headers">): string | undefined {
  return /^[a-z][a-z\d+.-]*:\/\/(?<authority>[^/?#]*)/iu.exec(url)?.groups?.["authority"] ?? headers.host;
}
