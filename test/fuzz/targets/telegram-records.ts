import type { Json } from "../../../src/adapters/kit/json.ts";
import type { Random } from "../random.ts";
import { json, mutated, mutatedJson, text } from "../text.ts";

export const CHAT = -1_001_000_000_001;
export const OWN = 5_000_001;
const ELSEWHERE = -1_001_000_000_002;
const ALICE = 1_000_001;
const BEGAN = Date.UTC(2026, 0, 1) / 1000;

const KEYS =
  "ok result error_code description parameters retry_after migrate_to_chat_id migrate_from_chat_id update_id message edited_message channel_post my_chat_member chat_member message_reaction message_id message_thread_id is_topic_message from sender_chat chat date edit_date id type title username first_name last_name is_bot is_forum text caption entities caption_entities offset length url language user custom_emoji_id reply_to_message quote external_reply forward_origin is_automatic_forward media_group_id author_signature via_bot photo document video audio voice sticker animation file_id file_unique_id file_size file_name mime_type width height duration emoji location venue contact poll dice question options new_chat_members left_chat_member new_chat_title pinned_message old_reaction new_reaction actor_chat old_chat_member new_chat_member status file_path photos total_count __proto__ constructor".split(
    " ",
  );
const TYPES = ["supergroup", "group", "channel", "private", "x"];
const MARKS =
  "bold italic underline strikethrough spoiler code pre blockquote text_link text_mention mention custom_emoji x".split(
    " ",
  );
const NUMBERS = [0, -1, 1, 1e300, 2 ** 53, 0.5, null, "x"];

const id = (random: Random): unknown => (random.chance(0.95) ? 1 + random.int(40) : random.pick(NUMBERS));

const user = (random: Random): Json =>
  random.pick<() => Json>([
    () => ({ id: ALICE, is_bot: false, first_name: "Alice", username: "alice" }),
    () => ({ id: 1_000_100 + random.int(20), is_bot: false, first_name: text(random, 2), last_name: text(random, 1) }),
    () => ({ id: OWN, is_bot: true, first_name: "rialto", username: "rialto_bot" }),
    () => ({ id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" }),
  ])();

const chat = (random: Random): Json => ({
  id: random.chance(0.85) ? CHAT : random.pick([ELSEWHERE, ALICE, 0, "x"]),
  type: random.chance(0.85) ? "supergroup" : random.pick(TYPES),
  title: text(random, 2),
});

const place = (random: Random): unknown => (random.chance(0.9) ? random.int(20) : random.pick(NUMBERS));

const entity = (random: Random): Json => ({
  type: random.pick(MARKS),
  offset: place(random),
  length: place(random),
  url: random.pick(["https://e.example/", "tg://user?id=1", "x"]),
  user: user(random),
  custom_emoji_id: random.pick(["5", ""]),
});

const file = (random: Random): Json => ({
  file_id: random.pick(["F1", text(random, 1)]),
  file_unique_id: "U1",
  file_size: random.pick([1, 1e300, -1, 30 * 1024 * 1024]),
  file_name: text(random, 2),
  mime_type: random.pick(["text/plain", "x", ""]),
  width: random.pick([1, 1e300, -1]),
  height: 1,
});

/** What a message may hold. */
function content(random: Random): Json {
  return random.pick<() => Json>([
    () => ({ text: text(random), entities: random.some(4, () => entity(random)) }),
    () => ({ text: text(random) }),
    () => ({ photo: random.some(3, () => file(random)), caption: text(random), media_group_id: albumOf(random) }),
    () => ({ [random.pick(["document", "video", "audio", "voice", "video_note", "animation"])]: file(random) }),
    () => ({ document: file(random), caption: text(random), caption_entities: random.some(3, () => entity(random)) }),
    () => ({ sticker: { ...file(random), emoji: random.pick(["👍", ""]), is_animated: random.chance(0.3) } }),
    () => ({ poll: { id: "1", question: text(random), options: random.some(4, () => ({ text: text(random, 2) })) } }),
    () => ({ location: { latitude: random.pick(NUMBERS), longitude: 4.9 } }),
    () => ({ venue: { title: text(random, 2), address: text(random, 2), location: {} } }),
    () => ({
      contact: { phone_number: text(random, 1), first_name: text(random, 1) },
      dice: { emoji: "🎲", value: 4 },
    }),
    () => ({ new_chat_members: random.some(3, () => user(random)), left_chat_member: user(random) }),
    () => ({ new_chat_title: text(random, 2), pinned_message: { message_id: id(random), text: text(random, 1) } }),
    () => ({ [random.pick(["story", "game", "invoice", "giveaway", "gift", "paid_media", "checklist", "x"])]: {} }),
  ])();
}

const albumOf = (random: Random): unknown => random.pick([undefined, undefined, "g1", "g2", ""]);

/** Who said it where, and to what. */
function around(random: Random): Json {
  const from: Json = { from: user(random) };
  const parts: readonly (() => Json)[] = [
    () => ({ sender_chat: chat(random), author_signature: text(random, 1) }),
    () => ({
      reply_to_message: { message_id: id(random), chat: chat(random), from: user(random), text: text(random) },
    }),
    () => ({ quote: { text: text(random), position: place(random), entities: [entity(random)] } }),
    () => ({ external_reply: { origin: { type: random.pick(["user", "channel", "x"]), sender_user: user(random) } } }),
    () => ({
      forward_origin: { type: random.pick(["user", "hidden_user", "chat", "channel", "x"]), chat: chat(random) },
    }),
    () => ({ is_automatic_forward: true, via_bot: user(random) }),
    () => ({ message_thread_id: id(random), is_topic_message: random.chance(0.5) }),
  ];
  const more = random.some(3, () => Object.entries(random.pick(parts)()));
  return { ...from, ...Object.fromEntries(more.flat()) };
}

const message = (random: Random): Json => ({
  message_id: id(random),
  date: BEGAN + random.int(1000),
  chat: chat(random),
  ...around(random),
  ...content(random),
});

const member = (random: Random): Json => ({
  chat: chat(random),
  from: user(random),
  date: BEGAN,
  old_chat_member: { user: user(random), status: random.pick(["left", "member", "x"]) },
  new_chat_member: { user: user(random), status: random.pick(["member", "left", "kicked", "restricted", "x"]) },
});

const reaction = (random: Random): Json =>
  random.pick([
    { type: "emoji", emoji: "👍" },
    { type: "emoji", emoji: text(random, 1) },
    { type: "custom_emoji", custom_emoji_id: "5" },
    { type: "paid" },
  ]);

/** What happened, without its number. */
export function happened(random: Random): Json {
  return random.pick<() => Json>([
    () => ({ message: message(random) }),
    () => ({ message: message(random) }),
    () => ({ message: message(random) }),
    () => ({ edited_message: { ...message(random), edit_date: BEGAN + 5 } }),
    () => ({ [random.pick(["channel_post", "edited_channel_post"])]: message(random) }),
    () => ({
      message_reaction: {
        chat: chat(random),
        message_id: id(random),
        date: BEGAN,
        ...(random.chance(0.8) ? { user: user(random) } : { actor_chat: chat(random) }),
        old_reaction: random.some(2, () => reaction(random)),
        new_reaction: random.some(2, () => reaction(random)),
      },
    }),
    () => ({ chat_member: member(random) }),
    () => ({ [random.pick(["poll", "message_reaction_count", "business_message", "x"])]: message(random) }),
    () => json(random, KEYS, 4) as Json,
  ])();
}

/** What is said of a good message. */
export const said = (number: number, words: string): Json => ({
  message: {
    message_id: 1_000 + number,
    date: BEGAN + 2_000,
    chat: { id: CHAT, type: "supergroup", title: "Town" },
    from: { id: ALICE, is_bot: false, first_name: "Alice", username: "alice" },
    text: words,
  },
});

/** What the server says when nothing is wrong. */
export function sound(method: string): unknown {
  switch (method) {
    case "getChat":
      return { id: CHAT, type: "supergroup", title: "Town", permissions: { can_send_messages: true } };
    case "getChatMember":
      return { status: "administrator", user: { id: OWN } };
    case "getUserProfilePhotos":
      return { total_count: 1, photos: [[{ file_id: "P1", file_size: 5, width: 160, height: 160 }]] };
    case "getFile":
      return { file_id: "P1", file_path: "photos/a.jpg" };
    case "getCustomEmojiStickers":
      return [{ custom_emoji_id: "5", emoji: "🎉" }];
    case "sendMediaGroup":
      return [sent(), sent()];
    case "deleteMessage":
    case "deleteMessages":
    case "setMessageReaction":
      return true;
    default:
      return sent();
  }
}

const sent = (): Json => ({ message_id: 77, date: BEGAN, chat: { id: CHAT, type: "supergroup" } });

/** As the server says it; or changed. */
export function body(random: Random, result: unknown): string {
  const rate = random.pick([0.005, 0.03, 0.1]);
  const strange = random.chance(0.5) ? mutatedJson(random, result, KEYS, rate) : result;
  const written = JSON.stringify({ ok: true, result: strange });
  if (random.chance(0.02)) {
    const depth = 20_000;
    return written.replace(/"(?:date|text)":/u, (key) => `"deep":${"[".repeat(depth)}${"]".repeat(depth)},${key}`);
  }
  return random.chance(0.02) ? mutated(random, written) : written;
}
