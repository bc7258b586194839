/**
 * Whether a request comes from a web page of another host (RFC 6454 §7): a browser says in `Origin` who sent it, and no
 * page can change that. Other programs send no `Origin`. Ports count. Schemes count where the public origin of the host
 * is known; elsewhere `http` and `https` are one, because a proxy may have taken TLS off.
 */
export function isForeign(
  origin: string | undefined,
  host: string | undefined,
  publicOrigin: string | null = null,
): boolean {
  if (origin === undefined || origin === publicOrigin) return false;
  const from = URL.parse(origin);
  if (from === null || host === undefined || !["http:", "https:"].includes(from.protocol)) return true;
  const ours = publicOrigin === null ? null : URL.parse(publicOrigin);
  if (ours !== null && hostOf(ours.protocol, host) === ours.host) return true;
  // The port that a scheme has by itself may be written or not.
  return from.host !== hostOf("http:", host) && from.host !== hostOf(from.protocol, host);
}

function hostOf(protocol: string, host: string): string | null {
  return URL.parse(`${protocol}//${host}`)?.host ?? null;
}
