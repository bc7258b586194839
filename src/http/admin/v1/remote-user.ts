import { plainIp } from "../../../lib/address.ts";
import { printable } from "../../../lib/printable.ts";
import type { Knock } from "../../v1/doorman.ts";

const USER_CHARS = 200;

/** Whether a request comes from one of these addresses. */
export function isProxied({ socket }: Pick<Knock, "socket">, proxies: ReadonlySet<string>): boolean {
  // Asked only here: the system is asked for it once for each connection.
  const peer = proxies.size === 0 ? undefined : socket.remoteAddress;
  return peer !== undefined && proxies.has(plainIp(peer));
}

/**
 * Whom the web server in front has signed in, as it says in `Remote-User`; null: nobody, or the request comes from an
 * address that may not say so. Two of these headers are none: one may be the client's own.
 */
export function remoteUser(knock: Knock, proxies: ReadonlySet<string>): string | null {
  if (!isProxied(knock, proxies)) return null;
  const { rawHeaders } = knock;
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "remote-user");
  const [value = ""] = values;
  // Headers come as bytes, and names are UTF-8.
  const user = Buffer.from(value, "latin1").toString("utf8").trim();
  return values.length !== 1 || user === "" || user.length > USER_CHARS ? null : printable(user);
}
