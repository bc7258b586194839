import type { DiscordNames } from "../../content/discord-names.ts";
import type { Author, Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import { Lru } from "../../lib/lru.ts";
import { MARGIN_MS } from "../kit/channel-positions.ts";
import { isObject, type Json, listIn, textIn } from "../kit/json.ts";
import type { DiscordFiles } from "./files.ts";
import { type KnownMessage, KnownMessages } from "./known-messages.ts";
import {
  discordMemberIn,
  type DiscordMessage,
  discordMessageIn,
  discordReactionIn,
  discordTimeOf,
  discordUserIn,
  isLaterId,
  snowflakeIn,
} from "./model.ts";
import type { OwnMessages } from "./own-messages.ts";
import { clean, type DiscordPeople } from "./people.ts";
import type { DiscordPositions } from "./positions.ts";
import {
  deleted,
  digestOf,
  type DiscordReceiveContext,
  edited,
  emojiOf,
  isHidden,
  isLoading,
  joins,
  leaves,
  reacted,
  renames,
  toEvent,
  topicChanged,
} from "./receive.ts";
import type { DiscordSettings } from "./settings.ts";
import { siteOf } from "./site.ts";
import type { ThreadFirsts } from "./thread-firsts.ts";

/** Of so many people it is known where they were heard. */
const HEARD_MAX = 3_000;
/** Edits of so many messages are kept that nobody has heard of yet. */
const EARLY_MAX = 200;
/** A greeting of the network that is as near to a coming that was told is the same. */
const GREETING_MS = 60_000;
/** `MessageType`: the network's greeting of who is new. */
const GREETING = 7;

/** Webhooks in channels. */
const SPOKE_MAX = 2_000;

/** So many people are looked up at once. */
const MEET_MAX = 8;

/** What the gateway tells of one channel. */
export interface ChannelEvent {
  readonly type: string;
  readonly data: Json;
}

/** Where it is: the joined channel, and the thread of it. */
export interface ChannelPlace {
  readonly room: string;
  readonly thread: string | null;
}

/** What happened in a channel, in its turn. `event`: to be read; null: `events` were read already. */
export interface LaneItem {
  readonly seq: number;
  /** The gateway session that counts so; null: one that cannot be taken up. */
  readonly session: object | null;
  readonly place: ChannelPlace;
  readonly event: ChannelEvent | null;
  readonly events: readonly Event[];
}

export interface DiscordReaderOptions {
  readonly host: Pick<Host, "clock">;
  readonly people: DiscordPeople;
  readonly own: OwnMessages;
  readonly positions: Pick<DiscordPositions, "channels" | "recent">;
  readonly files: Pick<DiscordFiles, "note">;
  readonly firsts: ThreadFirsts;
  readonly names: Pick<DiscordNames, "channel" | "role"> & { readonly hidden: (channel: string) => string | null };
  readonly settings: Pick<DiscordSettings, "ShowEmbeds" | "ApiURL">;
  /** Our own id. */
  readonly me: string;
  /** The network tells who comes and goes. */
  readonly membersIntent: boolean;
}

/** Reads events of channels, and remembers what later ones speak of. */
export class DiscordReader {
  readonly known = new KnownMessages();
  readonly #options: DiscordReaderOptions;
  /** In which rooms people are known by their names. */
  readonly #heard = new Lru<string, Set<string>>(HEARD_MAX);
  /** When somebody was told to come. */
  readonly #came = new Lru<string, number>(HEARD_MAX);
  /** Messages as they are after an edit, of which only the edit was told: they may be new, and come behind it. */
  readonly #early = new Lru<string, DiscordMessage>(EARLY_MAX);
  readonly #topics = new Map<string, string>();
  /** The last name under which a webhook has spoken in a channel or thread. */
  readonly #spoke = new Lru<string, string>(SPOKE_MAX);

  /** Up to where all was told when this session began, and the channels that were not as far. */
  readonly #at: string;
  readonly #behind: ReadonlyMap<string, string>;

  constructor(options: DiscordReaderOptions) {
    this.#options = options;
    const { channels } = options.positions;
    this.#at = channels.at;
    this.#behind = new Map(channels.ids.map((id) => [id, channels.sinceOf(id)]));
  }

  /** What has to be looked up before it can be read; null: nothing. */
  prepare({ type, data }: ChannelEvent, { thread }: ChannelPlace): Promise<unknown> | null {
    const { people, firsts } = this.#options;
    const user = textIn(data, "user_id") ?? "";
    if (type === "MESSAGE_REACTION_ADD") this.#meet(data["member"]);
    if (type === "MESSAGE_REACTION_ADD" || type === "MESSAGE_REACTION_REMOVE") {
      return people.isKnown(user) ? null : people.get(user);
    }
    if (type !== "MESSAGE_CREATE" || thread === null) return null;
    const message = discordMessageIn(data);
    if (message !== null) firsts.note(message, thread);
    return firsts.known(thread) === undefined ? firsts.find(thread) : null;
  }

  read({ type, data }: ChannelEvent, place: ChannelPlace): readonly Event[] {
    switch (type) {
      case "MESSAGE_CREATE":
        return this.#posted(discordMessageIn(data), place);
      case "MESSAGE_UPDATE":
        return this.#updated(discordMessageIn(data), place);
      case "MESSAGE_DELETE":
        return this.gone([snowflakeIn(data, "id")], place);
      case "MESSAGE_DELETE_BULK":
        return this.gone(
          listIn(data, "ids").map((id) => snowflakeIn({ id }, "id")),
          place,
        );
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE":
        return this.#reacted(data, type === "MESSAGE_REACTION_ADD", place);
      case "MESSAGE_REACTION_REMOVE_ALL":
      case "MESSAGE_REACTION_REMOVE_EMOJI":
        return this.#cleared(data, place);
      case "CHANNEL_UPDATE":
        return this.#topic(place.room, textIn(data, "topic") ?? "");
      default:
        return [];
    }
  }

  /** Who wrote messages of the history, which does not tell their names in the guild. Never rejects. */
  async meetWriters(messages: readonly DiscordMessage[]): Promise<void> {
    const { people } = this.#options;
    const writers = messages.filter(({ webhook }) => webhook === "").map(({ author }) => author.id);
    const unknown = [...new Set(writers)].filter((id) => !people.isKnown(id));
    for (let at = 0; at < unknown.length; at += MEET_MAX) {
      await Promise.all(unknown.slice(at, at + MEET_MAX).map(async (id) => await people.get(id)));
    }
  }

  /**
   * A message of the history: what it tells if nobody has heard it yet; what it speaks of is known from now on.
   * `since`: up to there the gateway was followed.
   */
  missed(message: DiscordMessage, place: ChannelPlace, since: string): Event | null {
    this.#note(message, place);
    if (this.known.isGone(message.id)) return null;
    if (message.type === GREETING && this.#isGreeted(message, since)) return null;
    const event = toEvent(message, this.#context(place));
    this.#told(message);
    this.#hear(event, place.room);
    return event;
  }

  changed(message: DiscordMessage, place: ChannelPlace): Event | null {
    this.#told(message);
    return edited(message, this.#context(place));
  }

  gone(ids: readonly string[], place: ChannelPlace): readonly Event[] {
    const { own, host, positions } = this.#options;
    const context = this.#context(place);
    return ids
      .filter((id) => id !== "")
      .map((id) => {
        this.known.gone(id);
        positions.recent.drop(place.thread ?? place.room, id);
        return deleted(id, { ours: own.isDeleting(id), atMs: host.clock.nowMs() }, context);
      });
  }

  /** Messages of a channel or thread that were told, in this session, and the newest of earlier ones. */
  toldOf(channel: string): readonly string[] {
    return [...new Set([...this.#options.positions.recent.of(channel), ...this.known.of(channel)])];
  }

  /** The topic that a room has when it is joined. */
  entered(room: string, topic: string): void {
    this.#topics.set(room, topic);
  }

  left(room: string): void {
    this.#topics.delete(room);
  }

  /** Somebody has come to the guild, and so to all rooms. */
  joined(data: Json, rooms: Iterable<string>): readonly Event[] {
    const { people, me, host } = this.#options;
    const member = discordMemberIn(data);
    if (member === null || member.user.id === me) return [];
    people.note(member);
    const atMs = Date.parse(textIn(data, "joined_at") ?? "") || host.clock.nowMs();
    this.#came.set(member.user.id, atMs);
    const author = people.author(member);
    const events = Array.from(rooms, (room) => joins(room, author, atMs, String(atMs)));
    for (const event of events) this.#hear(event, event.channel);
    return events;
  }

  removed(data: Json, rooms: Iterable<string>): readonly Event[] {
    const { people, me, host } = this.#options;
    const user = discordUserIn(data["user"]);
    if (user === null || user.id === me) return [];
    const author = people.author(people.known(user.id) ?? { user, nick: "", avatar: "", roles: [] });
    people.left(user.id);
    this.#heard.delete(user.id);
    return Array.from(rooms, (room) => leaves(room, author, host.clock.nowMs()));
  }

  /** Somebody has another name: it is told where people know the old one. */
  renamed(data: Json): readonly Event[] {
    const { people, me, host } = this.#options;
    const after = discordMemberIn(data);
    const before = after === null ? null : people.known(after.user.id);
    if (after === null || before === null) return [];
    people.note(after);
    const [old, author] = [people.nameOf(before), people.author(after)];
    if (old === author.name || after.user.id === me) return [];
    return Array.from(this.#heard.get(after.user.id) ?? [], (room) => renames(room, old, author, host.clock.nowMs()));
  }

  #posted(message: DiscordMessage | null, place: ChannelPlace): readonly Event[] {
    if (message === null) return [];
    this.#note(message, place);
    const known = this.known.get(message.id);
    const early = this.#early.get(message.id);
    if (this.known.isGone(message.id) || (known !== null && !known.loading && early === undefined)) return [];
    if (message.type === GREETING && this.#options.membersIntent) return [];
    this.#early.delete(message.id);
    const newest = early ?? message;
    const event = toEvent(newest, this.#context(place));
    this.#told(newest);
    this.#hear(event, place.room);
    return event === null ? [] : [event];
  }

  /** Without a newer edit it is a preview, a pin, the votes of a poll, a thread that begins with it. */
  #updated(message: DiscordMessage | null, place: ChannelPlace): readonly Event[] {
    if (message === null) return [];
    const known = this.known.get(message.id);
    if (known?.loading === true && !isLoading(message)) return this.#posted(message, place);
    this.#note(message, place);
    if (!isNewer(message, known) || this.known.isGone(message.id)) return [];
    if (known === null && (message.editedMs ?? 0) < this.#sinceMs(place.room)) return [];
    if (known === null || this.#early.get(message.id) !== undefined) this.#early.set(message.id, message);
    const event = this.changed(message, place);
    return event === null ? [] : [event];
  }

  /** An edit of before was told by an earlier session, if at all. */
  #sinceMs(room: string): number {
    return discordTimeOf(this.#behind.get(room) ?? this.#at) - MARGIN_MS;
  }

  #reacted(data: Json, on: boolean, place: ChannelPlace): readonly Event[] {
    const reaction = discordReactionIn(data);
    const [message, user] = [snowflakeIn(data, "message_id"), textIn(data, "user_id") ?? ""];
    if (reaction === null || message === "" || user === "") return [];
    const { emojiId, emojiName } = reaction;
    this.known.reacted(message, { user, emoji: emojiOf(reaction), emojiId, emojiName }, on);
    return [this.#reaction({ message, user, emojiId, emojiName, on }, place)];
  }

  /** Reactions of before this life cannot be named any more. */
  #cleared(data: Json, place: ChannelPlace): readonly Event[] {
    const message = snowflakeIn(data, "message_id");
    const emoji = isObject(data["emoji"]) ? discordReactionIn(data) : null;
    const all = this.known.reactionsTo(message, emoji === null ? null : emojiOf(emoji));
    return all.map((one) => {
      this.known.reacted(message, one, false);
      return this.#reaction({ ...one, message, on: false }, place);
    });
  }

  #reaction(
    {
      message,
      user,
      emojiId,
      emojiName,
      on,
    }: { message: string; user: string; emojiId: string | null; emojiName: string; on: boolean },
    place: ChannelPlace,
  ): Event {
    const { me, host } = this.#options;
    const emoji = { emojiId, emojiName };
    return reacted({ message, user, me, emoji, on, atMs: host.clock.nowMs() }, this.#context(place));
  }

  #topic(room: string, topic: string): readonly Event[] {
    const before = this.#topics.get(room);
    if (before === undefined || before === topic) return [];
    this.#topics.set(room, topic);
    return [topicChanged(room, topic, this.#options.host.clock.nowMs())];
  }

  #context(place: ChannelPlace): DiscordReceiveContext {
    const { people, own, firsts, names, settings } = this.#options;
    return {
      ...place,
      first: place.thread === null ? null : (firsts.known(place.thread) ?? null),
      showEmbeds: settings.ShowEmbeds,
      hidden: names.hidden(place.room) ?? names.hidden(place.thread ?? place.room),
      site: siteOf(settings),
      isOurs: (message) => own.isOurs(message),
      writer: (message) => people.writer(message),
      person: (user): Author => people.authorWith(user),
      nameOf: (member) => people.nameOf(people.known(member.user.id) ?? member),
      names: {
        channel: names.channel,
        role: names.role,
        user: (id) => {
          const member = people.known(id);
          if (member !== null) return people.nameOf(member);
          return this.#spoke.get(`${place.thread ?? place.room} ${id}`) ?? null;
        },
      },
    };
  }

  #note(message: DiscordMessage, { thread }: ChannelPlace): void {
    const { people, files, firsts } = this.#options;
    if (message.webhook === "" && message.member !== null) {
      people.note(message.member);
      // Only events tell what those are in the guild who are mentioned.
      for (const member of message.mentions) people.note(member);
    }
    if (message.webhook !== "")
      this.#spoke.set(`${message.channel} ${message.webhook}`, clean(message.author.username));
    files.note(message);
    firsts.note(message, thread);
  }

  #told(message: DiscordMessage): void {
    const { id, channel, editedMs } = message;
    this.known.told(id, { channel, editedMs: editedMs ?? 0, digest: digestOf(message), loading: isLoading(message) });
    if (!isHidden(message)) this.#options.positions.recent.keep(channel, id);
  }

  #meet(raw: unknown): void {
    const member = discordMemberIn(raw);
    if (member !== null) this.#options.people.note(member);
  }

  /** Who speaks in a room, or comes to it, is known there by name. */
  #hear(event: Event | null, room: string): void {
    if (event === null || event.echoOf !== null || (event.kind !== "posted" && event.kind !== "member")) return;
    const rooms = this.#heard.get(event.author.id) ?? new Set();
    rooms.add(room);
    this.#heard.set(event.author.id, rooms);
  }

  #isGreeted({ id, author, atMs }: DiscordMessage, since: string): boolean {
    // The coming itself was told then.
    if (this.#options.membersIntent && !isLaterId(id, since)) return true;
    return Math.abs((this.#came.get(author.id) ?? 0) - atMs) < GREETING_MS;
  }
}

/** Whether it was edited since it was told, be it within the same millisecond. */
function isNewer(message: DiscordMessage, known: KnownMessage | null): boolean {
  const { editedMs } = message;
  if (editedMs === null || known === null) return editedMs !== null;
  return editedMs > known.editedMs || (editedMs === known.editedMs && digestOf(message) !== known.digest);
}
