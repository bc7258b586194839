import type { RemoteFile } from "../../../contract/content.ts";
import type { Author, Event } from "../../../contract/events.ts";
import type { Clock } from "../../../contract/host.ts";
import { cut } from "../../../content/length.ts";
import { METADATA } from "../wire/caps.ts";
import type { ConnectionContext } from "../link.ts";
import type { IrcLine } from "../wire/wire.ts";

/** People of whom something is kept; the one known for longest goes first. */
const PEOPLE_MAX = 10_000;
const URL_MAX = 1024;
const NAME_MAX = 64;
/** Pixels of a side, where the address of a picture lets us choose. */
const PICTURE_SIZE = "256";
/** A server that names no time is asked again after this, and at most so often. */
const SYNC_MS = 30_000;
const SYNC_MAX_MS = 10 * 60_000;
const SYNCS_MAX = 5;

interface Profile {
  readonly url: string | null;
  readonly name: string | null;
}

/** What people say of themselves there (IRCv3 "Metadata"): a picture, and a name beside their nick. */
export class Profiles {
  readonly #link: ConnectionContext;
  readonly #clock: Clock;
  /** Whether names are shown. */
  readonly #showsNames: boolean;
  /** By nick. */
  readonly #people = new Map<string, Profile>();
  /** By channel: how often it was asked for again, and how to stop the next time. */
  readonly #syncs = new Map<string, { readonly count: number; readonly cancel: () => void }>();

  constructor(options: { readonly link: ConnectionContext; readonly clock: Clock; readonly showsNames: boolean }) {
    this.#link = options.link;
    this.#clock = options.clock;
    this.#showsNames = options.showsNames;
  }

  /** Learns from a line of the server's; before the membership of channels changes by it. */
  take({ command, params, source }: IrcLine, channelsOf: (nick: string) => readonly unknown[]): void {
    const nick = source?.nick ?? "";
    const [first = "", second = "", third = ""] = params;
    if (command === "METADATA") this.#learn(first, second, open(third, params[3]));
    else if (command === "761") this.#learn(second, third, open(params[3], params[4]));
    else if (command === "766") this.#learn(second, third, undefined);
    else if (command === "774") this.#syncLater(second, Number(third));
    else if (command === "NICK") this.#rename(nick, first);
    else if (command === "QUIT") this.#people.delete(this.#link.key(nick));
    // Profiles of people who share no channel with Rialto are ignored.
    else if (command === "PART" || command === "KICK") this.#left(command === "PART" ? nick : second, channelsOf);
  }

  /** The event with what is known of its author, who has this nick now. */
  shown(event: Event, nick: string): Event {
    const profile = event.kind === "posted" ? this.#people.get(this.#link.key(nick)) : undefined;
    if (event.kind !== "posted" || profile === undefined) return event;
    const { url, name } = profile;
    const author: Author = {
      ...event.author,
      ...(url !== null && { avatar: pictureAt(url) }),
      ...(this.#showsNames && name !== null && { name: `${name} (${event.author.name})` }),
    };
    return { ...event, author };
  }

  stop(): void {
    for (const { cancel } of this.#syncs.values()) cancel();
  }

  #learn(target: string, metadataKey: string, value: string | undefined): void {
    const nick = this.#link.key(target);
    const before = this.#people.get(nick) ?? { url: null, name: null };
    const key = metadataKey.toLowerCase();
    if (key !== "avatar" && key !== "display-name") return;
    const after = key === "avatar" ? { ...before, url: urlOf(value) } : { ...before, name: nameOf(value, target) };
    this.#people.delete(nick);
    if (after.url === null && after.name === null) return;
    const [oldest] = this.#people.keys();
    if (this.#people.size >= PEOPLE_MAX && oldest !== undefined) this.#people.delete(oldest);
    this.#people.set(nick, after);
  }

  #rename(from: string, to: string): void {
    const profile = this.#people.get(this.#link.key(from));
    this.#people.delete(this.#link.key(from));
    if (profile !== undefined) this.#people.set(this.#link.key(to), profile);
  }

  #left(nick: string, channelsOf: (nick: string) => readonly unknown[]): void {
    if (channelsOf(nick).length <= 1) this.#people.delete(this.#link.key(nick));
  }

  /** ERR_METADATASYNCLATER: the server has too much to say now. */
  #syncLater(channel: string, seconds: number): void {
    const key = this.#link.key(channel);
    const count = (this.#syncs.get(key)?.count ?? 0) + 1;
    this.#syncs.get(key)?.cancel();
    if (count > SYNCS_MAX) return;
    const ms = seconds > 0 ? Math.min(seconds * 1000, SYNC_MAX_MS) : SYNC_MS;
    const cancel = this.#clock.after(ms, () => {
      if (METADATA.some((name) => this.#link.has(name))) this.#link.send("METADATA", [channel, "SYNC"]);
    });
    this.#syncs.set(key, { count, cancel });
  }
}

/** What not everybody there may see is not for other networks. */
const open = (visibility: string | undefined, value: string | undefined): string | undefined =>
  visibility === "*" ? value : undefined;

const pictureAt = (url: string): RemoteFile => ({
  name: "avatar",
  comment: "",
  mime: null,
  bytes: null,
  url,
  ref: null,
});

/** Null for what is no address that others may be given. */
function urlOf(value: string | undefined): string | null {
  const text = (value ?? "").trim().replaceAll("{size}", PICTURE_SIZE);
  if (text.length > URL_MAX || !/^https:\/\//iu.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  return username === "" && password === "" ? href : null;
}

/** Null for what shows nothing beside the nick. */
function nameOf(value: string | undefined, nick: string): string | null {
  const words = (value ?? "")
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .replaceAll(HIDDEN, "")
    .trim();
  const name = cut(words, NAME_MAX, "codepoints").trim();
  return name === "" || name.toLowerCase() === nick.toLowerCase() ? null : name;
}

/** What is not seen or turns the direction of reading, and the signs that stand around the nick. */
const HIDDEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff()]/gu;
