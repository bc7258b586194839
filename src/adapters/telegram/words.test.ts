import { describe, expect, test } from "vitest";
import type { Json } from "../kit/json.ts";
import { BOB, CREW, NEWS, saidBy } from "./message.suite.ts";
import { contentWords, isQuietService, serviceKey, serviceWords, shortWords } from "./words.ts";

const poll = {
  question: "Tea\nor coffee?",
  options: [{ text: "Tea", voter_count: 1 }, { text: "Coffee" }, "what?"],
  type: "regular",
};
const place = { latitude: 52.3700001, longitude: -4.9 };
const map = "https://www.openstreetmap.org/?mlat=52.37&mlon=-4.9#map=16/52.37/-4.9";

const contents: readonly (readonly [string, Json, string])[] = [
  ["a text", { text: "hello" }, "hello"],
  ["a caption", { photo: [], caption: "look" }, "look"],
  [
    "blocks",
    {
      rich_message: {
        blocks: [
          { type: "heading", size: 1, text: "Ships" },
          { type: "map", location: place },
        ],
      },
    },
    `Ships\n(place: ${map})`,
  ],
  ["blocks with pictures alone", { rich_message: { blocks: [{ type: "photo", photo: [] }] } }, ""],
  ["blocks of nothing", { rich_message: { blocks: [] } }, "(a message that only Telegram can show: rich message)"],
  ["a file alone", { document: { file_id: "d" } }, ""],
  ["a sticker", { sticker: { file_id: "s", emoji: "😀" } }, "(sticker 😀)"],
  ["a sticker for nothing", { sticker: { file_id: "s" } }, "(sticker)"],
  ["one that moves", { sticker: { file_id: "s", emoji: "👋", is_animated: true } }, "(moving sticker: 👋)"],
  ["one that moves for nothing", { sticker: { file_id: "s", is_animated: true } }, "(moving sticker)"],
  ["one that is a film", { sticker: { file_id: "s", emoji: "👋", is_video: true } }, "(sticker 👋)"],
  ["a voice", { voice: { file_id: "v", duration: 65 }, caption: "hm" }, "hm\n(voice message, 1:05)"],
  ["a long voice", { voice: { file_id: "v", duration: 3605 } }, "(voice message, 1:00:05)"],
  ["a video message", { video_note: { file_id: "v" } }, "(video message)"],
  ["a poll", { poll }, "Poll: Tea or coffee?\n1. Tea\n2. Coffee"],
  [
    "a closed quiz",
    { poll: { ...poll, type: "quiz", options: [], is_closed: true, allows_multiple_answers: true } },
    "Quiz: Tea or coffee? (several answers may be chosen, closed)",
  ],
  [
    "a poll with a description",
    { poll: { ...poll, description: "for\nfive", media: { photo: [] } } },
    "Poll: Tea or coffee?\nfor five\n1. Tea\n2. Coffee",
  ],
  [
    "answers with places and links",
    {
      poll: {
        question: "Where?",
        media: { location: place },
        options: [
          { text: "Here", media: { venue: { title: "Rialto", location: place } } },
          { text: "There", media: { link: { url: "https://x.example" } } },
          { text: "Seen", media: { photo: [] } },
          { text: "Hi", media: { sticker: { emoji: "👋", is_animated: true } } },
        ],
      },
    },
    `Poll: Where?\n(place: ${map})\n1. Here (place: Rialto: ${map})\n2. There (https://x.example)\n3. Seen\n4. Hi (moving sticker: 👋)`,
  ],
  ["a poll of nothing", { poll: {} }, "Poll: "],
  ["a place", { location: place }, `(place: ${map})`],
  ["a live place", { location: { ...place, live_period: 60 } }, `(live location: ${map})`],
  ["a place nowhere", { location: { latitude: "north" } }, "(place: unknown)"],
  [
    "a venue, once",
    { location: place, venue: { location: place, title: "Rialto", address: "Venice" } },
    `(place: Rialto, Venice: ${map})`,
  ],
  ["a contact", { contact: { phone_number: "+123", first_name: "Bob", last_name: "B" } }, "(contact: Bob B, +123)"],
  ["dice", { dice: { emoji: "🎯", value: 6 } }, "🎯 6"],
  ["a story", { story: { chat: NEWS, id: 3 } }, "(a story of News)"],
  ["a game", { game: { title: "Snake", description: "Eat" } }, "(game: Snake, Eat)"],
  ["an invoice", { invoice: { title: "Tea", description: "" } }, "(invoice: Tea)"],
  [
    "a checklist",
    { checklist: { title: "Trip", tasks: [{ text: "pack", completed_by_user: BOB }, { text: "go" }] } },
    "Checklist: Trip\n☑ pack\n☐ go",
  ],
  ["paid files", { paid_media: { star_count: 5, paid_media: [{ type: "preview" }] } }, "(files for 5 stars)"],
  ["a giveaway", { giveaway: { winner_count: 1 } }, "(a giveaway, 1 winner)"],
  ["its end", { giveaway_winners: { winner_count: 3 } }, "(a giveaway has ended, 3 winners)"],
  ["what is not known", { hologram_message: { x: 1 } }, "(a message that only Telegram can show: hologram message)"],
  ["nothing at all", { edit_date: 5, via_bot: BOB }, ""],
  ["what has another shape", { poll: 3, dice: [], sticker: null, text: { a: 1 } }, ""],
];

describe("what a message holds", () => {
  test.each(contents)("%s", (_, more, words) => {
    expect(contentWords(saidBy(more)).text).toBe(words);
  });

  test("keeps the formats of its text", () => {
    const entities = [{ type: "bold", offset: 0, length: 2 }, "none"];
    expect(contentWords(saidBy({ text: "hi", entities }))).toEqual({ text: "hi", entities: [entities[0]] });
    const captioned = { caption: "hi", caption_entities: entities, photo: [] };
    expect(contentWords(saidBy(captioned))).toEqual({ text: "hi", entities: [entities[0]] });
  });
});

const services: readonly (readonly [Json, string | null])[] = [
  [{ new_chat_photo: [] }, "changed the picture of the chat"],
  [{ delete_chat_photo: true }, "removed the picture of the chat"],
  [{ pinned_message: saidBy({ text: "tea\nat five" }) }, "pinned a message: “tea at five”"],
  [{ pinned_message: { message_id: 3, chat: CREW, date: 0 } }, "pinned a message"],
  [{ pinned_message: saidBy({ photo: [] }) }, "pinned a message: “(photo)”"],
  [{ pinned_message: 5 }, "pinned a message"],
  [{ message_auto_delete_timer_changed: { message_auto_delete_time: 0 } }, "lets messages stay from now on"],
  [
    { message_auto_delete_timer_changed: { message_auto_delete_time: 86_400 } },
    "lets messages be deleted after a day from now on",
  ],
  [
    { message_auto_delete_timer_changed: { message_auto_delete_time: 604_800 } },
    "lets messages be deleted after 7 days from now on",
  ],
  [{ forum_topic_created: { name: "Ships", icon_color: 1 } }, "created the topic Ships"],
  [{ forum_topic_closed: {} }, "closed the topic"],
  [{ forum_topic_reopened: {} }, "reopened the topic"],
  [{ video_chat_started: {} }, "started a video chat"],
  [{ video_chat_ended: { duration: 61 } }, "ended the video chat, 1:01"],
  [{ video_chat_participants_invited: { users: [BOB, {}] } }, "invited Bob, somebody to the video chat"],
  [{ boost_added: { boost_count: 2 } }, "boosted the chat, 2 times"],
  [{ proximity_alert_triggered: { watcher: BOB, traveler: BOB, distance: 40 } }, "is 40 m from Bob"],
  [{ checklist_tasks_done: { marked_as_done_task_ids: [1, 2] } }, "ticked 2 tasks in the checklist"],
  [{ checklist_tasks_done: { marked_as_not_done_task_ids: [1] } }, "unticked a task in the checklist"],
  [{ checklist_tasks_added: { tasks: [{ text: "pack" }] } }, "added to the checklist: pack"],
  [{ gift: { gift: { id: "g" } } }, "sent a gift"],
  [{ gift: { gift: { id: "g" }, text: "for\nyou" } }, "sent a gift: “for you”"],
  [{ unique_gift: { gift: { base_name: "Cup" }, text: "for you", is_private: true } }, "sent a gift"],
  [{ community_chat_added: { community: { id: 1, name: "Ships" } } }, "added the chat to the community Ships"],
  [{ community_chat_added: {} }, "added the chat to a community"],
  [{ community_chat_removed: {} }, "removed the chat from its community"],
  [{ suggested_post_approved: { send_date: 5 } }, "approved a suggested post"],
  [{ suggested_post_declined: {} }, "declined a suggested post"],
  [{ suggested_post_declined: { comment: "too long" } }, "declined a suggested post: too long"],
  [{ suggested_post_paid: { currency: "XTR" } }, "paid for a suggested post"],
  [{ suggested_post_refunded: { reason: "post_deleted" } }, "refunded a suggested post"],
  [{ pinned_message: saidBy({ message_id: 0, ephemeral_message_id: 4, text: "psst" }) }, "pinned a message"],
  [{ managed_bot_created: { bot: BOB } }, null],
  [{ community_chat_joined: { community: { id: 1, name: "Ships" } } }, null],
  [{ migrate_to_chat_id: -1_005 }, null],
  [{ migrate_from_chat_id: -5 }, null],
  [{ web_app_data: { data: "x" } }, null],
  [{ new_chat_members: [BOB] }, null],
  [{ new_chat_title: "Ships" }, null],
];

describe("what the service says", () => {
  test.each(services)("%j", (more, words) => {
    expect(serviceKey(saidBy(more))).not.toBeNull();
    expect(serviceWords(saidBy(more))).toBe(words);
    expect(isQuietService(saidBy(more))).toBe(words === null || "forum_topic_created" in more);
  });

  test("is not what people say", () => {
    expect(serviceKey(saidBy({ text: "hello" }))).toBeNull();
    expect(isQuietService(saidBy({ text: "hello" }))).toBe(false);
  });
});

const spoiler = (offset: number, length: number) => ({ type: "spoiler", offset, length });

test("what is quoted is short, and its spoilers stay hidden", () => {
  const spoilers = [spoiler(0, 2), spoiler(12, 3)];
  expect(shortWords(saidBy({ text: "😀 the end: Bob!", entities: spoilers }))).toBe("█ the end: ███!");
  expect(shortWords(saidBy({ text: "x".repeat(1_000) }))).toBe(`${"x".repeat(199)}…`);
  expect(shortWords(saidBy({ video_note: { file_id: "v" }, caption: "" }))).toBe("(video message)");
});
