import type { ReactionType } from "@grammyjs/types";
import { extraOf, captionIn, textIn } from "./methods-send.ts";
import { mediaOf } from "./media.ts";
import type { Change } from "./messages.ts";
import type { Methods, Parts } from "./parts.ts";
import { checkRate, originOf, placeOf, postAs } from "./place.ts";
import { isReaction } from "./reactions.ts";
import type { Args, Call } from "./requests.ts";
import { chatFor, hasRight, joinedFor } from "./rights.ts";
import { isAdmin } from "./updates.ts";
import { bad, type BotRow, type Content, isRecord, type MediaKind, type MessageRow, type WireMessage } from "./wire.ts";

/** Older messages cannot be deleted, by nobody's bot. */
const DELETABLE_S = 48 * 3600;
const UNCHANGED =
  "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message";

/** What can be put in place of what a message holds. */
const REPLACEABLE: readonly MediaKind[] = ["photo", "document", "video", "animation", "audio"];
const CAPTIONED = [...REPLACEABLE, "voice"] as const;

export function editMethods(parts: Parts): Methods {
  const { world, messages } = parts;
  return {
    editMessageText: (call) => {
      const content = textIn(world, call.args, "MESSAGE_TOO_LONG");
      const row = toEdit(parts, call);
      if (row.wire.text === undefined) throw bad("there is no text in the message to edit");
      return change(parts, call.bot, row, { entities: undefined, ...content });
    },
    editMessageCaption: (call) => {
      const content = captionIn(world, call.args, "MEDIA_CAPTION_TOO_LONG");
      const row = toEdit(parts, call);
      const isCaptioned = CAPTIONED.some((kind) => row.wire[kind] !== undefined);
      if (!isCaptioned) throw bad("there is no caption in the message to edit");
      return change(parts, call.bot, row, { caption: undefined, caption_entities: undefined, ...content });
    },
    editMessageMedia: (call) => editMedia(parts, call),
    deleteMessage: ({ bot, args }) => {
      const row = rowOf(parts, bot, args, "delete");
      const refused = whyNotDelete(parts, bot, row);
      if (refused !== null) throw bad(refused);
      messages.erase(row);
      return true;
    },
    deleteMessages: ({ bot, args }) => {
      const chat = joinedFor(world, bot, args.text("chat_id"));
      const ids = args.list("message_ids") ?? [];
      if (ids.length === 0) throw bad("message identifiers are not specified");
      if (ids.length > 100) throw bad("too many message identifiers specified");
      for (const id of ids) {
        const row = chat.messages.get(Number(id));
        if (row !== undefined && whyNotDelete(parts, bot, row) === null) messages.erase(row);
      }
      return true;
    },
    setMessageReaction: (call) => react(parts, call),
    forwardMessage: (call) => {
      const { wire, chat, id } = source(parts, call, "forward");
      const { forward_origin: earlier } = wire;
      const place = placeOf(parts, call, "other");
      checkRate(parts, place.chat, call.bot, "post");
      const { from, sender_chat: sender, date } = wire;
      const origin = originOf({ from, sender_chat: sender, date, chat: chat.wire, message_id: id });
      return postAs(parts, call.bot, place, { ...heldIn(wire), forward_origin: earlier ?? origin }).wire;
    },
    copyMessage: (call) => {
      const { wire } = source(parts, call, "copy");
      const place = placeOf(parts, call, "other");
      checkRate(parts, place.chat, call.bot, "post");
      const caption = call.args.has("caption") ? captionIn(world, call.args) : {};
      return { message_id: postAs(parts, call.bot, place, { ...heldIn(wire), ...caption }).id };
    },
  };
}

/** Of a message what it holds, without who wrote it and where. */
export function heldIn(wire: WireMessage): Content {
  const { message_id: _1, date: _2, chat: _3, from: _4, sender_chat: _5, reply_to_message: _6, ...rest } = wire;
  const {
    message_thread_id: _7,
    is_topic_message: _8,
    forward_origin: _9,
    quote: _10,
    external_reply: _11,
    ...held
  } = rest;
  const { media_group_id: _12, edit_date: _13, is_automatic_forward: _14, author_signature: _15, ...content } = held;
  return content;
}

function rowOf({ world }: Parts, bot: BotRow, args: Args, to: string): MessageRow {
  const chat = joinedFor(world, bot, args.text("chat_id"));
  const id = args.int("message_id");
  if (id <= 0) throw bad("message identifier is not specified");
  const row = chat.messages.get(id);
  if (row === undefined) throw bad(`message to ${to} not found`);
  return row;
}

function source({ world }: Parts, { bot, args }: Call, to: string): MessageRow {
  const from = chatFor(world, bot, args.text("from_chat_id"));
  const row = from.messages.get(args.int("message_id"));
  if (row === undefined) throw bad(`message to ${to} not found`);
  if (row.isService) throw bad(`the message can't be ${to === "copy" ? "copied" : "forwarded"}`);
  return row;
}

/** Its own messages a bot edits at any time; in channels also those of others, with the right. */
function toEdit(parts: Parts, { bot, args }: Call): MessageRow {
  const row = rowOf(parts, bot, args, "edit");
  const isPost = row.chat.wire.type === "channel" && hasRight(row.chat, bot.user.id, "can_edit_messages");
  const isOwn = row.by === bot.user.id || isPost;
  if (!isOwn || row.isService || row.wire.forward_origin !== undefined) throw bad("message can't be edited");
  return row;
}

function change(parts: Parts, bot: BotRow, row: MessageRow, change: Change): WireMessage {
  const isSame = Object.entries(change).every(([name, value]) => {
    const before = Object.entries(row.wire).find(([known]) => known === name)?.[1];
    return JSON.stringify(before) === JSON.stringify(value);
  });
  if (isSame) throw bad(UNCHANGED);
  checkRate(parts, row.chat, bot, "edit");
  parts.messages.edit(row, change);
  return row.wire;
}

/** Of an album every message stays of its kind: pictures and videos, documents, or music. */
function editMedia(parts: Parts, call: Call): WireMessage {
  const media = call.args.record("media");
  if (media === null) throw bad("input media is not specified");
  const kind = REPLACEABLE.find((known) => known === media["type"]);
  if (kind === undefined) throw bad("type of the media is not supported");
  const args = call.args.within(media);
  const caption = captionIn(parts.world, args);
  const row = toEdit(parts, call);
  const before = REPLACEABLE.find((known) => row.wire[known] !== undefined);
  if (before === undefined && row.wire.text === undefined) throw bad("message media can't be edited");
  const family = (of: MediaKind | undefined): string => (of === "photo" || of === "video" ? "seen" : String(of));
  if (row.wire.media_group_id !== undefined && family(before) !== family(kind)) {
    throw bad("can't change media type in the album");
  }
  const file = parts.files.given(kind, args, "media");
  const bare: Change = {
    text: undefined,
    entities: undefined,
    caption: undefined,
    caption_entities: undefined,
    photo: undefined,
    document: undefined,
    video: undefined,
    animation: undefined,
    audio: undefined,
  };
  return change(parts, call.bot, row, { ...bare, ...mediaOf(parts.files, file, extraOf(args)), ...caption });
}

/** Why a bot may not delete it, or null. */
function whyNotDelete({ world }: Parts, bot: BotRow, { chat, by, wire, isService }: MessageRow): string | null {
  const { id } = bot.user;
  const isOwn = by === id;
  const mayAll =
    chat.wire.type === "private" ||
    (chat.wire.type === "group" ? isAdmin(chat, id) : hasRight(chat, id, "can_delete_messages"));
  const isRoot = wire.forum_topic_created !== undefined || wire.supergroup_chat_created !== undefined;
  if ((isService && isRoot) || (!isOwn && !mayAll)) return "message can't be deleted";
  if (world.clock.seconds() - wire.date > DELETABLE_S) return "message can't be deleted for everyone";
  return null;
}

function react(parts: Parts, { bot, args }: Call): true {
  const row = rowOf(parts, bot, args, "react");
  const given = args.list("reaction") ?? [];
  if (given.length > 1) throw bad("REACTIONS_TOO_MANY");
  const now = given.map((one): ReactionType => {
    const emoji = isRecord(one) && one["type"] === "emoji" ? String(one["emoji"]) : "";
    const isTaken = row.chat.reactions === null || row.chat.reactions.includes(emoji);
    if (!isReaction(emoji) || !isTaken) throw bad("REACTION_INVALID");
    return { type: "emoji", emoji };
  });
  const member = row.chat.members.get(bot.user.id);
  const isMute = member?.status === "restricted" && member.permissions.can_react_to_messages === false;
  if (isMute) throw bad("not enough rights to react to the message");
  parts.messages.react(row, bot.user, now);
  return true;
}
