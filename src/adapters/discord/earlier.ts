import { createHash } from "node:crypto";
import type { SharedFile } from "../../contract/content.ts";
import type { OpId, Progress } from "../../contract/ids.ts";
import { Lru } from "../../lib/lru.ts";
import { MESSAGES_MAX } from "./api.ts";
import { isNamed } from "./attached.ts";
import type { DiscordLink, DiscordPostUnderWay } from "./link.ts";
import { type DiscordMessage, isLaterId } from "./model.ts";
import type { DiscordResult } from "./rest-result.ts";
import type { DiscordRoom } from "./room.ts";
import type { DiscordSpot } from "./threads.ts";

/** Of the history behind the floor; a post whose answer was lost is near its beginning. */
const PAGES_MAX = 20;
const CHANNELS_MAX = 2_000;
const DIGEST_LENGTH = 16;
/** Before all messages. */
const FIRST = "0";

/** What a message of ours looks like that was made for a part. */
export interface DiscordLook {
  readonly op: OpId;
  readonly upTo: Progress;
  readonly content: string;
  readonly files: readonly SharedFile[];
  /** The name of a webhook's message; null: the bot's. */
  readonly name: string | null;
}

/** A message, and the channel or thread that it is in. */
export interface DiscordFound extends Pick<DiscordMessage, "id" | "channel"> {
  /** Up to where it says the post, as it was cut when it left; null: as it is cut now. */
  readonly end: Progress | null;
}

/** What earlier tries made: found in the history, because webhooks know no key for a repeated post. */
export class DiscordEarlier {
  readonly #link: DiscordLink;
  /** The newest message of a channel that we have seen in its history or made. */
  readonly #newest = new Lru<string, string>(CHANNELS_MAX);

  constructor(link: DiscordLink) {
    this.#link = link;
  }

  /** We have made it, so what is made from now on is newer. */
  made(channel: string, id: string): void {
    if (isLaterId(id, this.#newest.get(channel) ?? "")) this.#newest.set(channel, id);
  }

  /**
   * The newest message of a channel. The history is asked once: after a restart the gateway may not have told yet of
   * what we posted before, and equal words among that must not be taken for ours.
   */
  async floorOf(
    { channel, begins }: DiscordSpot,
    room: DiscordRoom,
    signal: AbortSignal,
  ): Promise<DiscordResult<string>> {
    if (this.#newest.get(channel) === undefined) {
      const newest = begins === null ? await this.#last(channel, signal) : await this.#lastPost(room, signal);
      if (!newest.ok) return newest;
      this.#newest.set(channel, newest.value);
    }
    this.made(channel, this.#link.newest(channel));
    return { ok: true, value: this.#newest.get(channel) ?? FIRST };
  }

  /** The oldest message behind the floor that an earlier try can have made; null: there is none. */
  async find(
    under: DiscordPostUnderWay,
    { spot, room, look }: { readonly spot: DiscordSpot; readonly room: DiscordRoom; readonly look: DiscordLook },
    signal: AbortSignal,
  ): Promise<DiscordResult<DiscordFound | null>> {
    const known = this.#link.own.find(look);
    // It was there, even if somebody has deleted it since.
    if (known !== null)
      return { ok: true, value: { id: known, channel: spot.begins === null ? under.channel : known, end: null } };
    const candidates =
      spot.begins === null ? await this.#behind(under, look, signal) : await this.#posts(under, room, signal);
    if (!candidates.ok) return candidates;
    const free = candidates.value.filter((message) => this.#isFree(message, look));
    const found =
      free.find((message) => isLike(message, look) || isWhatLeft(message, under)) ??
      // It may have been edited by an op that came behind it.
      free.find((message) => message.editedMs !== null && isBy(message, look));
    if (found === undefined) return { ok: true, value: null };
    const { id, channel } = found;
    return { ok: true, value: { id, channel, end: isWhatLeft(found, under) ? under.end : null } };
  }

  #isFree(message: DiscordMessage, { op, upTo }: DiscordLook): boolean {
    if (!this.#link.own.isOurs(message)) return false;
    const part = this.#link.own.partOf(message.id);
    return part === null || (part.op === op && part.upTo === upTo);
  }

  /** Ours behind the floor, up to the page on which one is that fits. */
  async #behind(
    { channel, floor }: DiscordPostUnderWay,
    look: DiscordLook,
    signal: AbortSignal,
  ): Promise<DiscordResult<readonly DiscordMessage[]>> {
    const found: DiscordMessage[] = [];
    let after = floor === "" ? FIRST : floor;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const messages = await this.#link.api.messages(channel, { after, limit: MESSAGES_MAX }, signal);
      if (!messages.ok) return messages;
      found.push(...messages.value.filter((message) => this.#link.own.isOurs(message)));
      const last = messages.value.at(-1);
      if (last === undefined || messages.value.length < MESSAGES_MAX) break;
      if (found.some((message) => this.#isFree(message, look) && isLike(message, look))) break;
      after = last.id;
    }
    return { ok: true, value: found };
  }

  async #last(channel: string, signal: AbortSignal): Promise<DiscordResult<string>> {
    const messages = await this.#link.api.messages(channel, { limit: 1 }, signal);
    return messages.ok ? { ok: true, value: messages.value.at(-1)?.id ?? FIRST } : messages;
  }

  /** A forum has no messages: its posts are threads, which have the ids of their first messages. */
  async #lastPost(room: DiscordRoom, signal: AbortSignal): Promise<DiscordResult<string>> {
    const threads = await this.#postsOf(room, signal);
    return threads.ok ? { ok: true, value: threads.value.at(-1) ?? FIRST } : threads;
  }

  async #posts(
    { floor }: DiscordPostUnderWay,
    room: DiscordRoom,
    signal: AbortSignal,
  ): Promise<DiscordResult<readonly DiscordMessage[]>> {
    const threads = await this.#postsOf(room, signal);
    if (!threads.ok) return threads;
    const found: DiscordMessage[] = [];
    for (const id of threads.value.filter((id) => isLaterId(id, floor)).slice(0, MESSAGES_MAX)) {
      const first = await this.#link.api.message(id, id, signal);
      if (!first.ok && first.failure.status !== 404) return first;
      if (first.ok) found.push(first.value);
    }
    return { ok: true, value: found };
  }

  /** Active ones, the oldest first: what was made a moment ago is not archived. */
  async #postsOf(room: DiscordRoom, signal: AbortSignal): Promise<DiscordResult<readonly string[]>> {
    const threads = await this.#link.api.activeThreads(room.guild, signal);
    if (!threads.ok) return threads;
    const ids = threads.value.filter(({ parent }) => parent === room.id).map(({ id }) => id);
    return { ok: true, value: ids.toSorted((one, other) => (isLaterId(one, other) ? 1 : -1)) };
  }
}

/** By the same name: a webhook's message or the bot's own. */
function isBy({ webhook, author }: DiscordMessage, { name }: DiscordLook): boolean {
  return name === null ? webhook === "" : webhook !== "" && bare(author.username) === bare(name);
}

function isLike(message: DiscordMessage, look: DiscordLook): boolean {
  return isBy(message, look) && isSameText(message.content, look.content) && isSameFiles(message, look.files);
}

/** What a message was when it left, also if who says it is said in another way by now. */
export function digestOf({ name, content, files }: DigestFacts): string {
  const who = name === null ? null : bare(name);
  return createHash("sha256")
    .update(JSON.stringify([who, bare(content), files.length]))
    .digest("hex")
    .slice(0, DIGEST_LENGTH);
}

interface DigestFacts extends Pick<DiscordLook, "name" | "content"> {
  readonly files: { readonly length: number };
}

function isWhatLeft(message: DiscordMessage, { digest }: DiscordPostUnderWay): boolean {
  const { webhook, author, content, attachments } = message;
  return digest === digestOf({ name: webhook === "" ? null : author.username, content, files: attachments });
}

/** The network may write a name of a file anew, and a picture; hardly both at once. */
function isSameFiles({ attachments }: DiscordMessage, files: readonly SharedFile[]): boolean {
  if (attachments.length !== files.length) return false;
  return files.every((file, at) => {
    const there = attachments[at];
    if (there === undefined) return false;
    return isNamed(file, there) || (file.bytes !== null && there.bytes === file.bytes);
  });
}

/** What the network leaves as it is: neither white space nor what nobody sees counts. */
const bare = (text: string): string => text.normalize("NFC").replaceAll(/[\s\p{Cf}]+/gu, "");

const MENTION = /<@!?\d{1,20}>/;
/** As long as a name may be that was looked up once, and could not be another time. */
const NAME_MAX = 80;

/** Somebody who is mentioned in one of the texts may only be named in the other. */
function isSameText(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)];
  return a === b || isAround(a, b) || isAround(b, a);
}

/** Whether the pieces around the mentions of one text stand in the other, with not more than names between them. */
function isAround(withMentions: string, text: string): boolean {
  const [first = "", ...rest] = withMentions.split(MENTION);
  if (rest.length === 0 || !text.startsWith(first)) return false;
  let at = first.length;
  for (const [nth, piece] of rest.entries()) {
    const next = nth === rest.length - 1 ? text.length - piece.length : text.indexOf(piece, at);
    if (next < at || next - at > NAME_MAX || !text.startsWith(piece, next)) return false;
    at = next + piece.length;
  }
  return true;
}
