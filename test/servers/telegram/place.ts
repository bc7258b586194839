import type { MessageEntity, TextQuote } from "@grammyjs/types";
import { normal, readEntities } from "./entities.ts";
import { textOf } from "./messages.ts";
import type { Parts } from "./parts.ts";
import type { Args, Call } from "./requests.ts";
import { chatFor, checkPace, mayManageTopics, openFor, type Sending } from "./rights.ts";
import type { BotRow, ChatRow, Content, MessageRow } from "./wire.ts";
import { bad, lengthOf, tooMany, type WireMessage } from "./wire.ts";
import { isAdmin } from "./updates.ts";
import { ANONYMOUS } from "./world.ts";

/** Where a bot's message goes, and what it answers. */
export interface Place {
  readonly chat: ChatRow;
  readonly topic: number | undefined;
  readonly reply: MessageRow | undefined;
  /** Who is shown as author, and what the answer shows of another chat. */
  readonly more: Content;
}

export function placeOf({ world }: Parts, { bot, args }: Call, what: Sending): Place {
  const chat = openFor(world, bot, args.text("chat_id"), what);
  const { reply, more } = replyOf(world, bot, chat, args);
  const isForum = chat.wire.is_forum === true;
  const thread = args.int("message_thread_id");
  const topic = isForum ? topicOf(chat, bot, thread > 0 ? thread : topicAt(reply)) : undefined;
  const root = isForum || thread <= 0 ? undefined : rootOf(chat, thread);
  const asAuthor = authorOf(chat, bot);
  return { chat, topic, reply: reply ?? root, more: { ...asAuthor, ...more } };
}

/** Passes where the bot may write so much now. */
export function checkRate(
  { world, limits }: Parts,
  chat: ChatRow,
  bot: BotRow,
  what: "post" | "edit",
  weight = 1,
): void {
  if (what === "post") checkPace(world, chat, bot);
  const seconds = limits.take(bot.user.id, chat.id, what, weight);
  if (seconds !== null) throw tooMany(seconds);
}

/** Posts what a bot says, once it is known that it may. */
export function postAs(parts: Parts, bot: BotRow, place: Place, content: Content): MessageRow {
  parts.world.typists.get(place.chat.id)?.delete(bot.user.id);
  const { chat, topic, reply, more } = place;
  return parts.messages.post(chat, { content: { ...more, ...content }, by: bot.user.id, topic, reply });
}

function authorOf(chat: ChatRow, bot: BotRow): Content {
  if (chat.wire.type === "channel") return { sender_chat: chat.wire };
  const isMasked = chat.members.get(bot.user.id)?.isAnonymous === true && isAdmin(chat, bot.user.id);
  return isMasked ? { from: ANONYMOUS, sender_chat: chat.wire } : { from: bot.user };
}

/** The first topic of a forum has no number of its own: 1 is refused. What answers a message goes to its topic. */
function topicOf(chat: ChatRow, bot: BotRow, thread: number): number | undefined {
  const mayWrite = mayManageTopics(chat, bot.user.id);
  const topic = chat.topics.get(thread);
  if (thread > 0 && (topic === undefined || topic.isGone)) throw bad("message thread not found");
  const isClosed = topic === undefined ? chat.isGeneralClosed : topic.isClosed;
  if (isClosed && !mayWrite) throw bad("TOPIC_CLOSED");
  return topic?.id;
}

function topicAt(reply: MessageRow | undefined): number {
  return reply?.wire.is_topic_message === true ? (reply.wire.message_thread_id ?? 0) : 0;
}

/** Where there are no topics a thread is a message with those that answer it; only supergroups have them. */
function rootOf(chat: ChatRow, thread: number): MessageRow {
  const root = chat.wire.type === "supergroup" ? chat.messages.get(thread) : undefined;
  if (root === undefined || root.thread !== thread) throw bad("message thread not found");
  return root;
}

interface Reply {
  readonly reply?: MessageRow;
  readonly more?: Content;
}

function replyOf(world: Parts["world"], bot: BotRow, chat: ChatRow, args: Args): Reply {
  const given = args.record("reply_parameters");
  const how = given === null ? args : args.within(given);
  const id = how.int(given === null ? "reply_to_message_id" : "message_id");
  if (id <= 0) return {};
  const from = how.has("chat_id") ? chatFor(world, bot, how.text("chat_id")) : chat;
  const row = from.messages.get(id);
  if (row === undefined) {
    if (how.flag("allow_sending_without_reply")) return {};
    throw bad("message to be replied not found");
  }
  const quote = how.has("quote") ? quoteOf(world, row, how) : undefined;
  const quoted = quote === undefined ? {} : { quote };
  return from === chat ? { reply: row, more: quoted } : { more: { ...externally(row), ...quoted } };
}

/** What an answer to a message of another chat shows of it. */
function externally({ id, chat, wire }: MessageRow): Content {
  const { from, sender_chat: sender, date, photo, document, video, audio, voice, sticker } = wire;
  const media = {
    ...(photo !== undefined && { photo }),
    ...(document !== undefined && { document }),
    ...(video !== undefined && { video }),
    ...(audio !== undefined && { audio }),
    ...(voice !== undefined && { voice }),
    ...(sticker !== undefined && { sticker }),
  };
  const isShown = chat.wire.type === "supergroup" || chat.wire.type === "channel";
  return {
    external_reply: {
      origin: originOf({ from, sender_chat: sender, date, chat: chat.wire, message_id: id }),
      ...(isShown && { chat: chat.wire, message_id: id }),
      ...media,
    },
  } satisfies Content;
}

type Said = Pick<WireMessage, "chat" | "date" | "message_id"> & {
  readonly from: WireMessage["from"];
  readonly sender_chat: WireMessage["sender_chat"];
};

/** Who said something first, as forwards and answers elsewhere show it. */
export function originOf(said: Said): NonNullable<WireMessage["forward_origin"]> {
  const { chat, date, from, sender_chat: sender, message_id } = said;
  if (chat.type === "channel") return { type: "channel", date, chat, message_id };
  if (sender !== undefined) return { type: "chat", date, sender_chat: sender };
  if (from === undefined) return { type: "hidden_user", date, sender_user_name: "Deleted Account" };
  return { type: "user", date, sender_user: from };
}

const QUOTED: ReadonlySet<string> = new Set([
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "custom_emoji",
]);

/** A part of the answered message, which must stand there exactly so, with its styles. */
function quoteOf(world: Parts["world"], row: MessageRow, how: Args): TextQuote {
  const { text, entities } = normal(how.text("quote"), readEntities(how.json("quote_entities"), world.users));
  const whole = textOf(row.wire);
  const wanted = styles(entities);
  const near = how.int("quote_position");
  const places = whole.text
    .split("")
    .map((_, at) => at)
    .filter((at) => text !== "" && whole.text.startsWith(text, at));
  const [position] = places
    .filter((at) => JSON.stringify(styles(part(whole.entities, at, text.length))) === JSON.stringify(wanted))
    .sort((a, b) => Math.abs(a - near) - Math.abs(b - near));
  if (position === undefined || lengthOf(text) > 1024) throw bad("QUOTE_TEXT_INVALID");
  return { text, position, is_manual: true, ...(wanted.length > 0 && { entities: wanted }) };
}

const styles = (entities: readonly MessageEntity[]): MessageEntity[] => entities.filter(({ type }) => QUOTED.has(type));

/** The entities of a part of a text. */
function part(entities: readonly MessageEntity[], begin: number, length: number): MessageEntity[] {
  return entities.flatMap((one) => {
    const from = Math.max(one.offset, begin);
    const to = Math.min(one.offset + one.length, begin + length);
    return to > from ? [{ ...one, offset: from - begin, length: to - from }] : [];
  });
}
