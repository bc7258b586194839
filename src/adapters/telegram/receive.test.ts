import { describe, expect, test } from "vitest";
import type { Author } from "../../contract/events.ts";
import { mint, type ChannelRef } from "../../contract/ids.ts";
import { type Json, NOTHING, textIn } from "../kit/json.ts";
import { telegramHappeningIn, type TelegramComing, type TelegramReacting } from "./happening.ts";
import { userRef } from "./ids.ts";
import { ALICE, aTelegramMessage, BOB, CREW, NEWS } from "./message.suite.ts";
import { came, edited, reacted, type TelegramReceiveContext, toEvents } from "./receive.ts";

const channel: ChannelRef = mint("ChannelRef", "-1001");
const named = (id: number, name: string): Author => ({ id: userRef(id), identity: null, name, avatar: null });

const context: TelegramReceiveContext = {
  me: 1,
  author: ({ from, senderChat, chat }) => named((senderChat ?? from ?? chat).id, from?.firstName ?? "a chat"),
  person: ({ id, firstName }) => named(id, firstName),
  peer: ({ id, title }) => named(id, title),
  emoji: (reaction) => textIn(reaction, "emoji") ?? "",
  isJoined: (chat) => chat === NEWS.id,
  stickersAsPng: false,
};

const told = (...messages: readonly Json[]): readonly object[] =>
  toEvents(messages.map(aTelegramMessage), channel, context);

const textOf = (more: Json): unknown => {
  const [event] = told(more) as readonly { body?: { source: { text: string } } }[];
  return event?.body?.source.text.replaceAll(/<\/?p>/gu, "");
};

const bold = [{ type: "bold", offset: 0, length: 2 }];
const photo = (id: string) => [
  { file_id: "small", file_unique_id: "s", width: 90, height: 60, file_size: 10 },
  { file_id: id, file_unique_id: `u${id}`, width: 900, height: 600, file_size: 100 },
];
const forwarded = (origin: Json): Json => ({ text: "ahoy", forward_origin: { date: 5, ...origin } });

describe("messages", () => {
  test("of people", () => {
    expect(told({ text: "hello" })).toEqual([
      {
        kind: "posted",
        channel,
        key: "p/-1001/5",
        atMs: 100_000,
        echoOf: null,
        messages: ["5"],
        author: named(7, "Alice"),
        body: { style: "normal", source: { format: "plain", text: "hello" }, files: [] },
        replyTo: null,
        thread: null,
      },
    ]);
  });

  test("with formats", () => {
    const source = { format: "html", text: "<strong>hi</strong> there" };
    expect(told({ text: "hi there", entities: bold })).toMatchObject([{ body: { source } }]);
  });

  test("of a basic group have the group in their names", () => {
    expect(told({ text: "hello", chat: { id: -5, type: "group", title: "Old" } })).toMatchObject([
      { messages: ["-5/5"] },
    ]);
  });

  test("of ours are known by who wrote them", () => {
    const pinned = { from: { id: 1, is_bot: true, first_name: "Rialto" }, pinned_message: { text: "x" } };
    expect(told(pinned)).toMatchObject([{ echoOf: "self" }]);
  });

  test("of an album are one", () => {
    const group = { media_group_id: "g" };
    expect(
      told(
        { photo: photo("a"), ...group },
        { message_id: 6, photo: photo("b"), caption: "look", caption_entities: bold, ...group },
        { message_id: 7, video: { file_id: "c", file_name: "c.mp4" }, ...group },
      ),
    ).toMatchObject([
      {
        key: "p/-1001/5",
        messages: ["5", "6", "7"],
        body: {
          source: { text: "<strong>lo</strong>ok" },
          files: [{ name: "photo-5.jpg", bytes: 100 }, { name: "photo-6.jpg" }, { name: "c.mp4" }],
        },
      },
    ]);
  });

  test.each([
    ["a message for one person", { text: "psst", ephemeral_message_id: 3, receiver_user: BOB }],
    ["a command that the bot alone is given", { text: "/x", message_id: 0, ephemeral_message_id: 3 }],
    ["a question of another chat with the same id", { text: "@rialto hi", guest_query_id: "q" }],
    ["a message to the account of a business", { text: "hi", business_connection_id: "b" }],
    ["what is told in its channel", { text: "news", sender_chat: NEWS, is_automatic_forward: true }],
    ["nothing to see", { via_bot: undefined }],
    ["where a group has moved to", { migrate_to_chat_id: -1_007 }],
    ["where it comes from", { migrate_from_chat_id: -7 }],
    ["us, coming", { new_chat_members: [{ id: 1, is_bot: true, first_name: "Rialto" }] }],
    ["us, coming from a community", { community_chat_joined: {}, from: { id: 1, is_bot: true, first_name: "R" } }],
    ["us, going", { left_chat_member: { id: 1, is_bot: true, first_name: "Rialto" } }],
    ["nobody, coming", { new_chat_members: [{}] }],
  ])("%s is no event", (_, more) => {
    expect(told(more)).toEqual([]);
  });

  test("no messages are no event", () => {
    expect(toEvents([], channel, context)).toEqual([]);
  });
});

describe("words around a message", () => {
  const elsewhere = { origin: { type: "user", sender_user: BOB }, document: { file_id: "d" } };
  test.each([
    ["who is forwarded", forwarded({ type: "user", sender_user: BOB }), "<em>Forwarded from Bob:</em><br>ahoy"],
    [
      "who is forwarded and hidden",
      forwarded({ type: "hidden_user", sender_user_name: "B." }),
      "<em>Forwarded from B.:</em><br>ahoy",
    ],
    [
      "which channel is forwarded",
      forwarded({ type: "channel", chat: NEWS, message_id: 3, author_signature: "Eve" }),
      "<em>Forwarded from Eve (News):</em><br>ahoy",
    ],
    ["nobody who is forwarded", forwarded({ type: "martian" }), "ahoy"],
    [
      "a copy of a channel that is not here",
      { ...forwarded({ type: "channel", chat: CREW }), sender_chat: CREW, is_automatic_forward: true },
      "ahoy",
    ],
    ["the bot that made it", { text: "cat", via_bot: { id: 9, username: "gif" } }, "cat<br><em>via @gif</em>"],
    [
      "buttons that lead somewhere",
      {
        text: "cat",
        reply_markup: {
          inline_keyboard: [
            [{ text: "Site", url: "https://x.example/" }, { text: "Vote", callback_data: "v" }, 5],
            [
              { text: "More", url: "https://y.example/" },
              { text: "Me", url: "tg://user?id=5" },
            ],
            "none",
          ],
        },
      },
      'cat<br><a href="https://x.example/">Site</a> / <a href="https://y.example/">More</a>',
    ],
    [
      "for whom a bot that is a guest answers",
      { text: "cat", from: { id: 9, is_bot: true, first_name: "Guest" }, guest_bot_caller_user: BOB },
      "cat<br><em>for Bob</em>",
    ],
    [
      "no person, where the bot answers a message of the chat",
      { text: "cat", guest_bot_caller_user: BOB, reply_to_message: { message_id: 3, chat: CREW } },
      "cat",
    ],
    [
      "no part of an ephemeral message",
      {
        text: "so?",
        reply_to_message: { message_id: 0, ephemeral_message_id: 4, chat: CREW, text: "psst" },
        quote: { text: "psst", is_manual: true },
      },
      "so?",
    ],
    [
      "what is answered elsewhere",
      { text: "yes", external_reply: { ...elsewhere, chat: NEWS }, quote: { text: "tea?" } },
      "<em>In answer to Bob:</em><blockquote>tea?</blockquote>yes",
    ],
    [
      "a file that is answered elsewhere",
      { text: "yes", external_reply: elsewhere },
      "<em>In answer to Bob:</em><blockquote>(document)</blockquote>yes",
    ],
    [
      "words that are answered elsewhere, of which nothing is told",
      { text: "yes", external_reply: { origin: { type: "user", sender_user: BOB }, chat: NEWS, message_id: 3 } },
      "<em>In answer to Bob:</em><br>yes",
    ],
    [
      "a story that is answered",
      { text: "wow", reply_to_story: { chat: NEWS, id: 3 } },
      "<em>In answer to a story of News:</em><br>wow",
    ],
    [
      "the part that is answered",
      { text: "yes", reply_to_message: { message_id: 3, chat: CREW }, quote: { text: "tea?", is_manual: true } },
      "<blockquote>tea?</blockquote>yes",
    ],
    [
      "no part that the server chose",
      { text: "yes", reply_to_message: { message_id: 3, chat: CREW }, quote: { text: "tea?" } },
      "yes",
    ],
    [
      "what is answered that is told in its channel",
      { text: "no", reply_to_message: { message_id: 3, sender_chat: NEWS, is_automatic_forward: true, text: "news" } },
      "<blockquote>news</blockquote>no",
    ],
  ])("%s", (_, more, text) => {
    expect(textOf(more)).toBe(text);
  });
});

describe("what is answered", () => {
  const root = { message_id: 3, chat: CREW, text: "hi" };
  const topic = { message_thread_id: 3, is_topic_message: true };
  test.each([
    ["a message", { reply_to_message: root }, "3"],
    ["one of a thread, which is no topic", { reply_to_message: { ...root, message_id: 4 }, message_thread_id: 3 }, "4"],
    ["not the beginning of a topic", { reply_to_message: { ...root, forum_topic_created: {} }, ...topic }, null],
    ["not even if nobody says what it was", { reply_to_message: root, ...topic }, null],
    ["a message in a topic", { reply_to_message: { ...root, message_id: 4, ...topic }, ...topic }, "4"],
    ["not that somebody came", { reply_to_message: { ...root, new_chat_members: [BOB] } }, null],
    ["that something was pinned", { reply_to_message: { ...root, pinned_message: {} } }, "3"],
    ["not a message of another chat", { reply_to_message: { ...root, chat: NEWS } }, null],
    ["not a copy", { reply_to_message: { ...root, sender_chat: NEWS, is_automatic_forward: true } }, null],
    ["not an ephemeral message", { reply_to_message: { ...root, message_id: 0, ephemeral_message_id: 4 } }, null],
    ["not what has no id", { reply_to_message: { text: "hi" } }, null],
    [
      "in a basic group, with its name",
      { reply_to_message: { message_id: 3 }, chat: { id: -5, type: "group" } },
      "-5/3",
    ],
  ])("%s", (_, more, replyTo) => {
    expect(told({ text: "yes", ...more })).toMatchObject([{ replyTo, thread: null }]);
  });
});

describe("what the service says", () => {
  const member = { kind: "member", channel, atMs: 100_000, echoOf: null };
  test("who comes", () => {
    expect(told({ new_chat_members: [BOB, ALICE], from: BOB })).toEqual([
      { ...member, key: "m/-1001/5/8", author: named(8, "Bob"), change: "join", text: "Bob joins" },
      { ...member, key: "m/-1001/5/7", author: named(7, "Alice"), change: "join", text: "Alice was added by Bob" },
    ]);
  });

  test("a person who joins by way of a community", () => {
    const event = { ...member, author: named(7, "Alice"), change: "join", key: "m/-1001/5/7" };
    expect(told({ community_chat_joined: { community: { id: 1, name: "Ships" } } })).toEqual([
      { ...event, text: "Alice joins from the community Ships" },
    ]);
  });

  test.each([
    ["who goes", { left_chat_member: ALICE }, "Alice leaves"],
    ["who is removed", { left_chat_member: BOB }, "Bob was removed by Alice"],
    ["who was added by nobody", { new_chat_members: [BOB], from: undefined }, "Bob joins"],
  ])("%s", (_, more, text) => {
    expect(told(more)).toMatchObject([{ kind: "member", text }]);
  });

  test.each([
    ["the name of the chat", { new_chat_title: "Ships" }, "Alice changed the name of the chat to: Ships"],
    ["the name of the topic", { forum_topic_edited: { name: "Tea" } }, "Alice changed the name of the topic to: Tea"],
    ["the icon of the topic", { forum_topic_edited: {} }, "Alice changed the icon of the topic"],
  ])("%s", (_, more, text) => {
    expect(told(more)).toMatchObject([
      { kind: "topic", topic: null, author: { name: "Alice" }, text, key: "p/-1001/5" },
    ]);
  });

  test("what is pinned, as something that somebody does", () => {
    const body = { style: "action", source: { format: "plain", text: "pinned a message: “tea”" }, files: [] };
    expect(told({ pinned_message: { text: "tea" } })).toMatchObject([{ kind: "posted", messages: ["5"], body }]);
  });
});

describe("edits", () => {
  const change = (more: Json) => {
    const message = aTelegramMessage(more);
    return edited([message], { message, update: 9 }, channel, context);
  };

  test("name the message and the change", () => {
    expect(change({ text: "better", edit_date: 130 })).toEqual({
      kind: "edited",
      channel,
      key: "e/-1001/5/9",
      atMs: 130_000,
      echoOf: null,
      message: "5",
      aliases: [],
      author: named(7, "Alice"),
      vouched: true,
      body: { style: "normal", source: { format: "plain", text: "better" }, files: [] },
    });
  });

  test("of an album tell all of it", () => {
    const group = { media_group_id: "g" };
    const first = aTelegramMessage({ photo: photo("a"), caption: "one", ...group });
    const message = aTelegramMessage({ message_id: 6, photo: photo("b"), caption: "two", ...group });
    expect(edited([first, message], { message, update: 9 }, channel, context)).toMatchObject({
      message: "6",
      body: { source: { text: "one\ntwo" }, files: [{ name: "photo-5.jpg" }, { name: "photo-6.jpg" }] },
    });
  });

  test.each([
    ["of what the service says", { pinned_message: { text: "x" } }],
    ["of a copy", { text: "news", sender_chat: NEWS, is_automatic_forward: true }],
    ["that leave nothing", { text: "" }],
  ])("%s are none", (_, more) => {
    expect(change(more)).toBeNull();
  });
});

const base = { chat: CREW, date: 100 };
const emoji = (one: string): Json => ({ type: "emoji", emoji: one });

describe("reactions", () => {
  const react = (body: Json): readonly string[] => {
    const what = telegramHappeningIn({ id: 9, kind: "message_reaction", body: { ...base, message_id: 5, ...body } });
    const reacting: TelegramReacting | null = what.is === "reacted" ? what.reacting : null;
    const events = reacting === null ? [] : reacted(reacting, { channel, update: 9 }, context);
    return events.map(({ author, on, emoji: one, echoOf }) => `${author.name} ${on ? "+" : "-"}${one} ${echoOf ?? ""}`);
  };

  test.each([
    ["put on", { user: ALICE, new_reaction: [emoji("👍")] }, ["Alice +👍 "]],
    ["taken off", { user: ALICE, old_reaction: [emoji("👍")], new_reaction: [] }, ["Alice -👍 "]],
    [
      "changed",
      { user: ALICE, old_reaction: [emoji("👍"), emoji("🔥")], new_reaction: [emoji("🔥"), emoji("🎉")] },
      ["Alice -👍 ", "Alice +🎉 "],
    ],
    ["of somebody hidden", { actor_chat: CREW, new_reaction: [emoji("👍")] }, ["Crew +👍 "]],
    ["of nobody", { new_reaction: [emoji("👍")] }, []],
    ["of ours", { user: { id: 1, first_name: "Rialto" }, new_reaction: [emoji("👍")] }, ["Rialto +👍 self"]],
    ["that nobody can show", { user: ALICE, new_reaction: [{ type: "aura" }, 5] }, []],
    ["of another shape", { user: ALICE, new_reaction: { x: 1 } }, []],
  ])("%s", (_, body, words) => {
    expect(react(body)).toEqual(words);
  });

  test("are told apart by what changed, and where", () => {
    const what = { ...base, message_id: 5, user: ALICE, new_reaction: [emoji("👍")] };
    const happened = telegramHappeningIn({ id: 9, kind: "message_reaction", body: what });
    if (happened.is !== "reacted") throw new Error("that is no reaction");
    const [one] = reacted(happened.reacting, { channel, update: 9 }, context);
    expect(one).toMatchObject({ key: "r/-1001/5/9/+👍", message: "5", atMs: 100_000, channel });
  });
});

describe("who is in a chat", () => {
  const change = (body: Json): string | null => {
    const what = telegramHappeningIn({ id: 9, kind: "chat_member", body: { ...base, from: ALICE, ...body } });
    const coming: TelegramComing | null = what.is === "came" ? what.coming : null;
    return coming === null ? null : (came(coming, { channel, update: 9 }, context)?.text ?? null);
  };
  const is = (status: string, user: Json = BOB, more: Json = NOTHING): Json => ({ status, user, ...more });

  test.each([
    ["comes", is("left"), is("member"), "Bob was added by Alice"],
    ["comes alone", is("kicked", ALICE), is("administrator", ALICE), "Alice joins"],
    ["goes alone", is("creator", ALICE), is("left", ALICE), "Alice leaves"],
    ["is banned", is("member"), is("kicked"), "Bob was removed by Alice"],
    ["is banned after leaving", is("left"), is("kicked"), null],
    ["gets rights", is("member"), is("administrator"), null],
    ["is restricted", is("member"), is("restricted", BOB, { is_member: true }), null],
    ["is restricted outside", is("left"), is("restricted", BOB, { is_member: false }), null],
    ["comes, restricted", is("restricted", BOB, { is_member: false }), is("member"), "Bob was added by Alice"],
    ["is us", is("left", { id: 1 }), is("member", { id: 1 }), null],
    ["is nobody", is("left", {}), is("member", {}), null],
    ["was never told of", NOTHING, is("member", ALICE), "Alice joins"],
  ])("somebody who %s", (_, before, now, words) => {
    expect(change({ old_chat_member: before, new_chat_member: now })).toBe(words);
  });
});

test.each([
  ["in a forum", { ...CREW, is_forum: true }, 3, 3],
  ["in its first one, which has no number", CREW, 1, null],
  ["in what a person and a bot say to each other, which is one room", { id: 7, type: "private" }, 3, null],
])("the topic %s", (_, chat, thread, topic) => {
  expect(aTelegramMessage({ chat, is_topic_message: true, message_thread_id: thread }).topic).toBe(topic);
  expect(aTelegramMessage({ chat, message_thread_id: thread }).topic).toBeNull();
});

test.each([
  ["message", { text: "no id" }],
  ["message", { message_id: 5, chat: "here" }],
  ["edited_channel_post", { message_id: 1.5, chat: CREW }],
  ["message_reaction", { chat: CREW }],
  ["chat_member", { chat: CREW }],
  ["my_chat_member", base],
  ["poll", {}],
  ["", {}],
])("what is strange concerns nobody: %s %j", (kind, body) => {
  expect(telegramHappeningIn({ id: 1, kind, body })).toEqual({ is: "other" });
});
