import {
  ChannelType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  ThreadAutoArchiveDuration,
} from "discord-api-types/v10";
import { type Draft, draftOf, tooLong } from "./draft.ts";
import type { Author, Messages } from "./messages.ts";
import { entered, inGuild, sees } from "./permissions.ts";
import { DONE, limitOf, type Routes } from "./requests.ts";
import { showChannel, showMessage, showThreadMember } from "./show.ts";
import { badField, type ChannelRow, type MessageRow, no, textOf } from "./wire.ts";
import type { World } from "./world.ts";

const DURATIONS: ReadonlySet<unknown> = new Set([60, 1440, 4320, 10_080]);

/** Threads: begun, written in, put away. */
export class Threads {
  readonly #world: World;
  readonly #messages: Messages;

  constructor(world: World, messages: Messages) {
    this.#world = world;
    this.#messages = messages;
  }

  /** A thread under a message, which has its id. */
  under(author: Author, row: MessageRow, name: string): ChannelRow {
    const parent = this.#parent(row.channel);
    if (this.#world.channels.has(row.id)) throw no("threadExists");
    const thread = this.#make(parent, name, ChannelType.PublicThread, author, row.id);
    row.wire = { ...row.wire, flags: (row.wire.flags ?? 0) | MessageFlags.HasThread };
    this.#world.hub.tellMessage("MESSAGE_UPDATE", row, parent);
    const ids = { channel_id: parent.id, message_id: row.id, guild_id: parent.guild };
    const more = { type: MessageType.ThreadStarterMessage, message_reference: { type: 0, ...ids } };
    this.#messages.create(author, thread, { more });
    thread.thread!.count = 0;
    return thread;
  }

  /** A thread of its own, which the channel shows by a message. */
  start(author: Author, parent: ChannelRow, name: string, open = true): ChannelRow {
    const type = open ? ChannelType.PublicThread : ChannelType.PrivateThread;
    const thread = this.#make(parent, name, type, author);
    if (!open) return thread;
    const reference = { type: MessageReferenceType.Default, channel_id: thread.id, guild_id: parent.guild };
    const more = { type: MessageType.ThreadCreated, message_reference: reference };
    this.#messages.create(author, parent, { content: name, more });
    return thread;
  }

  /** A post in a forum: a thread whose first message has its id. */
  post(author: Author, forum: ChannelRow, name: string, draft: Draft): { thread: ChannelRow; first: MessageRow } {
    if (forum.requireTag) throw badField("applied_tags", "TAG_REQUIRED", "A tag is required to create a forum post.");
    const thread = this.#make(forum, name, ChannelType.PublicThread, author);
    const first = this.#messages.create(author, thread, draft, thread.id);
    return { thread, first };
  }

  archive(thread: ChannelRow, archived: boolean, locked = thread.thread?.meta.locked ?? false): void {
    if (thread.thread === null) throw no("channelType");
    const archive_timestamp = this.#world.clock.iso();
    thread.thread.meta = { ...thread.thread.meta, archived, locked, archive_timestamp };
    this.#world.hub.tell("THREAD_UPDATE", thread.guild, showChannel(this.#world, thread), { channel: thread });
  }

  enter(thread: ChannelRow, user: string): void {
    if (thread.thread === null) throw no("channelType");
    thread.thread.members.add(user);
    const added = [showThreadMember(this.#world, thread, user)];
    const count = thread.thread.members.size;
    const data = { id: thread.id, guild_id: thread.guild, member_count: count, added_members: added };
    this.#world.hub.tell("THREAD_MEMBERS_UPDATE", thread.guild, data, { channel: thread });
  }

  #make(parent: ChannelRow, given: string, type: ChannelType, author: Author, id = this.#world.clock.id()): ChannelRow {
    const name = given.trim();
    if (name.length < 1 || name.length > 100) {
      throw badField("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
    }
    const now = this.#world.clock.iso();
    const members = new Set(author.hook === undefined ? [author.user.id] : []);
    const thread: ChannelRow = {
      ...parent,
      id,
      type,
      name,
      parent: parent.id,
      topic: null,
      overwrites: [],
      lastMessage: null,
      lastPin: null,
      requireTag: false,
      thread: {
        owner: author.user.id,
        members,
        count: 0,
        meta: {
          archived: false,
          auto_archive_duration: ThreadAutoArchiveDuration.OneDay,
          archive_timestamp: now,
          locked: false,
          create_timestamp: now,
          ...(type === ChannelType.PrivateThread && { invitable: true }),
        },
      },
    };
    this.#world.channels.set(id, thread);
    const data = ({ app }: { app: { user: { id: string } } }): object => ({
      ...showChannel(this.#world, thread, app.user.id),
      newly_created: true,
    });
    this.#world.hub.tellEach("THREAD_CREATE", thread.guild, data, { channel: thread });
    return thread;
  }

  #parent(id: string): ChannelRow {
    const parent = this.#world.channels.get(id);
    if (parent === undefined) throw no("unknownChannel");
    if (parent.type !== ChannelType.GuildText && parent.type !== ChannelType.GuildAnnouncement) throw no("channelType");
    return parent;
  }
}

export function routeThreads(routes: Routes, world: World, threads: Threads): void {
  routes.on("POST", "/channels/:channel/messages/:message/threads", ({ params, body, me }) => {
    const channel = entered(world, params["channel"] ?? "", me, "CreatePublicThreads");
    const row = world.message(channel.id, params["message"] ?? "");
    const thread = threads.under({ user: world.user(me) }, row, nameOf(body.json));
    return { status: 201, json: showChannel(world, thread, me) };
  });
  routes.on("POST", "/channels/:channel/threads", ({ params, body, me }) => {
    const open = body.json["type"] === ChannelType.PublicThread;
    const parent = entered(world, params["channel"] ?? "", me);
    const author = { user: world.user(me) };
    if (parent.type === ChannelType.GuildForum || parent.type === ChannelType.GuildMedia) {
      entered(world, parent.id, me, "SendMessages");
      const json = body.json["message"];
      if (typeof json !== "object" || json === null) {
        throw badField("message", "BASE_TYPE_REQUIRED", "This field is required");
      }
      const draft = draftOf({ json: json as Record<string, unknown>, files: body.files });
      const { thread, first } = threads.post(author, parent, nameOf(body.json), draft);
      return { status: 201, json: { ...showChannel(world, thread, me), message: showMessage(world, first, me, true) } };
    }
    if (parent.type !== ChannelType.GuildText) throw no("channelType");
    entered(world, parent.id, me, open ? "CreatePublicThreads" : "CreatePrivateThreads");
    return { status: 201, json: showChannel(world, threads.start(author, parent, nameOf(body.json), open), me) };
  });
  routes.on("GET", "/guilds/:guild/threads/active", ({ params, me }) => {
    const guild = inGuild(world, params["guild"] ?? "", me);
    const active = [...world.channels.values()].filter(
      (row) => row.guild === guild.id && row.thread?.meta.archived === false && sees(world, row, me),
    );
    return { json: listed(world, active, me) };
  });
  for (const [name, type] of Object.entries({ public: ChannelType.PublicThread, private: ChannelType.PrivateThread })) {
    routes.on("GET", `/channels/:channel/threads/archived/${name}`, ({ params, query, me }) => {
      const parent = entered(world, params["channel"] ?? "", me, "ReadMessageHistory");
      if (name === "private") entered(world, parent.id, me, "ManageThreads");
      const before = query.get("before");
      const rows = [...world.channels.values()]
        .filter((row) => row.parent === parent.id && row.type === type && row.thread?.meta.archived === true)
        .sort((one, other) => (archivedAt(one) < archivedAt(other) ? 1 : -1))
        .filter((row) => before === null || Date.parse(archivedAt(row)) < Date.parse(before));
      const page = rows.slice(0, limitOf(query, 50, 100));
      return { json: { ...listed(world, page, me), has_more: rows.length > page.length } };
    });
  }
  routes.on("PUT", "/channels/:channel/thread-members/:user", ({ params, me }) => {
    const thread = entered(world, params["channel"] ?? "", me);
    if (thread.thread?.meta.archived === true) throw no("archived");
    threads.enter(thread, params["user"] === "@me" ? me : (params["user"] ?? ""));
    return DONE;
  });
}

const archivedAt = ({ thread }: ChannelRow): string => thread?.meta.archive_timestamp ?? "";

function listed(world: World, rows: readonly ChannelRow[], me: string): object {
  const mine = rows.filter(({ thread }) => thread?.members.has(me) === true);
  const members = mine.map((row) => showThreadMember(world, row, me));
  return { threads: rows.map((row) => showChannel(world, row, me)), members };
}

function nameOf(json: Readonly<Record<string, unknown>>): string {
  const duration = json["auto_archive_duration"];
  if (duration !== undefined && duration !== null && !DURATIONS.has(duration)) {
    const message = "Value must be one of (60, 1440, 4320, 10080).";
    throw badField("auto_archive_duration", "BASE_TYPE_CHOICES", message);
  }
  const name = textOf(json["name"]);
  if (name.length > 100) throw badField("name", "BASE_TYPE_MAX_LENGTH", tooLong(100).message);
  return name;
}
