import { hash } from "node:crypto";
import type { ChannelRef } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import type { TelegramDigests } from "./digests.ts";
import type { TelegramMessage } from "./model.ts";
import { fileMarks } from "./shared-files.ts";
import { contentWords, richBlocks } from "./words.ts";

const MESSAGES_MAX = 5_000;
const ALBUMS_MAX = 300;
const COMINGS_MAX = 2_000;
/** Who comes or goes is told in two ways, which come at the same time. */
const TWICE_MS = 60_000;

interface Told {
  readonly channel: ChannelRef;
  readonly digest: string;
  /** The album that it belongs to; empty: none, null: one that is not known any more. */
  readonly album: string | null;
}

/** What was told of late: the network tells changes that nobody sees, albums in parts, and comings twice. */
export class TelegramTold {
  readonly #messages = new Lru<string, Told>(MESSAGES_MAX);
  readonly #albums = new Lru<string, readonly TelegramMessage[]>(ALBUMS_MAX);
  readonly #comings = new Lru<string, { readonly isIn: boolean; readonly atMs: number }>(COMINGS_MAX);
  /** Of messages that an earlier session has told as well. */
  readonly #digests: TelegramDigests;

  constructor(digests: TelegramDigests) {
    this.#digests = digests;
  }

  /** A message, or the messages of an album together. */
  note(messages: readonly TelegramMessage[], channel: ChannelRef): void {
    const [first] = messages;
    const album = first === undefined || messages.length < 2 ? "" : keyOf(first);
    if (album !== "") this.#albums.set(album, messages);
    for (const message of messages) this.#note(message, channel, album);
  }

  /** Where a message stands; null: that is not known any more. */
  channelOf(chat: number, message: number): ChannelRef | null {
    return this.#messages.get(`${chat}/${message}`)?.channel ?? null;
  }

  /** Whether people see another message than was told. */
  isOther(message: TelegramMessage): boolean {
    const told = this.#messages.get(keyOf(message))?.digest ?? this.#digests.of(placeOf(message));
    return told !== digestOf(message);
  }

  /** A message was changed: it, or its album, as it is now. Null: that of the album is not known any more. */
  changed(message: TelegramMessage, channel: ChannelRef): readonly TelegramMessage[] | null {
    const told = this.#messages.get(keyOf(message));
    const album = told === undefined ? (message.group === "" ? "" : null) : told.album;
    this.#note(message, channel, album);
    if (album === "") return [message];
    const before = album === null ? undefined : this.#albums.get(album);
    if (album === null || before === undefined) return null;
    const now = before.map((one) => (one.id === message.id ? message : one));
    this.#albums.set(album, now);
    return now;
  }

  /** Whether nobody has told yet that somebody came or went. */
  isNewComing(chat: number, user: string, { isIn, atMs }: { readonly isIn: boolean; readonly atMs: number }): boolean {
    const before = this.#comings.get(`${chat}/${user}`);
    this.#comings.set(`${chat}/${user}`, { isIn, atMs });
    return before?.isIn !== isIn || Math.abs(atMs - before.atMs) > TWICE_MS;
  }

  #note(message: TelegramMessage, channel: ChannelRef, album: string | null): void {
    const digest = digestOf(message);
    this.#messages.set(keyOf(message), { channel, digest, album });
    this.#digests.note(placeOf(message), digest);
  }
}

const placeOf = ({ chat, id }: TelegramMessage) => ({ chat: chat.id, id });
const keyOf = ({ chat, id }: TelegramMessage): string => `${chat.id}/${id}`;

/** Of what people see: previews of links, keys below a message, votes and views change nothing. */
function digestOf({ raw }: TelegramMessage): string {
  const { text, entities } = contentWords(raw);
  const blocks = "rich_message" in raw ? [richBlocks(raw["rich_message"])] : [];
  return hash("sha1", JSON.stringify([text, entities, fileMarks(raw), ...blocks]), "base64url").slice(0, 12);
}
