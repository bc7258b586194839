import { getCACertificates } from "node:tls";
import { proxyOf, type ProxyServer } from "../../lib/proxy.ts";

/** Which certificates of a server are good, and how it is reached. */
export interface ServerTrust {
  /** False: every certificate is good. */
  readonly verify: boolean;
  /** PEM of an authority that counts beside those that Node knows; null: none. */
  readonly ca: string | null;
  /** Null or absent: directly. */
  readonly proxy?: ProxyServer | null;
}

export const PUBLIC: ServerTrust = { verify: true, ca: null };

/** By the usual authorities, and by the setting `Proxy`. */
export const publicBy = (proxy: string): ServerTrust => ({ ...PUBLIC, proxy: proxyOf(proxy) });

/** As Node's TLS takes it. */
export function trustOptions({ verify, ca }: ServerTrust): { rejectUnauthorized: boolean; ca?: string[] } {
  return { rejectUnauthorized: verify, ...(ca !== null && { ca: [...getCACertificates("default"), ca] }) };
}
