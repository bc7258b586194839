import path from "node:path";
import {
  type APIAttachment,
  type APIEmbed,
  type APIMessage,
  type APIPartialEmoji,
  ChannelType,
  EmbedType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
} from "discord-api-types/v10";
import { timeOf } from "./clock.ts";
import type { Draft } from "./draft.ts";
import { channelRights, entered, may } from "./permissions.ts";
import { mentionsOf } from "./mentions.ts";
import { reactionOf, showChannel } from "./show.ts";
import { badField, type ChannelRow, keyOf, type MessageRow, no, tooSoon, type APIUser, type Upload } from "./wire.ts";
import type { WebhookRow } from "./wire.ts";
import type { World } from "./world.ts";

/** For so long a repeated nonce is answered with the first message; the network only says "a few minutes". */
const NONCE_MS = 60_000;
/** Of so many messages. */
const NONCE_ROWS = 1000;
const REACTIONS_MAX = 20;
const BULK_AGE_MS = 14 * 24 * 3_600_000;

const SPOKEN: ReadonlySet<number> = new Set([
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.AnnouncementThread,
]);

/** Who writes: a user, or somebody of a webhook's making. */
export interface Author {
  readonly user: APIUser;
  readonly hook?: WebhookRow;
}

/** Writing, changing and taking back messages, and everybody who is told of it. */
export class Messages {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** A message of a user, who may have to be allowed to. */
  post(me: string, channel: string, draft: Draft): MessageRow {
    const place = entered(this.#world, channel, me);
    const right = place.thread === null ? "SendMessages" : "SendMessagesInThreads";
    entered(this.#world, channel, me, right);
    if ((draft.files ?? []).length > 0) entered(this.#world, channel, me, "AttachFiles");
    this.#checkPace(me, place);
    return this.create({ user: this.#world.user(me) }, place, draft);
  }

  create(author: Author, channel: ChannelRow, draft: Draft, id = this.#world.clock.id()): MessageRow {
    if (!SPOKEN.has(channel.type)) throw no("nonText");
    const old = this.#repeated(author, channel, draft);
    if (old !== undefined) return old;
    const { content = "", embeds = [], files = [], more = {}, flags = 0 } = draft;
    const forward = draft.reference?.type === MessageReferenceType.Forward;
    const other = [more.components, more.sticker_items, more.poll, more.type].some((part) => part !== undefined);
    if (content === "" && embeds.length === 0 && files.length === 0 && !other && !forward) throw no("empty");
    this.#checkSizes(channel.guild, files);
    this.#reopen(channel, author);
    if (author.hook === undefined) this.#world.typists.get(channel.id)?.delete(author.user.id);
    const attachments = files.map((file) => this.#store(channel, file));
    const wire: APIMessage = {
      type: MessageType.Default,
      id,
      channel_id: channel.id,
      author: author.user,
      content,
      timestamp: this.#world.clock.iso(),
      edited_timestamp: null,
      tts: false,
      mention_everyone: false,
      mentions: [],
      mention_roles: [],
      attachments,
      embeds: (flags & MessageFlags.SuppressEmbeds) === 0 ? embeds.map(rich) : [],
      pinned: false,
      components: [],
      flags,
      ...more,
      ...(author.hook !== undefined && { webhook_id: author.hook.id }),
      ...(typeof author.hook?.application === "string" && { application_id: author.hook.application }),
      ...this.#referenced(author, channel, draft),
    };
    Object.assign(wire, mentionsOf(this.#world, channel, author, wire, draft.allowed));
    const { guild } = channel;
    const row: MessageRow = { id, channel: channel.id, guild, wire, nonce: draft.nonce ?? null, reactions: [] };
    this.#world.messages.set(id, row);
    const history = this.#world.history.get(channel.id);
    if (history === undefined) this.#world.history.set(channel.id, [id]);
    else history.push(id);
    channel.lastMessage = id;
    if (channel.thread !== null) channel.thread.count += 1;
    this.#world.hub.tellMessage("MESSAGE_CREATE", row, channel);
    return row;
  }

  /** Changes a message; who may is asked before. */
  change(row: MessageRow, draft: Draft, author: Author): void {
    const channel = this.#open(row.channel);
    const { wire } = row;
    const files = draft.files ?? [];
    this.#checkSizes(row.guild, files);
    const kept = wire.attachments.filter(({ id }) => draft.keep === undefined || draft.keep.includes(id));
    const next: APIMessage = {
      ...wire,
      ...draft.more,
      content: draft.content ?? wire.content,
      embeds: draft.embeds?.map(rich) ?? wire.embeds,
      attachments: [...kept, ...files.map((file) => this.#store(channel, file))],
      flags: draft.flags ?? wire.flags ?? 0,
    };
    if (next.content === "" && next.embeds.length === 0 && next.attachments.length === 0) {
      if ((next.components ?? []).length === 0) throw no("empty");
    }
    Object.assign(next, mentionsOf(this.#world, channel, author, next, draft.allowed));
    next.edited_timestamp = this.#world.clock.iso();
    row.wire = next;
    this.#world.hub.tellMessage("MESSAGE_UPDATE", row, channel);
  }

  edit(me: string, channel: string, id: string, draft: Draft): MessageRow {
    entered(this.#world, channel, me);
    const row = this.#world.message(channel, id);
    if (row.wire.type !== MessageType.Default && row.wire.type !== MessageType.Reply) throw no("systemMessage");
    if (row.wire.author.id !== me) throw no("notYours");
    this.change(row, draft, { user: row.wire.author });
    return row;
  }

  /** The preview of a link has come: an update that is no edit. */
  unfurl(row: MessageRow, embeds: APIMessage["embeds"]): void {
    row.wire = { ...row.wire, embeds };
    this.#world.hub.tellMessage("MESSAGE_UPDATE", row, this.#open(row.channel));
  }

  erase(me: string, channel: string, id: string): void {
    entered(this.#world, channel, me);
    const row = this.#world.message(channel, id);
    if (row.wire.author.id !== me) entered(this.#world, channel, me, "ManageMessages");
    this.remove(row);
  }

  remove(row: MessageRow): void {
    const channel = this.#open(row.channel);
    this.#forget(row);
    const data = { id: row.id, channel_id: row.channel, guild_id: row.guild };
    this.#world.hub.tell("MESSAGE_DELETE", row.guild, data, { channel });
  }

  removeMany(me: string, id: string, ids: readonly string[]): void {
    const channel = entered(this.#world, id, me, "ManageMessages");
    if (ids.length < 2 || ids.length > 100) throw no("bulkCount");
    if (ids.some((one) => timeOf(one) < this.#world.now() - BULK_AGE_MS)) throw no("bulkOld");
    const rows = ids.flatMap((one) => this.#world.messages.get(one) ?? []).filter((row) => row.channel === id);
    for (const row of rows) this.#forget(row);
    const data = { ids: rows.map((row) => row.id), channel_id: id, guild_id: channel.guild };
    this.#world.hub.tell("MESSAGE_DELETE_BULK", channel.guild, data, { channel });
  }

  react(me: string, channel: string, id: string, emoji: APIPartialEmoji): void {
    entered(this.#world, channel, me, "ReadMessageHistory");
    const row = this.#world.message(channel, id);
    const place = this.#open(channel);
    let reaction = reactionOf(row, keyOf(emoji));
    if (reaction === undefined || reaction.users.length === 0) {
      entered(this.#world, channel, me, "AddReactions");
      if (row.reactions.filter(({ users }) => users.length > 0).length >= REACTIONS_MAX) throw no("maxReactions");
    }
    if (this.#world.blocks.has(`${row.wire.author.id} ${me}`)) throw no("blocked");
    if (reaction === undefined) row.reactions.push((reaction = { emoji, users: [] }));
    if (reaction.users.includes(me)) return;
    reaction.users.push(me);
    const member = this.#world.guild(row.guild).members.get(me);
    const data = { ...this.#aboutReaction(row, emoji), user_id: me, member, message_author_id: row.wire.author.id };
    this.#world.hub.tell("MESSAGE_REACTION_ADD", row.guild, { ...data, burst: false, type: 0 }, { channel: place });
  }

  unreact(me: string, channel: string, id: string, emoji: APIPartialEmoji, whose: string): void {
    entered(this.#world, channel, me, ...(whose === me ? [] : (["ManageMessages"] as const)));
    const row = this.#world.message(channel, id);
    const place = this.#open(channel);
    const reaction = reactionOf(row, keyOf(emoji));
    if (reaction?.users.includes(whose) !== true) throw no("unknownMessage");
    reaction.users.splice(reaction.users.indexOf(whose), 1);
    const data = { ...this.#aboutReaction(row, emoji), user_id: whose, burst: false, type: 0 };
    this.#world.hub.tell("MESSAGE_REACTION_REMOVE", row.guild, data, { channel: place });
  }

  /** Takes away all reactions, or all with one emoji. */
  clear(me: string, channel: string, id: string, emoji?: APIPartialEmoji): void {
    const place = entered(this.#world, channel, me, "ManageMessages");
    const row = this.#world.message(channel, id);
    for (const reaction of row.reactions) {
      if (emoji === undefined || keyOf(reaction.emoji) === keyOf(emoji)) reaction.users.length = 0;
    }
    const data = { channel_id: channel, message_id: id, guild_id: row.guild, ...(emoji !== undefined && { emoji }) };
    const event = emoji === undefined ? "MESSAGE_REACTION_REMOVE_ALL" : "MESSAGE_REACTION_REMOVE_EMOJI";
    this.#world.hub.tell(event, row.guild, data, { channel: place });
  }

  pin(me: string, channel: string, id: string, on: boolean): void {
    const place = entered(this.#world, channel, me, "ManageMessages");
    const row = this.#world.message(channel, id);
    const pins = this.#world.pins.get(channel) ?? new Map<string, string>();
    this.#world.pins.set(channel, pins);
    if (pins.has(id) === on) return;
    if (on && pins.size >= 50) throw no("maxPins");
    if (on) pins.set(id, this.#world.clock.iso());
    else pins.delete(id);
    place.lastPin = this.#world.clock.iso();
    this.#world.hub.tellMessage("MESSAGE_UPDATE", row, place);
    const data = { channel_id: channel, guild_id: row.guild, last_pin_timestamp: place.lastPin };
    this.#world.hub.tell("CHANNEL_PINS_UPDATE", row.guild, data, { channel: place });
    if (!on) return;
    const reference = { type: MessageReferenceType.Default, channel_id: channel, message_id: id, guild_id: row.guild };
    const more = { type: MessageType.ChannelPinnedMessage, message_reference: reference };
    this.create({ user: this.#world.user(me) }, place, { more });
  }

  /** The channel, in which something is changed: archived threads are as they are. */
  #open(id: string): ChannelRow {
    const channel = this.#world.channels.get(id);
    if (channel === undefined) throw no("unknownChannel");
    if (channel.thread?.meta.archived === true) throw no("archived");
    return channel;
  }

  /** Whoever writes in an archived thread opens it, unless it is locked. */
  #reopen(channel: ChannelRow, { user, hook }: Author): void {
    const { thread } = channel;
    if (thread?.meta.archived !== true) return;
    const moderates = hook === undefined && may(this.#world, channel, user.id, "ManageThreads");
    if (thread.meta.locked && !moderates) throw no("archived");
    thread.meta = { ...thread.meta, archived: false, archive_timestamp: this.#world.clock.iso() };
    this.#world.hub.tell("THREAD_UPDATE", channel.guild, showChannel(this.#world, channel), { channel });
  }

  #repeated({ user, hook }: Author, channel: ChannelRow, { nonce, enforceNonce }: Draft): MessageRow | undefined {
    if (nonce === undefined || enforceNonce !== true || hook !== undefined) return undefined;
    const begin = this.#world.now() - NONCE_MS;
    return (this.#world.history.get(channel.id) ?? [])
      .slice(-NONCE_ROWS)
      .flatMap((id) => this.#world.messages.get(id) ?? [])
      .find((row) => row.nonce === nonce && row.wire.author.id === user.id && timeOf(row.id) > begin);
  }

  #referenced({ user }: Author, channel: ChannelRow, { reference }: Draft): Partial<APIMessage> {
    if (reference === undefined) return {};
    const { type, message, mustExist } = reference;
    const at = reference.channel ?? channel.id;
    const other = this.#world.messages.get(message);
    const ids = { channel_id: at, message_id: message, guild_id: channel.guild };
    if (type === MessageReferenceType.Forward) {
      if (other === undefined || other.channel !== at) throw no("unknownMessage");
      if ((channelRights(this.#world, channel, user.id) & 1024n) === 0n) throw no("missingAccess");
      const { content, embeds, attachments, timestamp, edited_timestamp, mentions, mention_roles } = other.wire;
      const { flags = 0, components = [], sticker_items: stickers = [] } = other.wire;
      const snapshot = { type: other.wire.type, content, embeds, attachments, timestamp, edited_timestamp, flags };
      const rest = { mentions, mention_roles, components, sticker_items: stickers };
      return {
        flags: MessageFlags.HasSnapshot,
        message_reference: { type: MessageReferenceType.Forward, ...ids },
        message_snapshots: [{ message: { ...snapshot, ...rest } }],
      };
    }
    if (other === undefined || other.channel !== channel.id) {
      if (!mustExist) return {};
      throw badField("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message");
    }
    if (other.wire.type !== MessageType.Default && other.wire.type !== MessageType.Reply) {
      throw badField("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message");
    }
    return { type: MessageType.Reply, message_reference: { type: MessageReferenceType.Default, ...ids } };
  }

  /** In a channel with slow mode. */
  #checkPace(me: string, place: ChannelRow): void {
    const world = this.#world;
    if (place.slowS === 0 || (world.apps.has(me) && !world.slowsBots)) return;
    if (may(world, place, me, "BypassSlowmode")) return;
    const mine = (world.history.get(place.id) ?? []).findLast((id) => world.messages.get(id)?.wire.author.id === me);
    const wait = mine === undefined ? 0 : timeOf(mine) + place.slowS * 1000 - world.now();
    if (wait > 0) throw tooSoon(wait / 1000);
  }

  #checkSizes(guild: string, files: readonly Upload[]): void {
    const most = this.#world.maxFileOf(guild);
    if (files.some(({ content }) => content.length > most)) throw no("tooLarge");
  }

  #store(channel: ChannelRow, upload: Upload): APIAttachment {
    const id = this.#world.clock.id();
    this.#world.files.set(id, { upload, channel: channel.id });
    const filename = fileNameOf(upload.name);
    const shown = filename === upload.name ? {} : { title: path.parse(upload.name).name };
    return {
      id,
      filename,
      ...shown,
      size: upload.content.length,
      url: "",
      proxy_url: "",
      ...(upload.mime !== undefined && { content_type: upload.mime }),
      ...(upload.description !== undefined && { description: upload.description }),
      ...upload.more,
    };
  }

  #aboutReaction(row: MessageRow, emoji: APIPartialEmoji): object {
    return { channel_id: row.channel, message_id: row.id, guild_id: row.guild, emoji };
  }

  #forget(row: MessageRow): void {
    this.#world.messages.delete(row.id);
    this.#world.pins.get(row.channel)?.delete(row.id);
  }
}

/** What stands in the address of a file; where that is not its name, the name is its title. */
const fileNameOf = (name: string): string =>
  name.replaceAll(/\s/gu, "_").replaceAll(/[^\p{L}\p{N}._-]/gu, "") || "unknown";

const rich = (embed: APIEmbed): APIEmbed => ({ type: EmbedType.Rich, ...embed });
