/** Addresses (RFC 7622): `local@domain/resource`, where everything after the first `/` is the resource. */

export function bareOf(jid: string): string {
  const slash = jid.indexOf("/");
  return slash === -1 ? jid : jid.slice(0, slash);
}

/** Null without one. Of an occupant it is the nick, which may hold `@` and `/`. */
export function resourceOf(jid: string): string | null {
  const slash = jid.indexOf("/");
  return slash === -1 ? null : jid.slice(slash + 1);
}

export function domainOf(jid: string): string {
  const bare = bareOf(jid);
  return bare.slice(bare.indexOf("@") + 1);
}

/** Null without one. */
export function localOf(jid: string): string | null {
  const bare = bareOf(jid);
  const at = bare.indexOf("@");
  return at === -1 ? null : bare.slice(0, at);
}

/** Address of a room by the name that a configuration has: `room`, or `room@service`. */
export function roomJid(name: string, service: string): string {
  return (name.includes("@") ? name : `${name}@${service}`).toLowerCase();
}

/** A part of RFC 7622 §3 may have 1023 bytes. */
const PART_MAX = 1023;

/** Whether this can be the address of a room. */
export function isRoomJid(jid: string): boolean {
  return /^[^\p{Cc}\p{Zs}"&'/:<>@]+@[^\p{Cc}\p{Zs}"&'/<>@]+$/u.test(jid) && Buffer.byteLength(jid) <= PART_MAX;
}
