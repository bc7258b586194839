import type { Event } from "../../contract/events.ts";
import { channelRef } from "./ids.ts";
import type { ChannelRef } from "../../contract/ids.ts";
import type { ChannelRequest } from "../../contract/session.ts";
import { Joining } from "../kit/joining.ts";
import { Memory } from "./memory.ts";
import { NS } from "./ns.ts";
import { type Occupant, Occupants } from "./occupants.ts";
import type { Received } from "./receive.ts";
import type { RoomView } from "./room-view.ts";

/** Messages whose ids are remembered, for those who speak of them. */
const RECENT_MAX = 2000;
/** Sets of emojis that are remembered, to tell what has changed. */
const REACTIONS_MAX = 2000;

/** A try to enter a room. */
export class RoomJoining extends Joining {
  readonly request: ChannelRequest;
  /** How many underscores the nick has. */
  conflicts = 0;

  constructor(request: ChannelRequest) {
    super();
    this.request = request;
  }
}

/** What came while the archive was read; it continues after that. */
export type Backlog = (
  | { readonly is: "message"; readonly received: Received }
  | { readonly is: "events"; readonly events: readonly Event[] }
)[];

/** One room of the account, over all the times that we enter it in a session. */
export class XmppRoom implements RoomView {
  readonly ref: ChannelRef;
  readonly jid: string;
  readonly nonce: string;
  /** `entered`: our own presence came, the rest of the entry may still come. */
  state: "out" | "asked" | "entered" | "in" = "out";
  ownNick: string;
  joining: RoomJoining | null = null;
  /**
   * We have asked to leave it for good: called when we are out. Nothing of it is handed over, and nothing more is
   * written to it.
   */
  leaving: (() => void) | null = null;
  /** Counts the entries: what an earlier one began must not continue in a later one. */
  entry = 0;
  features: ReadonlySet<string> = new Set();
  /** The room has said its features. */
  discovered = false;
  /** We were never there before: what the room tells of its past is not for us. */
  skipsPast = false;
  readonly occupants = new Occupants();
  /** Nicks of those who type. */
  readonly typing = new Set<string>();
  /** As the room has shown it since we entered; null: it has shown none. */
  subject: string | null = null;
  /** Null while messages go straight on. */
  backlog: Backlog | null = null;
  /** Resolves when all that was said before is read, so that we know what of ours is there. */
  ready: Promise<void> = Promise.resolve();
  /** When something of the room was seen last. */
  seenAtMs = 0;
  /** Our messages that the room has shown, with its ids for them. */
  readonly echoes = new Memory<string, string | null>(RECENT_MAX);
  readonly #ownJid: () => string;
  readonly #nicks = new Memory<string, string>(RECENT_MAX);
  readonly #authored = new Memory<string, true>(RECENT_MAX);
  readonly #reactions = new Memory<string, ReadonlySet<string>>(REACTIONS_MAX);

  /** `nonce` differs from session to session; `ownJid` is our own bare address. */
  constructor(jid: string, nick: string, nonce: string, ownJid: () => string) {
    this.ref = channelRef(jid);
    this.jid = jid;
    this.ownNick = nick;
    this.nonce = nonce;
    this.#ownJid = ownJid;
  }

  get stableIds(): boolean {
    return this.features.has(NS.sid) || this.hasArchive;
  }

  get occupantIds(): boolean {
    return this.features.has(NS.occupantId);
  }

  get hasArchive(): boolean {
    return this.features.has(NS.mam);
  }

  get tellsPast(): boolean {
    return !this.hasArchive;
  }

  get ownIdentity(): string {
    const identity = this.occupant(this.ownNick)?.identity ?? "";
    return identity.startsWith("o:") ? identity : `j:${this.#ownJid()}`;
  }

  occupant(nick: string): Occupant | null {
    return this.occupants.get(nick, this);
  }

  nickOf(identity: string): string | null {
    return this.occupants.nicks.find((nick) => this.occupant(nick)?.identity === identity) ?? null;
  }

  isKnown(sid: string): boolean {
    return this.#nicks.has(sid);
  }

  isBy(who: string, id: string): boolean {
    return this.#authored.has(`${who} ${id}`);
  }

  /** What a message tells, by what its author had said before: to be called once for each, in their order. */
  told({ who, events, reactions }: Received): readonly Event[] {
    if (reactions === null) return events;
    const key = `${who} ${reactions.message}`;
    const before = this.#reactions.get(key) ?? new Set();
    this.#reactions.put(key, reactions.emojis);
    return reactions.changes(before);
  }

  /** The address of whoever wrote a message that the room gave this id; null when that was too long ago. */
  authorOf(sid: string): string | null {
    const nick = this.#nicks.get(sid);
    return nick === undefined ? null : `${this.jid}/${nick}`;
  }

  /** Keeps what later messages may speak of. */
  remember({ sid, id, who, nick, own }: Received): void {
    if (sid !== null) this.#nicks.put(sid, nick);
    if (id !== null) this.#authored.put(`${who} ${id}`, true);
    if (id !== null && own) this.echoes.put(id, sid);
  }
}
