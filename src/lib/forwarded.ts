import { isIP } from "node:net";
import { plainIp } from "./address.ts";

/** In place of an address that a proxy did not write in a form that can be read. It is the address of no proxy. */
export const UNKNOWN_ADDRESS = "unknown";

/**
 * The address of a client, from that of its connection and from `X-Forwarded-For` if a trusted proxy has made the
 * connection. Each proxy adds an entry on the right, so the last entry that is not a proxy is the client; entries
 * before it can be made up. Null as `header`: there is none.
 */
export function clientAddress(peer: string, header: string | null, proxies: ReadonlySet<string>): string {
  const direct = plainIp(peer);
  if (!proxies.has(direct) || header === null) return direct;
  const entries = header.split(",").map(unquoted);
  const addresses = entries.filter((entry) => entry !== "").map((entry) => addressIn(entry) ?? UNKNOWN_ADDRESS);
  return addresses.findLast((address) => !proxies.has(address)) ?? direct;
}

const unquoted = (entry: string): string =>
  entry
    .trim()
    .replace(/^"(.*)"$/u, "$1")
    .trim();

/** Without a port, which some proxies write as well. Null: it is none, such as `unknown` or `_hidden`. */
function addressIn(entry: string): string | null {
  const { six, four } = /^(?:\[(?<six>[^\]]*)\]|(?<four>[\d.]+))(?::[\w.-]{1,20})?$/u.exec(entry)?.groups ?? {};
  // Some programs pad with zeros, always in the decimal system.
  const address = plainIp(four?.replaceAll(/(?<![\d])0+(?=\d)/gu, "") ?? six ?? entry);
  return isIP(address) === 0 ? null : address;
}
