import { bareOf } from "./jid.ts";
import { NS } from "./ns.ts";
import { attr, child, childText, type Stanza } from "./xml.ts";

/** Somebody in a room. */
export interface Occupant {
  readonly nick: string;
  /** Tells this person from whoever has the nick later. */
  readonly identity: string;
  /** Lower-case hex SHA-1 of the picture (XEP-0153), null when there is none or nobody said. */
  readonly avatar: string | null;
  readonly role: string;
  /** Says so, or to be left alone (RFC 6121 §4.7.2.1). */
  readonly away: boolean;
}

/** How a room tells people apart. */
export interface Telling {
  /** The room gives occupant ids (XEP-0421); otherwise those in a stanza are anybody's. */
  readonly occupantIds: boolean;
  /** Differs from session to session. */
  readonly nonce: string;
}

const OCCUPANTS_MAX = 20_000;
const AWAY: ReadonlySet<string> = new Set(["away", "xa", "dnd"]);

interface Seen {
  readonly occupantId: string | null;
  readonly real: string | null;
  /** Counts the joins of this session. */
  readonly count: number;
  readonly avatar: string | null;
  readonly role: string;
  readonly away: boolean;
}

/** Who is in one room, as its presences tell. */
export class Occupants {
  readonly #here = new Map<string, Seen>();
  #joins = 0;

  get(nick: string, telling: Telling): Occupant | null {
    const seen = this.#here.get(nick);
    return seen === undefined
      ? null
      : { nick, identity: identityOf(seen, telling), avatar: seen.avatar, role: seen.role, away: seen.away };
  }

  /** Ourselves too. */
  get nicks(): readonly string[] {
    return [...this.#here.keys()];
  }

  has(nick: string): boolean {
    return this.#here.has(nick);
  }

  clear(): void {
    this.#here.clear();
  }

  /** An available presence of this nick. */
  put(nick: string, presence: Stanza): void {
    const before = this.#here.get(nick);
    if (before === undefined) this.#joins += 1;
    if (before === undefined && this.#here.size >= OCCUPANTS_MAX) return;
    const item = itemOf(presence);
    const real = bareOf(attr(item, "jid")).toLowerCase();
    this.#here.set(nick, {
      occupantId: occupantIdIn(presence),
      real: real === "" ? null : real,
      count: before?.count ?? this.#joins,
      avatar: avatarOf(presence) ?? before?.avatar ?? null,
      role: attr(item, "role"),
      away: AWAY.has(childText(presence, "show") ?? ""),
    });
  }

  /** The same person under another nick. */
  rename(from: string, to: string): void {
    const seen = this.#here.get(from);
    this.#here.delete(from);
    if (seen !== undefined) this.#here.set(to, seen);
  }

  remove(nick: string): void {
    this.#here.delete(nick);
  }
}

/**
 * The occupant id; else the real address, where the room shows it to us; else which of the joins that we have seen it
 * was.
 */
function identityOf({ occupantId, real, count }: Seen, { occupantIds, nonce }: Telling): string {
  if (occupantIds && occupantId !== null) return `o:${occupantId}`;
  return real === null ? `n:${nonce}:${count}` : `j:${real}`;
}

export function itemOf(stanza: Stanza): Stanza | undefined {
  return child(child(stanza, "x", NS.mucUser), "item");
}

/** Status codes of a presence or a message (XEP-0045 §15.6.2). */
export function statusOf(stanza: Stanza): ReadonlySet<string> {
  const codes = child(stanza, "x", NS.mucUser)?.getChildren("status") ?? [];
  return new Set(codes.map((status) => attr(status, "code")));
}

/**
 * The occupant id of an element that the room itself has made or looked through, as an identity; null where the room
 * gives none.
 */
export function occupantIdentity(element: Stanza, { occupantIds }: Telling): string | null {
  const id = occupantIds ? occupantIdIn(element) : null;
  return id === null ? null : `o:${id}`;
}

function occupantIdIn(element: Stanza): string | null {
  // The room gives one and takes others away (XEP-0421 §4): of two nobody knows which is whose.
  const [id, ...more] = element.getChildren("occupant-id", NS.occupantId);
  return more.length > 0 ? null : attr(id, "id") || null;
}

function avatarOf(presence: Stanza): string | null {
  const photo = childText(child(presence, "x", NS.vcardUpdate), "photo");
  return photo !== null && /^[0-9a-f]{40}$/iu.test(photo) ? photo.toLowerCase() : null;
}
