import { mint, type UserRef } from "../contract/ids.ts";

/**
 * The person that a link of Matrix names, null: it names nobody: `https://matrix.to/#/@alice:example.org` or
 * `matrix:u/alice:example.org`.
 */
export function personBehind(href: string): UserRef | null {
  const { to, uri } = /^(?:https:\/\/matrix\.to\/#\/(?<to>[^?/]+)|matrix:u\/(?<uri>[^?/]+))/iu.exec(href)?.groups ?? {};
  try {
    const id = to === undefined ? `@${decodeURIComponent(uri ?? "")}` : decodeURIComponent(to);
    return /^@[^:]+:.+$/u.test(id) ? mint("UserRef", id) : null;
  } catch {
    return null;
  }
}
