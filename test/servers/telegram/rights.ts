import type { BotRow, ChatRow, MediaKind, MemberRow, Permission } from "./wire.ts";
import { bad, forbidden, Refusal, tooMany } from "./wire.ts";
import { isAdmin } from "./updates.ts";
import type { World } from "./world.ts";

/** What is sent: each has a permission of its own. */
export type Sending = MediaKind | "text" | "poll" | "other";

const NEEDS: Readonly<Record<Sending, readonly [Permission, string]>> = {
  text: ["can_send_messages", "text messages"],
  photo: ["can_send_photos", "photos"],
  document: ["can_send_documents", "documents"],
  video: ["can_send_videos", "videos"],
  animation: ["can_send_other_messages", "animations"],
  audio: ["can_send_audios", "music"],
  voice: ["can_send_voice_notes", "voice notes"],
  video_note: ["can_send_video_notes", "video notes"],
  sticker: ["can_send_other_messages", "stickers"],
  poll: ["can_send_polls", "polls"],
  other: ["can_send_messages", "messages"],
};

const NAMES = { private: "private chat", group: "group chat", supergroup: "supergroup chat", channel: "channel chat" };

/** The chat that a bot names, if it may know of it. */
export function chatFor(world: World, bot: BotRow, named: string): ChatRow {
  if (named === "") throw bad("chat_id is empty");
  const chat = find(world, bot, named);
  if (chat === null) throw bad("chat not found");
  if (chat.migratedTo !== null) {
    throw new Refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: chat.migratedTo,
    });
  }
  if (chat.wire.type === "private") return chat;
  const status = chat.members.get(bot.user.id)?.status;
  const kind = NAMES[chat.wire.type];
  if (status === "kicked") throw forbidden(`bot was kicked from the ${kind}`);
  // Of a private one where it never was the bot knows nothing.
  if (status === undefined && chat.wire.username === undefined) throw bad("chat not found");
  return chat;
}

function find(world: World, bot: BotRow, named: string): ChatRow | null {
  if (named.startsWith("@")) {
    const name = named.slice(1).toLowerCase();
    const all = [...world.chats.values()];
    return all.find(({ wire }) => wire.type !== "private" && wire.username?.toLowerCase() === name) ?? null;
  }
  if (!/^-?\d+$/.test(named)) return null;
  const id = Number(named);
  if (id < 0) return world.chats.get(id) ?? null;
  const known = world.privates.get(`${bot.user.id}:${id}`);
  if (known !== undefined) return known;
  if (world.bots.has(id)) throw forbidden("bots can't send messages to bots");
  if (world.users.has(id)) throw forbidden("bot can't initiate conversation with a user");
  return null;
}

/** The chat, where the bot is a member of it. */
export function joinedFor(world: World, bot: BotRow, named: string): ChatRow {
  const chat = chatFor(world, bot, named);
  const status = chat.members.get(bot.user.id)?.status ?? "left";
  if (status === "left") throw forbidden(`bot is not a member of the ${NAMES[chat.wire.type]}`);
  return chat;
}

/** The chat, where the bot may send this. */
export function openFor(world: World, bot: BotRow, named: string, what: Sending): ChatRow {
  const chat = joinedFor(world, bot, named);
  if (chat.isBlocked) throw forbidden("bot was blocked by the user");
  const member = chat.members.get(bot.user.id);
  if (chat.wire.type === "channel") {
    if (member?.rights.has("can_post_messages") !== true) throw bad("need administrator rights in the channel chat");
    return chat;
  }
  if (member === undefined || isAdmin(chat, bot.user.id)) return chat;
  checkPermission(chat, member, what);
  return chat;
}

function checkPermission(chat: ChatRow, member: MemberRow, what: Sending): void {
  const [permission, name] = NEEDS[what];
  const isOpen = (of: { [K in Permission]?: boolean }): boolean =>
    of.can_send_messages === true && of[permission] === true;
  const isRestricted = member.status === "restricted";
  if (isOpen(chat.permissions) && (!isRestricted || isOpen(member.permissions))) return;
  throw bad(`not enough rights to send ${name} to the chat`);
}

/** Who is no administrator waits in slow mode. */
export function checkPace(world: World, chat: ChatRow, bot: BotRow): void {
  const member = chat.members.get(bot.user.id);
  if (chat.slowMode === 0 || member === undefined || isAdmin(chat, bot.user.id)) return;
  const wait = member.lastSaid + chat.slowMode * 1000 - world.clock.now();
  if (wait > 0) throw tooMany(Math.ceil(wait / 1000));
}

export function hasRight(chat: ChatRow, id: number, right: "can_delete_messages" | "can_edit_messages"): boolean {
  const member = chat.members.get(id);
  return member?.status === "creator" || (member?.status === "administrator" && member.rights.has(right));
}

export function mayManageTopics(chat: ChatRow, id: number): boolean {
  const member = chat.members.get(id);
  return member?.status === "creator" || (member?.status === "administrator" && member.rights.has("can_manage_topics"));
}
