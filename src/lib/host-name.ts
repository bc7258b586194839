import { domainToASCII } from "node:url";

/**
 * `uri-host [":" port]` (RFC 9110 §7.2), and nothing else: what a lenient reader would pass over, such as `user@`,
 * makes it no host.
 */
const AUTHORITY = /^(?:\[(?<six>[\da-f:.]+(?:%[\w.-]+)?)\]|(?<name>[^\s[\]:/?#@\\]+?)\.?)(?::\d*)?$/iu;

/**
 * The host of an authority such as `Bridge.example:8080` as it is compared: lower case, without port, brackets and the
 * dot at its end, in ASCII. Null when it is none.
 */
export function hostName(authority: string): string | null {
  const { six, name } = AUTHORITY.exec(authority)?.groups ?? {};
  if (six !== undefined) return six.toLowerCase();
  if (name === undefined) return null;
  return /^[\w.-]+$/u.test(name) ? name.toLowerCase() : domainToASCII(name) || null;
}
