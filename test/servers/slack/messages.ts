import type { FileSharedEvent, ReactionAddedEvent, ReactionRemovedEvent } from "@slack/types";
import { byTs, micros, newSecret } from "./clock.ts";
import type { Hub } from "./hub.ts";
import { richText, stored } from "./mrkdwn.ts";
import { showMessage } from "./show.ts";
import {
  type AppRow,
  type ChannelRow,
  lengthOf,
  type MessageRow,
  type Metadata,
  no,
  type WireBlock,
  type WireMessage,
} from "./wire.ts";
import type { World } from "./world.ts";

/** The server cuts longer texts into several messages. */
const TEXT = 4000;
/** And drops what is behind this. */
const TEXT_ALL = 40_000;

type Reacted = Omit<ReactionAddedEvent, "type" | "item_user"> & Partial<Pick<ReactionAddedEvent, "item_user">>;

/** What somebody wants to say. */
export interface Draft {
  readonly text: string;
  readonly blocks?: WireBlock[] | undefined;
  readonly attachments?: Record<string, unknown>[] | undefined;
  readonly thread?: string | undefined;
  readonly broadcast?: boolean;
  readonly metadata?: Metadata | undefined;
  /** Ids. */
  readonly files?: readonly string[];
  /** Fields of the message that depend on who says it and how. */
  readonly more: Partial<WireMessage>;
}

/** What is said in channels, and what becomes of it. Everybody who may hear of it is told. */
export class Messages {
  readonly #world: World;
  readonly #hub: Hub;

  constructor(world: World, hub: Hub) {
    this.#world = world;
    this.#hub = hub;
  }

  /** Stores it, in several messages where it is too long; the first of them. Throws refusals. */
  post(channel: ChannelRow, draft: Draft): MessageRow {
    const plain = draft.blocks === undefined && draft.attachments === undefined && (draft.files ?? []).length === 0;
    const text = Array.from(stored(draft.text)).slice(0, TEXT_ALL).join("");
    const [first = "", ...rest] = plain ? cut(text) : [text];
    const row = this.#store(channel, draft, first);
    for (const part of rest) this.#store(channel, draft, part);
    return row;
  }

  #store(channel: ChannelRow, draft: Draft, text: string): MessageRow {
    const root = draft.thread === undefined ? undefined : this.#rootFor(channel, draft.thread);
    const ts = this.#world.clock.ts();
    const hasText = text !== "" && draft.more.subtype !== "me_message";
    const blocks = draft.blocks ?? (hasText ? [richText(text)] : undefined);
    const isBroadcast = root !== undefined && draft.broadcast === true;
    const author = root?.wire.user ?? root?.wire.bot_id;
    const wire: WireMessage = {
      type: "message",
      ts,
      text,
      ...draft.more,
      ...(blocks !== undefined && { blocks }),
      ...(draft.attachments !== undefined && { attachments: draft.attachments }),
      ...(draft.metadata !== undefined && { metadata: draft.metadata }),
      ...(root !== undefined && { thread_ts: root.wire.ts }),
      ...(root !== undefined && !isBroadcast && author !== undefined && { parent_user_id: author }),
      ...(isBroadcast && { subtype: "thread_broadcast", root: { type: "message", ts: root.wire.ts } }),
    };
    const row: MessageRow = { channel: channel.id, wire, reactions: [], replies: [], files: [...(draft.files ?? [])] };
    channel.messages.set(ts, row);
    root?.replies.push(ts);
    for (const id of row.files) this.#share(channel, row, id);
    this.#tell(channel, this.shown(row));
    return row;
  }

  /** A line of the server itself, which has no blocks. */
  announce(channel: ChannelRow, said: Partial<WireMessage>): void {
    const wire: WireMessage = { type: "message", ts: this.#world.clock.ts(), ...said };
    const row: MessageRow = { channel: channel.id, wire, reactions: [], replies: [], files: [] };
    channel.messages.set(wire.ts, row);
    this.#tell(channel, this.shown(row));
  }

  /** What the account of an app says of itself in its messages. */
  signed(app: AppRow): Partial<WireMessage> {
    const icon = (size: number): string => `${this.#world.site}/avatars/${app.botId}_${size}.png`;
    return {
      user: app.user.id,
      bot_id: app.botId,
      app_id: app.id,
      team: app.team,
      bot_profile: {
        id: app.botId,
        app_id: app.id,
        name: app.name,
        team_id: app.team,
        icons: { image_36: icon(36), image_48: icon(48), image_72: icon(72) },
        updated: this.#world.clock.seconds(),
        deleted: false,
      },
    };
  }

  /** Changes what is said, and by whom it was changed. Throws refusals. */
  edit(row: MessageRow, user: string, change: Partial<Draft>): void {
    const before = this.shown(row);
    const text = change.text === undefined ? (row.wire.text ?? "") : stored(change.text);
    if (lengthOf(text) > TEXT) throw no("msg_too_long");
    const { blocks: old, edited: _, ...kept } = row.wire;
    const made = change.text === undefined ? old : text === "" ? undefined : [richText(text) as WireBlock];
    const blocks = change.blocks ?? made;
    row.wire = {
      ...kept,
      text,
      ...(blocks !== undefined && { blocks }),
      ...(change.attachments !== undefined && { attachments: change.attachments }),
      ...(change.metadata !== undefined && { metadata: change.metadata }),
      edited: { user, ts: `${this.#world.clock.seconds()}.000000` },
    };
    if (change.files !== undefined) row.files = [...change.files];
    this.#changed(row, before);
  }

  /** What the server adds to a message by itself, as the picture of a page that is linked: no edit. */
  touch(row: MessageRow, more: Partial<WireMessage>): void {
    const before = this.shown(row);
    row.wire = { ...row.wire, ...more };
    this.#changed(row, before);
  }

  /** A file is deleted: its messages have a mark in its place. */
  loseFile(id: string): void {
    const channels = [...this.#world.channels.values()];
    const rows = channels.flatMap(({ messages }) => Array.from(messages.values()));
    const losing = rows.filter(({ files }) => files.includes(id)).map((row) => ({ row, before: this.shown(row) }));
    this.#world.files.delete(id);
    for (const { row, before } of losing) this.#changed(row, before);
  }

  /** A root that has replies leaves a stone. */
  erase(row: MessageRow): void {
    const channel = this.#world.channel(row.channel);
    const { ts, thread_ts: thread } = row.wire;
    const before = this.shown(row);
    if (row.replies.length > 0) {
      const words = "This message was deleted.";
      row.wire = { type: "message", subtype: "tombstone", hidden: true, user: "USLACKBOT", text: words, ts };
      row.files = [];
      this.#changed(row, before);
      // The server tells of the replies, too, in which nothing has changed but what they answer.
      for (const reply of row.replies) {
        const one = channel.messages.get(reply);
        if (one !== undefined) this.#changed(one, this.shown(one));
      }
      return;
    }
    channel.messages.delete(ts);
    const root = thread === undefined ? undefined : channel.messages.get(thread);
    if (root !== undefined && root !== row) root.replies.splice(root.replies.indexOf(ts), 1);
    const gone = { subtype: "message_deleted", hidden: true, deleted_ts: ts, previous_message: before };
    this.#tell(channel, { type: "message", ts: this.#world.clock.ts(), ...gone });
  }

  react(row: MessageRow, user: string, name: string): void {
    const there = row.reactions.find((one) => one.name === name);
    if (there?.users.includes(user) === true) throw no("already_reacted");
    if (there === undefined && row.reactions.length >= 23) throw no("too_many_emoji");
    if (there === undefined) row.reactions.push({ name, users: [user] });
    else there.users.push(user);
    this.#reacted("reaction_added", row, user, name);
  }

  unreact(row: MessageRow, user: string, name: string): void {
    const there = row.reactions.find((one) => one.name === name);
    if (there?.users.includes(user) !== true) throw no("no_reaction");
    there.users.splice(there.users.indexOf(user), 1);
    if (there.users.length === 0) row.reactions.splice(row.reactions.indexOf(there), 1);
    this.#reacted("reaction_removed", row, user, name);
  }

  /** As everybody is told of it, without metadata. */
  shown(row: MessageRow): WireMessage {
    const { metadata: _, ...rest } = showMessage(this.#world, row, false);
    return rest;
  }

  /** Messages of the channel itself, oldest first: no replies but those that are shown there as well. */
  inChannel(channel: ChannelRow): MessageRow[] {
    return [...channel.messages.values()]
      .filter(({ wire }) => {
        const isReply = wire.thread_ts !== undefined && wire.thread_ts !== wire.ts;
        return !isReply || wire.subtype === "thread_broadcast";
      })
      .sort((one, other) => byTs(one.wire, other.wire));
  }

  #rootFor(channel: ChannelRow, thread: string): MessageRow {
    const root = channel.messages.get(thread);
    if (root === undefined) throw no("thread_not_found");
    // A reply is no root: what answers it would be seen by nobody.
    if (root.wire.thread_ts !== undefined && root.wire.thread_ts !== root.wire.ts) throw no("cannot_reply_to_message");
    return root;
  }

  #share(channel: ChannelRow, { wire }: MessageRow, id: string): void {
    const file = this.#world.files.get(id);
    if (file === undefined) return;
    const kind = channel.isPrivate ? "private" : "public";
    const thread = wire.thread_ts === undefined ? {} : { thread_ts: wire.thread_ts };
    const share = { ts: wire.ts, channel_name: channel.name, team_id: channel.team, ...thread };
    const old = file.wire.shares?.[kind] ?? {};
    const shares = { ...old, [channel.id]: [...(old[channel.id] ?? []), share] };
    const where = channel.isPrivate ? "groups" : "channels";
    file.wire = {
      ...file.wire,
      shares: { ...file.wire.shares, [kind]: shares },
      [where]: [...new Set([...(file.wire[where] ?? []), channel.id])],
    };
    const event = {
      type: "file_shared",
      file_id: id,
      user_id: file.user,
      file: { id },
      channel_id: channel.id,
      event_ts: wire.ts,
    } satisfies FileSharedEvent;
    this.#hub.publish("file_shared", event, { team: channel.team, channel: channel.id });
  }

  #changed(row: MessageRow, before: WireMessage): void {
    const message = this.shown(row);
    const change = { subtype: "message_changed", hidden: true, message, previous_message: before };
    this.#tell(this.#world.channel(row.channel), { type: "message", ts: this.#world.clock.ts(), ...change });
  }

  #reacted(
    type: (ReactionAddedEvent | ReactionRemovedEvent)["type"],
    row: MessageRow,
    user: string,
    reaction: string,
  ): void {
    const channel = this.#world.channel(row.channel);
    const item = { type: "message" as const, channel: row.channel, ts: row.wire.ts };
    // Who has a name of its own is nobody.
    const whose = row.wire.user === undefined ? {} : { item_user: row.wire.user };
    const event = { user, reaction, item, ...whose, event_ts: this.#world.clock.ts() } satisfies Reacted;
    this.#hub.publish(type, { type, ...event }, { team: channel.team, channel: channel.id });
  }

  #tell(channel: ChannelRow, message: WireMessage): void {
    const type = channel.isPrivate ? "group" : "channel";
    const event = { ...message, channel: channel.id, channel_type: type, event_ts: message.ts };
    const key = channel.isPrivate ? "message.groups" : "message.channels";
    this.#hub.publish(key, event, { team: channel.team, channel: channel.id });
  }
}

/** Cuts at the end of a line or a word where there is one in the last part. */
function cut(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (lengthOf(rest) > TEXT) {
    const head = Array.from(rest).slice(0, TEXT).join("");
    const at = Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" "));
    const end = at > head.length / 2 ? at : head.length;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^[ \n]/, "");
  }
  return [...parts, rest];
}

/** A message between two times, the bounds of which are in it or not. */
export function between(ts: string, oldest: string, latest: string, inclusive: boolean): boolean {
  const at = micros(ts) ?? 0n;
  const [from, to] = [micros(oldest === "" ? "0" : oldest), latest === "" ? null : micros(latest)];
  if (from === null) throw no("invalid_ts_oldest");
  if (latest !== "" && to === null) throw no("invalid_ts_latest");
  // Zero is no bound.
  const above = from === 0n || (inclusive ? at >= from : at > from);
  return above && (to === null || (inclusive ? at <= to : at < to));
}

/** What the clients of people put on their messages, so that each is stored once. */
export const clientId = (): string => `${newSecret(8)}-${newSecret(4)}-${newSecret(12)}`.toLowerCase();
