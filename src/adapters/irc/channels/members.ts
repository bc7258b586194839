import type { Isupport } from "../wire/isupport.ts";

/** Beyond so many people (all channels together) somebody's leaving the network is not told. */
const MEMBERS_MAX = 200_000;

/** No network has nicks as long as this. */
const NICK_MAX = 200;

/** Somebody, as lines of the server's have shown them. */
export interface IrcPerson {
  readonly nick: string;
  /** `user@host`; null: no line has said it. */
  readonly address: string | null;
  /** Has said so since we know of it (IRCv3 "away-notify"). */
  readonly away: boolean;
}

/** Who is in which channel; all by key. Channels are few, people are many. */
export class ChannelMembers {
  readonly #rooms = new Map<string, Map<string, IrcPerson>>();
  #count = 0;

  /** Channels in which we have seen this person. */
  channelsOf(nick: string): readonly string[] {
    return [...this.#rooms].filter(([, people]) => people.has(nick)).map(([channel]) => channel);
  }

  /** Empty for a channel that we are not in. */
  in(channel: string): readonly IrcPerson[] {
    return [...(this.#rooms.get(channel)?.values() ?? [])];
  }

  add(channel: string, nick: string, shown: Pick<IrcPerson, "nick" | "address">): void {
    if (this.#count >= MEMBERS_MAX || nick.length > NICK_MAX) return;
    const people = this.#rooms.get(channel) ?? new Map<string, IrcPerson>();
    this.#rooms.set(channel, people);
    const before = people.get(nick);
    if (before === undefined) this.#count += 1;
    people.set(nick, { away: false, ...before, nick: shown.nick, address: shown.address ?? before?.address ?? null });
  }

  /** A line shows the address of somebody in a channel. */
  learn(channel: string, nick: string, address: string | null): void {
    const people = this.#rooms.get(channel);
    const person = people?.get(nick);
    if (person !== undefined && address !== null && person.address !== address)
      people?.set(nick, { ...person, address });
  }

  /** Whether they can be reached. */
  away(nick: string, away: boolean): void {
    for (const people of this.#rooms.values()) {
      const person = people.get(nick);
      if (person !== undefined) people.set(nick, { ...person, away });
    }
  }

  remove(channel: string, nick: string): void {
    if (this.#rooms.get(channel)?.delete(nick) === true) this.#count -= 1;
  }

  quit(nick: string): void {
    for (const channel of this.#rooms.keys()) this.remove(channel, nick);
  }

  /** `nick`: as it is written now. */
  rename(from: string, to: string, nick: string): void {
    for (const channel of this.channelsOf(from)) {
      const before = this.#rooms.get(channel)?.get(from);
      this.remove(channel, from);
      this.add(channel, to, { nick, address: before?.address ?? null });
      if (before?.away === true) this.away(to, true);
    }
  }

  /** We are no longer there to see. */
  drop(channel: string): void {
    this.#count -= this.#rooms.get(channel)?.size ?? 0;
    this.#rooms.delete(channel);
  }
}

/**
 * The nick of one name in RPL_NAMREPLY, which has marks of rank before it and, by some servers, an address after it.
 */
export function nickOf(name: string, isupport: Pick<Isupport, "prefix">): string {
  return rankAndNick(name, isupport).nick;
}

/** `user@host` of the same name, null without one. */
export function addressOf(name: string): string | null {
  const at = name.indexOf("!");
  return at === -1 ? null : name.slice(at + 1) || null;
}

/** The same with the highest of its marks, which is the first (IRCv3 "multi-prefix"). */
export function rankedNickOf(name: string, isupport: Pick<Isupport, "prefix">): string {
  const { marks, nick } = rankAndNick(name, isupport);
  return nick === "" ? "" : marks.slice(0, 1) + nick;
}

function rankAndNick(name: string, { prefix }: Pick<Isupport, "prefix">): { marks: string; nick: string } {
  const known = new Set(prefix.values());
  let from = 0;
  while (from < name.length && known.has(name.charAt(from))) from += 1;
  return { marks: name.slice(0, from), nick: name.slice(from).split("!")[0] ?? "" };
}
