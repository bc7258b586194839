/**
 * Whether a request comes from a web page of another host (RFC 6454 §7): a browser says in `Origin` who sent it, and no
 * page can change that. Other programs send no `Origin`. Ports count. Schemes count where the public origin of the host
 * is known, or where no proxy can have taken TLS off; elsewhere `http` and `https` are one.
 */
export function isForeign(
  origin: string | undefined,
  host: string | undefined,
  { publicOrigin = null, mayHaveTls = true }: OwnOrigin = {},
): boolean {
  if (origin === undefined || origin === publicOrigin) return false;
  const from = URL.parse(origin);
  if (from === null || host === undefined || !["http:", "https:"].includes(from.protocol)) return true;
  const ours = publicOrigin === null ? null : URL.parse(publicOrigin);
  if (ours !== null && hostOf(ours.protocol, host) === ours.host) return true;
  if (from.protocol === "https:" && !mayHaveTls) return true;
  // The port that a scheme has by itself may be written or not.
  return from.host !== hostOf("http:", host) && from.host !== hostOf(from.protocol, host);
}

interface OwnOrigin {
  readonly publicOrigin?: string | null;
  /** A proxy in front may take TLS off, so that a page of `https` is one of ours. */
  readonly mayHaveTls?: boolean;
}

function hostOf(protocol: string, host: string): string | null {
  return URL.parse(`${protocol}//${host}`)?.host ?? null;
}
