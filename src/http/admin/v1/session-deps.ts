import type { IncomingHttpHeaders } from "node:http";
import type { Logins } from "../../../access/logins.ts";
import type { ProxiedPeople } from "../../../access/proxied.ts";
import type { Sessions } from "../../../access/sessions.ts";
import { cookiesNamed } from "../../../lib/cookies.ts";

/** How operators sign in with a browser. */
export interface SessionDeps {
  readonly logins: Pick<Logins, "redeem">;
  readonly sessions: Sessions;
  readonly proxied: Pick<ProxiedPeople, "list">;
  /** As it is now. */
  readonly cookie: () => CookieKind;
}

export interface CookieKind {
  readonly name: string;
  /** For encrypted connections only. */
  readonly isSecure: boolean;
}

/**
 * Behind https the prefix has browsers refuse one that came over an open line or from a neighbouring name. Elsewhere
 * the name has the port: cookies know none, and two programs on one machine are two.
 */
export function cookieKind(port: number, publicOrigin: string | null): CookieKind {
  if (publicOrigin?.startsWith("https:") === true) return { name: "__Host-rialto", isSecure: true };
  return { name: `rialto-${port}`, isSecure: false };
}

/** The secrets that a browser sends. */
export function secretsIn({ cookie }: Pick<IncomingHttpHeaders, "cookie">, { name }: CookieKind): readonly string[] {
  return cookiesNamed(name, cookie);
}

/** `Set-Cookie`; 0 s: the browser forgets it. */
export function cookieOf({ name, isSecure }: CookieKind, secret: string, seconds: number): string {
  const rest = `Path=/; Max-Age=${Math.max(0, Math.floor(seconds))}; HttpOnly; SameSite=Strict`;
  return `${name}=${secret}; ${rest}${isSecure ? "; Secure" : ""}`;
}
