import type { Block } from "../../contract/content.ts";
import { blocked } from "../../content/hidden.ts";
import { excerpt } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { telegramRichBlocks } from "../../content/telegram-rich-read.ts";
import { cleanName } from "../kit/clean-name.ts";
import { isObject, type Json, listIn, numberIn, objectIn, textIn } from "../kit/json.ts";
import { formatted, objectsIn, type TelegramSaid } from "./model.ts";
import { innerMedia } from "./inner-media.ts";
import { bare, joinedSaid } from "./said.ts";

const fields = (names: string): readonly string[] => names.split(" ");

type Words = (value: Json, raw: Json) => TelegramSaid | string;

/** What a message holds beside its text and its files, for people. */
const CONTENT: ReadonlyMap<string, Words> = new Map<string, Words>([
  ["rich_message", (message) => plainText(richBlocks(message))],
  ["sticker", stickerWords],
  ["voice", (voice) => `(voice message${lasting(voice)})`],
  ["video_note", (video) => `(video message${lasting(video)})`],
  ["poll", pollWords],
  ["venue", venueWords],
  ["location", (place) => `(${isLive(place) ? "live location" : "place"}: ${placeLink(place)})`],
  ["contact", (contact) => `(contact: ${[personWords(contact), lineIn(contact, "phone_number")].join(", ")})`],
  ["dice", (dice) => `${textIn(dice, "emoji") ?? "🎲"} ${numberIn(dice, "value") ?? "?"}`],
  ["story", (story) => `(a story of ${nameIn(story, "chat")})`],
  ["game", (game) => `(game: ${titled(game, "title", "description")})`],
  ["invoice", (invoice) => `(invoice: ${titled(invoice, "title", "description")})`],
  ["checklist", checklistWords],
  ["paid_media", (paid) => `(files for ${numberIn(paid, "star_count") ?? "some"} stars)`],
  ["giveaway", (prize) => `(a giveaway${counted(prize, "winner_count", "winner")})`],
  ["giveaway_winners", (prize) => `(a giveaway has ended${counted(prize, "winner_count", "winner")})`],
]);

/** Those that say nothing that the other field does not. */
const REPEATED: ReadonlyMap<string, string> = new Map([["location", "venue"]]);

/** Fields of files: they are told as files. */
const FILES: ReadonlySet<string> = new Set([
  ...fields("photo video animation document audio voice video_note sticker live_photo"),
  "paid_media",
]);

/** Who said what where, and in what way: nothing that people read. */
const AROUND: ReadonlySet<string> = new Set([
  ...fields("message_id origin message_thread_id from sender_chat sender_boost_count sender_business_bot"),
  ...fields("sender_tag date chat forward_origin is_topic_message is_automatic_forward reply_to_message"),
  ...fields("external_reply quote reply_to_story reply_to_checklist_task_id reply_to_poll_option_id via_bot"),
  ...fields("edit_date has_protected_content is_from_offline is_paid_post media_group_id author_signature"),
  ...fields("paid_star_count text entities link_preview_options suggested_post_info effect_id caption"),
  ...fields("caption_entities show_caption_above_media has_media_spoiler reply_markup business_connection_id"),
  ...fields("direct_messages_topic guest_query_id guest_bot_caller_user guest_bot_caller_chat"),
  // Older names of what is told by others.
  ...fields("forward_from forward_from_chat forward_from_message_id forward_signature forward_sender_name"),
  ...fields("forward_date new_chat_member new_chat_participant left_chat_participant"),
]);

/** Its text, and what else people see, in words; empty for files alone. */
export function contentWords(raw: Json): TelegramSaid {
  const said = formatted(raw, "text") ?? formatted(raw, "caption") ?? bare("");
  const parts = [said];
  for (const [key, words] of CONTENT) {
    const value = raw[key];
    if (!isObject(value) || Object.hasOwn(raw, REPEATED.get(key) ?? "")) continue;
    const shown = words(value, raw);
    parts.push(typeof shown === "string" ? bare(shown) : shown);
  }
  const all = joinedSaid(parts);
  const isKnown = all.text !== "" || Object.keys(raw).some((key) => FILES.has(key)) || innerMedia(raw).length > 0;
  return isKnown ? all : bare(unknownWords(raw));
}

/** What a message in blocks says. */
export const richBlocks = (message: unknown): readonly Block[] =>
  telegramRichBlocks(message, (place) => placeLink(asObject(place)));

/** Networks go on: what we do not know is named at least. */
function unknownWords(raw: Json): string {
  const kind = Object.keys(raw).find((key) => !AROUND.has(key));
  return kind === undefined ? "" : `(a message that only Telegram can show: ${excerpt(kind.replaceAll("_", " "), 40)})`;
}

/** Whether people may change it without a word being changed: votes, ways, ticks. */
export const isLively = (raw: Json): boolean =>
  ["poll", "location", "venue", "game", "dice", "checklist"].some((key) => key in raw);

/** What somebody has done, to follow the name; null: nothing that people read. */
const SERVICE: ReadonlyMap<string, (value: unknown) => string | null> = new Map<
  string,
  (value: unknown) => string | null
>([
  ["new_chat_photo", () => "changed the picture of the chat"],
  ["delete_chat_photo", () => "removed the picture of the chat"],
  ["group_chat_created", () => "created the group"],
  ["supergroup_chat_created", () => "created the group"],
  ["channel_chat_created", () => "created the channel"],
  ["pinned_message", pinWords],
  ["message_auto_delete_timer_changed", timerWords],
  ["forum_topic_created", (topic) => `created the topic ${lineIn(asObject(topic), "name")}`],
  ["forum_topic_closed", () => "closed the topic"],
  ["forum_topic_reopened", () => "reopened the topic"],
  ["general_forum_topic_hidden", () => "hid the topic General"],
  ["general_forum_topic_unhidden", () => "showed the topic General again"],
  ["video_chat_scheduled", () => "scheduled a video chat"],
  ["video_chat_started", () => "started a video chat"],
  ["video_chat_ended", (chat) => `ended the video chat${lasting(asObject(chat))}`],
  ["video_chat_participants_invited", (chat) => `invited ${peopleIn(asObject(chat))} to the video chat`],
  ["boost_added", (boost) => `boosted the chat${counted(asObject(boost), "boost_count", "time")}`],
  ["chat_background_set", () => "changed the background of the chat"],
  ["proximity_alert_triggered", proximityWords],
  ["giveaway_created", () => "began a giveaway"],
  ["giveaway_completed", (prize) => `ended a giveaway${counted(asObject(prize), "winner_count", "winner")}`],
  ["gift", giftWords],
  ["unique_gift", giftWords],
  ["gift_upgrade_sent", () => "upgraded a gift"],
  ["checklist_tasks_done", tickWords],
  ["checklist_tasks_added", (list) => `added to the checklist: ${tasksIn(asObject(list))}`],
  ["poll_option_added", (poll) => `added an answer to a poll: ${lineIn(asObject(poll), "option_text")}`],
  ["poll_option_deleted", (poll) => `removed an answer of a poll: ${lineIn(asObject(poll), "option_text")}`],
  ["paid_message_price_changed", () => "changed the price of messages"],
  ["direct_message_price_changed", () => "changed the price of messages to the channel"],
  ["community_chat_added", (added) => `added the chat to ${communityWords(asObject(added))}`],
  ["community_chat_removed", () => "removed the chat from its community"],
  ["suggested_post_approved", () => "approved a suggested post"],
  ["suggested_post_approval_failed", () => "could not approve a suggested post, because its writer lacks the funds"],
  ["suggested_post_declined", declineWords],
  ["suggested_post_paid", () => "paid for a suggested post"],
  ["suggested_post_refunded", () => "refunded a suggested post"],
  ["chat_owner_left", () => "left, who owned the chat"],
  ["chat_owner_changed", (owner) => `made ${nameIn(asObject(owner), "new_owner")} the owner of the chat`],
  // Between a person and a bot, or told otherwise.
  ...[
    ...fields("migrate_to_chat_id migrate_from_chat_id successful_payment refunded_payment users_shared"),
    ...fields("chat_shared connected_website write_access_allowed passport_data web_app_data"),
    ...fields("managed_bot_created"),
  ].map((key) => [key, () => null] as const),
]);

/** Null: it is no message of the service, or nothing that people read. */
export function serviceWords(raw: Json): string | null {
  const key = serviceKey(raw);
  return key === null ? null : (SERVICE.get(key)?.(raw[key]) ?? null);
}

/** What the service says itself, by its field; null: somebody said it. */
export function serviceKey(raw: Json): string | null {
  for (const key of Object.keys(raw)) if (SERVICE.has(key) || TOLD_AS_EVENTS.has(key)) return key;
  return null;
}

/** They are events of their own. */
const TOLD_AS_EVENTS: ReadonlySet<string> = new Set(
  fields("new_chat_members left_chat_member community_chat_joined new_chat_title forum_topic_edited"),
);

/**
 * Whether a message is not one of its chat: one person alone sees it, or it belongs to a chat of somebody else that has
 * the same id.
 */
export const isElsewhere = (raw: Json): boolean => ELSEWHERE.some((key) => key in raw);

const ELSEWHERE = fields("ephemeral_message_id receiver_user guest_query_id business_connection_id");

/** Whether nothing of it can be answered, as nothing of it was said. */
export function isQuietService(raw: Json): boolean {
  const key = serviceKey(raw);
  return key !== null && (key === "forum_topic_created" || serviceWords(raw) === null);
}

/** Most characters of what is quoted of another message. */
const QUOTED_MAX = 200;

/** Of another message: what it says, or what it is. */
export function shortWords(raw: Json): string {
  const words = hiddenIn(contentWords(raw));
  if (words !== "") return excerpt(words, QUOTED_MAX);
  const kind = [...FILES].find((key) => key in raw);
  return kind === undefined ? "" : `(${kind.replaceAll("_", " ")})`;
}

/** One that moves is a drawing that no program but Telegram's opens: the words stand for it. */
function stickerWords(sticker: Json): string {
  const emoji = textIn(sticker, "emoji") ?? "";
  if (sticker["is_animated"] === true) return emoji === "" ? "(moving sticker)" : `(moving sticker: ${emoji})`;
  return `(${["sticker", emoji].join(" ").trim()})`;
}

/** Without its spoilers; the last one first, because each may become shorter. */
function hiddenIn({ text, entities }: TelegramSaid): string {
  return entities
    .filter((entity) => textIn(entity, "type") === "spoiler")
    .toSorted((one, other) => (numberIn(other, "offset") ?? 0) - (numberIn(one, "offset") ?? 0))
    .reduce((words, entity) => {
      const [from, length] = [numberIn(entity, "offset") ?? 0, numberIn(entity, "length") ?? 0];
      return words.slice(0, from) + blocked(words.slice(from, from + length)) + words.slice(from + length);
    }, text);
}

function pinWords(pinned: unknown): string {
  const words = isObject(pinned) && !isElsewhere(pinned) ? shortWords(pinned) : "";
  return words === "" ? "pinned a message" : `pinned a message: “${words}”`;
}

function giftWords(value: unknown): string {
  const gift = asObject(value);
  const words = gift["is_private"] === true ? "" : lineIn(gift, "text");
  return words === "" ? "sent a gift" : `sent a gift: “${words}”`;
}

function declineWords(value: unknown): string {
  const words = lineIn(asObject(value), "comment");
  return `declined a suggested post${words === "" ? "" : `: ${words}`}`;
}

function timerWords(value: unknown): string {
  const seconds = numberIn(asObject(value), "message_auto_delete_time") ?? 0;
  if (seconds <= 0) return "lets messages stay from now on";
  const days = Math.round(seconds / 86_400);
  return `lets messages be deleted after ${days < 1 ? `${seconds} s` : days === 1 ? "a day" : `${days} days`} from now on`;
}

function proximityWords(value: unknown): string {
  const alert = asObject(value);
  return `is ${numberIn(alert, "distance") ?? "a few"} m from ${nameIn(alert, "watcher")}`;
}

function tickWords(value: unknown): string {
  const list = asObject(value);
  const done = listIn(list, "marked_as_done_task_ids").length;
  const open = listIn(list, "marked_as_not_done_task_ids").length;
  const parts = [
    ...(done > 0 ? [`ticked ${done === 1 ? "a task" : `${done} tasks`}`] : []),
    ...(open > 0 ? [`unticked ${open === 1 ? "a task" : `${open} tasks`}`] : []),
  ];
  return `${parts.join(" and ") || "changed"} in the checklist`;
}

function pollWords(poll: Json): string {
  const isQuiz = textIn(poll, "type") === "quiz";
  const answers = objectsIn(poll, "options").map((answer, at) => {
    return [`${at + 1}. ${lineIn(answer, "text")}`, mediaWords(answer)].filter((part) => part !== "").join(" ");
  });
  const notes = [
    ...(poll["allows_multiple_answers"] === true ? ["several answers may be chosen"] : []),
    ...(poll["is_closed"] === true ? ["closed"] : []),
  ];
  const shown = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  const about = [lineIn(poll, "description"), mediaWords(poll)].filter((line) => line !== "");
  return [`${isQuiz ? "Quiz" : "Poll"}: ${lineIn(poll, "question")}${shown}`, ...about, ...answers].join("\n");
}

/** What a poll or an answer has with it, and is no file. */
function mediaWords(of: Json): string {
  const media = objectIn(of, "media");
  const link = lineIn(objectIn(media, "link"), "url");
  if (link !== "") return `(${link})`;
  if (isObject(media["venue"])) return venueWords(media["venue"]);
  if (isObject(media["location"])) return `(place: ${placeLink(media["location"])})`;
  const sticker = objectIn(media, "sticker");
  return sticker["is_animated"] === true ? stickerWords(sticker) : "";
}

function checklistWords(list: Json): string {
  const tasks = objectsIn(list, "tasks").map((task) => {
    const isDone = "completed_by_user" in task || "completed_by_chat" in task;
    return `${isDone ? "☑" : "☐"} ${lineIn(task, "text")}`;
  });
  return [`Checklist: ${lineIn(list, "title")}`, ...tasks].join("\n");
}

const tasksIn = (list: Json): string =>
  objectsIn(list, "tasks")
    .map((task) => lineIn(task, "text"))
    .join(", ");

function venueWords(venue: Json): string {
  return `(place: ${titled(venue, "title", "address")}: ${placeLink(objectIn(venue, "location"))})`;
}

const isLive = (place: Json): boolean => numberIn(place, "live_period") !== null;

function placeLink(place: Json): string {
  const [north, east] = [numberIn(place, "latitude"), numberIn(place, "longitude")];
  if (north === null || east === null) return "unknown";
  const [lat, lon] = [degrees(north), degrees(east)];
  return `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=16/${lat}/${lon}`;
}

/** Five digits are a metre. */
const degrees = (value: number): string => String(Math.round(value * 100_000) / 100_000);

/** `, 1:05`; empty: nobody says how long. */
function lasting(of: Json): string {
  const seconds = numberIn(of, "duration");
  if (seconds === null || seconds < 0) return "";
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const tail = String(whole % 60).padStart(2, "0");
  return `, ${hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : minutes}:${tail}`;
}

function counted(of: Json, key: string, what: string): string {
  const count = numberIn(of, key);
  if (count === null || count < 1) return "";
  return `, ${count} ${what}${count === 1 ? "" : "s"}`;
}

const titled = (of: Json, ...keys: readonly string[]): string =>
  keys
    .map((key) => lineIn(of, key))
    .filter((words) => words !== "")
    .join(", ");

const LINE_MAX = 500;

/** On one line. */
const lineIn = (of: Json, key: string): string => excerpt(textIn(of, key) ?? "", LINE_MAX);

const asObject = (value: unknown): Json => (isObject(value) ? value : {});

/** Of a person or of a chat. */
export function personWords(of: Json): string {
  const name = [textIn(of, "first_name") ?? "", textIn(of, "last_name") ?? ""].join(" ");
  return (
    cleanName(name) || cleanName(textIn(of, "title") ?? "") || cleanName(textIn(of, "username") ?? "") || "somebody"
  );
}

/** The community that a service message is about. */
export function communityWords(of: Json): string {
  const name = cleanName(textIn(objectIn(of, "community"), "name") ?? "");
  return name === "" ? "a community" : `the community ${name}`;
}

const nameIn = (of: Json, key: string): string => personWords(objectIn(of, key));

const peopleIn = (of: Json): string => objectsIn(of, "users").map(personWords).join(", ") || "somebody";
