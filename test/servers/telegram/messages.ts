import type { MessageEntity, ReactionCount, ReactionType, User } from "@grammyjs/types";
import type { Updates } from "./updates.ts";
import type { Bare, ChatRow, Content, MessageRow, WireMessage } from "./wire.ts";
import { isAdmin, isIn } from "./updates.ts";
import { SERVICE, type World } from "./world.ts";

/** A message before it has its id. */
export interface Draft {
  readonly content: Content;
  /** The person or bot that writes it. */
  readonly by: number;
  readonly topic?: number | undefined;
  readonly reply?: MessageRow | undefined;
  readonly isService?: boolean;
}

/** What may be changed in a message; what is undefined goes. */
export type Change = { readonly [K in keyof Content]?: Content[K] | undefined };

/** What is the text of a message is its caption where it has a file. */
const EDITED = ["text", "entities", "caption", "caption_entities"] as const;

/** What people's clients show of a message. */
export type Shown = { readonly row: MessageRow } & (
  | { readonly is: "new" | "edited" | "erased" }
  | { readonly is: "reacted"; readonly by: number; readonly before: readonly ReactionType[] }
);

/** Messages of all chats, with what happens to them. */
export class Messages {
  readonly #world: World;
  readonly #updates: Updates;
  readonly #watchers: ((shown: Shown) => void)[] = [];

  constructor(world: World, updates: Updates) {
    this.#world = world;
    this.#updates = updates;
  }

  /** As a person who is in all chats. */
  watch(watcher: (shown: Shown) => void): void {
    this.#watchers.push(watcher);
  }

  #show(shown: Shown): void {
    for (const watcher of this.#watchers) watcher(shown);
  }

  post(chat: ChatRow, { content, by, topic, reply, isService = false }: Draft): MessageRow {
    chat.lastId += 1;
    const id = chat.lastId;
    const base = { message_id: id, date: this.#world.clock.seconds(), chat: chat.wire };
    const thread = reply === undefined ? id : reply.thread;
    const place = this.#place(chat, topic, reply);
    const row: MessageRow = {
      id,
      chat,
      wire: { ...base, ...place, ...content },
      by,
      isService,
      thread,
      reactions: new Map(),
    };
    chat.messages.set(id, row);
    const member = chat.members.get(by);
    if (member !== undefined && !isService) member.lastSaid = this.#world.clock.now();
    if (this.#world.bots.has(by)) chat.lastBot = by;
    this.#updates.message(row, "new");
    this.#show({ is: "new", row });
    if (chat.wire.type === "channel" && chat.linked !== null && !isService) this.#forwardTo(chat.linked, row);
    return row;
  }

  /** Where it stands: in a topic, or in a thread of answers, which is no topic. */
  #place(chat: ChatRow, topic: number | undefined, reply: MessageRow | undefined): Partial<WireMessage> {
    const answered = reply === undefined ? undefined : bare(reply.wire);
    const isForum = chat.wire.is_forum === true;
    const where =
      topic ?? (isForum && reply?.wire.is_topic_message === true ? reply.wire.message_thread_id : undefined);
    if (isForum && where !== undefined) {
      // What answers nothing in a topic answers the message with which that began.
      const root = chat.messages.get(where);
      const shown = answered ?? (root === undefined ? undefined : bare(root.wire));
      return {
        message_thread_id: where,
        is_topic_message: true,
        ...(shown !== undefined && { reply_to_message: shown }),
      };
    }
    if (answered === undefined || reply === undefined) return {};
    const isThreaded = chat.wire.type === "supergroup";
    return { ...(isThreaded && { message_thread_id: reply.thread }), reply_to_message: answered };
  }

  /** What a channel says comes into its group by itself. */
  #forwardTo(group: ChatRow, { id, chat, wire }: MessageRow): void {
    if (chat.wire.type !== "channel") return;
    const { message_id: _, date, chat: __, reply_to_message: ___, author_signature: signature, ...rest } = wire;
    const origin = {
      type: "channel" as const,
      chat: chat.wire,
      message_id: id,
      date,
      ...(signature !== undefined && { author_signature: signature }),
    };
    const mark = { is_automatic_forward: true as const, forward_origin: origin };
    this.post(group, { content: { ...rest, from: SERVICE, sender_chat: chat.wire, ...mark }, by: SERVICE.id });
  }

  /** An edit by a person or by a bot. Bots hear of those of others. */
  edit(row: MessageRow, change: Change): void {
    const kept: Record<string, unknown> = { ...row.wire, edit_date: this.#world.clock.seconds(), ...change };
    for (const [name, value] of Object.entries(kept)) if (value === undefined) delete kept[name];
    row.wire = kept as unknown as WireMessage;
    this.#updates.message(row, "edited");
    this.#show({ is: "edited", row });
    for (const copy of this.#forwards(row)) {
      const same = EDITED.filter((name) => name in change).map((name) => [name, change[name]] as const);
      this.edit(copy, Object.fromEntries(same));
    }
  }

  #forwards(row: MessageRow): readonly MessageRow[] {
    const rows = row.chat.wire.type === "channel" ? [...(row.chat.linked?.messages.values() ?? [])] : [];
    return rows.filter(({ wire }) => {
      const { is_automatic_forward: isForward, forward_origin: origin } = wire;
      return isForward === true && origin?.type === "channel" && origin.message_id === row.id;
    });
  }

  /** Nobody is told. */
  erase(row: MessageRow): void {
    for (const copy of this.#forwards(row)) this.erase(copy);
    row.chat.messages.delete(row.id);
    this.#show({ is: "erased", row });
  }

  /** All reactions of one; bots hear of those of people. */
  react(row: MessageRow, user: User, now: readonly ReactionType[], actor: "user" | "chat" = "user"): void {
    const before = row.reactions.get(user.id) ?? [];
    if (now.length === 0) row.reactions.delete(user.id);
    else row.reactions.set(user.id, now);
    this.#show({ is: "reacted", row, by: user.id, before });
    if (user.is_bot || JSON.stringify(before) === JSON.stringify(now)) return;
    const base = { chat: row.chat.wire, message_id: row.id, date: this.#world.clock.seconds() };
    if (row.chat.wire.type === "channel") {
      // Nobody is told who it was, only how many they are.
      this.#updates.forAdmins(row.chat, { message_reaction_count: { ...base, reactions: counted(row) } });
      return;
    }
    const who = actor === "user" ? { user } : { actor_chat: row.chat.wire };
    const told = { ...base, ...who, old_reaction: [...before], new_reaction: [...now] };
    for (const bot of this.#world.bots.values()) {
      const { id } = bot.user;
      const hears = row.chat.wire.type === "private" ? isIn(row.chat, id) : isAdmin(row.chat, id);
      if (hears) this.#updates.put(bot, { message_reaction: told });
    }
  }
}

function counted({ reactions }: MessageRow): ReactionCount[] {
  const counts = new Map<string, ReactionCount>();
  for (const type of [...reactions.values()].flat()) {
    const key = JSON.stringify(type);
    counts.set(key, { type, total_count: (counts.get(key)?.total_count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** A message as it stands in others: without what it answers itself. */
function bare(wire: WireMessage): Bare {
  const { reply_to_message: _, ...rest } = wire;
  return rest;
}

/** Text or caption, with its entities. */
export function textOf(wire: Bare): { text: string; entities: readonly MessageEntity[] } {
  return { text: wire.text ?? wire.caption ?? "", entities: wire.entities ?? wire.caption_entities ?? [] };
}
