import { getCACertificates } from "node:tls";

/** Which certificates of a server are good. */
export interface ServerTrust {
  /** False: every certificate is good. */
  readonly verify: boolean;
  /** PEM of an authority that counts beside those that Node knows; null: none. */
  readonly ca: string | null;
}

export const PUBLIC: ServerTrust = { verify: true, ca: null };

/** As Node's TLS takes it. */
export function trustOptions({ verify, ca }: ServerTrust): { rejectUnauthorized: boolean; ca?: string[] } {
  return { rejectUnauthorized: verify, ...(ca !== null && { ca: [...getCACertificates("default"), ca] }) };
}
