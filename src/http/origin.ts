/**
 * Whether a request comes from a web page of another host (RFC 6454 §7): a browser says in `Origin` who sent it, and no
 * page can change that. Other programs send no `Origin`. Ports count, schemes do not: a proxy may have taken TLS off.
 */
export function isForeign(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return false;
  const from = hostOf(origin);
  return from === null || host === undefined || from !== hostOf(`http://${host}`);
}

function hostOf(url: string): string | null {
  return URL.parse(url)?.host ?? null;
}
