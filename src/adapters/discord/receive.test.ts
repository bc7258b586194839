import {
  type APIAttachment,
  type APIMessage,
  ButtonStyle,
  ComponentType,
  EmbedType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  StickerFormatType,
} from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import type { MessageRef } from "../../contract/ids.ts";
import { aMessage, ALICE, aReceiveContext as context } from "./message.suite.ts";
import { actionIn, deleted, edited, reacted, toEvent, topicChanged } from "./receive.ts";

const BOB = { ...ALICE, id: "101", username: "bob" };

const attachment = (given: Partial<APIAttachment> = {}): APIAttachment => ({
  id: "900",
  filename: "map.png",
  size: 12,
  url: "https://cdn.discordapp.com/attachments/5/900/map.png?ex=1&is=0&hm=a",
  proxy_url: "https://media.discordapp.net/attachments/5/900/map.png",
  content_type: "image/png",
  ...given,
});

const poll = {
  question: { text: "Tea *now*?" },
  answers: [
    { answer_id: 1, poll_media: { text: "Yes", emoji: { id: null, name: "🍵" } } },
    { answer_id: 2, poll_media: { text: "No" } },
  ],
  expiry: null,
  allow_multiselect: true,
  layout_type: 1,
} satisfies APIMessage["poll"];

const snapshot = {
  type: MessageType.Default,
  content: "one\ntwo",
  embeds: [],
  attachments: [attachment({ id: "901", filename: "old.txt" })],
  timestamp: "2024-04-01T00:00:00.000000+00:00",
  edited_timestamp: null,
  mentions: [],
  mention_roles: [],
} satisfies NonNullable<APIMessage["message_snapshots"]>[number]["message"];

const display = [
  {
    type: ComponentType.Container,
    components: [
      { type: ComponentType.TextDisplay, content: "# Build" },
      {
        type: ComponentType.Section,
        components: [{ type: ComponentType.TextDisplay, content: "all **green**" }],
        accessory: { type: ComponentType.Button, style: ButtonStyle.Link, label: "see", url: "https://ci.example/1" },
      },
    ],
  },
] satisfies APIMessage["components"];

const result = (fields: Readonly<Record<string, string>>): APIMessage["embeds"] => [
  { type: EmbedType.PollResult, fields: Object.entries(fields).map(([name, value]) => ({ name, value })) },
];

const sticker = (name: string, format: StickerFormatType) => ({ id: "77", name, format_type: format });

const action = (text: string) => ({ style: "action", text });
const normal = (text: string) => ({ style: "normal", text });

describe("what is said", () => {
  test.each<[string, Partial<APIMessage>, { style: string; text: string }]>([
    ["text", {}, normal("hello")],
    ["/me", { content: "_waves at snake_case_" }, action("waves at snake_case")],
    [
      "mentions",
      { content: "<@7> <@!7> <@101> <@&8> <#9>", mentions: [BOB] },
      normal("<@7|Known> <@7|Known> <@101|bob> <@&8|mods> <#9|general>"),
    ],
    ["who is unknown", { content: "<@1> <@&2> <#3>" }, normal("<@1> <@&2> <#3>")],
    ["a poll", { content: "", poll }, normal("Poll: Tea \\*now\\*? (several answers may be chosen)\n1. 🍵 Yes\n2. No")],
    ["a sticker", { content: "", sticker_items: [sticker("wave", StickerFormatType.PNG)] }, normal("(sticker: wave)")],
    [
      "a voice message",
      { content: "", flags: MessageFlags.IsVoiceMessage, attachments: [attachment({ duration_secs: 72.6 })] },
      normal("(voice message, 1:13)"),
    ],
    [
      "a forward",
      { content: "", flags: MessageFlags.HasSnapshot, message_snapshots: [{ message: snapshot }] },
      normal("forwarded:\n> one\n> two"),
    ],
    [
      "a forward of files",
      { content: "", message_snapshots: [{ message: { ...snapshot, content: "" } }] },
      normal("forwarded:"),
    ],
    [
      "components",
      { content: "", flags: MessageFlags.IsComponentsV2, components: display },
      normal("# Build\nall **green**\n[see](https://ci.example/1)"),
    ],
    [
      "a program's embed",
      {
        content: "",
        embeds: [
          {
            title: "Build 7",
            url: "https://ci.example/7",
            description: "failed",
            fields: [{ name: "Branch", value: "main" }],
            footer: { text: "CI" },
          },
        ],
      },
      normal("**[Build 7](https://ci.example/7)**\nfailed\nBranch: main\nCI"),
    ],
    [
      "a program's embed beside a file",
      { content: "", attachments: [attachment()], embeds: [{ title: "Report" }] },
      normal("**Report**"),
    ],
    [
      "a preview says nothing new",
      { content: "https://example.org/", embeds: [{ title: "Example" }] },
      normal("https://example.org/"),
    ],
    ["an answer to a command", { type: MessageType.ChatInputCommand, content: "done" }, normal("done")],
    ["a followed announcement", { flags: MessageFlags.IsCrosspost, webhook_id: "66", content: "news" }, normal("news")],
    ["a pin", { type: MessageType.ChannelPinnedMessage, content: "" }, action("pinned a message")],
    ["a boost", { type: MessageType.GuildBoost, content: "" }, action("boosted the server")],
    [
      "a boost to a level",
      { type: MessageType.GuildBoostTier2, content: "" },
      action("boosted the server, which has reached level 2"),
    ],
    [
      "a thread",
      { type: MessageType.ThreadCreated, content: "plans *for* tea" },
      action("started a thread: plans \\*for\\* tea"),
    ],
    [
      "somebody taken into a thread",
      { type: MessageType.RecipientAdd, content: "", mentions: [BOB] },
      action("added <@101|bob> to the thread"),
    ],
    [
      "a poll that has ended",
      {
        type: MessageType.PollResult,
        content: "",
        embeds: result({
          poll_question_text: "Tea?",
          victor_answer_text: "Yes",
          victor_answer_votes: "3",
          total_votes: "4",
        }),
      },
      normal("The poll “Tea?” has ended: “Yes” has 3 of 4 votes"),
    ],
    [
      "… in a tie",
      { type: MessageType.PollResult, content: "", embeds: result({ poll_question_text: "Tea?", total_votes: "4" }) },
      normal("The poll “Tea?” has ended in a tie, with 4 votes"),
    ],
    [
      "… without votes",
      { type: MessageType.PollResult, content: "", embeds: result({ poll_question_text: "Tea?", total_votes: "0" }) },
      normal("The poll “Tea?” has ended without votes"),
    ],
  ])("%s", (_, given, { style, text }) => {
    const event = toEvent(aMessage(given), context);
    expect(event).toMatchObject({ kind: "posted", key: "p/500", body: { style, source: { format: "discord", text } } });
  });

  test.each<[string, Partial<APIMessage>]>([
    ["nothing at all", { content: "" }],
    ["what one person alone sees", { flags: MessageFlags.Ephemeral }],
    ["what a program has yet to say", { flags: MessageFlags.Loading, content: "" }],
    ["what a thread begins with", { type: MessageType.ThreadStarterMessage, content: "" }],
    ["a reminder to invite people", { type: MessageType.GuildInviteReminder, content: "" }],
    ["us, coming", { type: MessageType.UserJoin, content: "", author: { ...ALICE, id: "me" } }],
  ])("%s is no event", (_, given) => {
    expect(toEvent(aMessage(given), context)).toBeNull();
  });

  test("far too much is cut, and says so", () => {
    const embeds = [{ description: "x".repeat(70_000) }];
    const event = toEvent(aMessage({ content: "", embeds }), context);
    const text = `${"x".repeat(65_536)}… (the rest is too long)`;
    expect(event).toMatchObject({ body: { source: { text } } });
  });

  test("who comes is told as a member", () => {
    const event = toEvent(aMessage({ type: MessageType.UserJoin, content: "" }), context);
    expect(event).toMatchObject({ kind: "member", change: "join", text: "alice joins" });
  });

  test("our own is an echo", () => {
    expect(toEvent(aMessage({ author: { ...ALICE, id: "me" } }), context)).toMatchObject({ echoOf: "self" });
  });
});

describe("where it is said", () => {
  const inThread = { ...context, thread: "50", first: "50" as MessageRef };
  const answer = (message_id: string, channel_id: string) => ({
    type: MessageType.Reply,
    message_reference: { type: MessageReferenceType.Default, message_id, channel_id },
  });

  test.each([
    ["in the room", {}, context, { messages: ["500"], replyTo: null, thread: null }],
    ["an answer", answer("499", "5"), context, { replyTo: "499" }],
    ["an answer to what is elsewhere", answer("499", "6"), context, { replyTo: null }],
    ["in a thread", { channel_id: "50" }, inThread, { channel: "5", messages: ["50/500"], thread: "50" }],
    ["an answer in a thread", { channel_id: "50", ...answer("499", "50") }, inThread, { replyTo: "50/499" }],
    [
      "what a thread begins with",
      { channel_id: "50" },
      { ...inThread, first: "50/500" as MessageRef },
      { thread: null },
    ],
    ["where nobody knows the first", { channel_id: "50" }, { ...inThread, first: null }, { thread: null }],
  ])("%s", (_, given, at, expected) => {
    expect(toEvent(aMessage(given), at)).toMatchObject(expected);
  });
});

describe("files", () => {
  test.each<[string, Partial<APIMessage>, readonly object[]]>([
    [
      "an attachment",
      { attachments: [attachment({ description: "of the harbour" })] },
      [{ name: "map.png", comment: "of the harbour", mime: "image/png", bytes: 12, url: null, ref: "5/500/900" }],
    ],
    [
      "one whose name the network has changed",
      { attachments: [attachment({ filename: "Karte_.png", title: "Karte ü" })] },
      [{ name: "Karte ü.png" }],
    ],
    [
      "of a forward",
      { content: "", message_snapshots: [{ message: snapshot }] },
      [{ name: "old.txt", ref: "5/500/901" }],
    ],
    [
      "a sticker",
      { sticker_items: [sticker("wave", StickerFormatType.GIF)] },
      [{ name: "wave.gif", url: "https://media.discordapp.net/stickers/77.gif", ref: null }],
    ],
    ["one that is hidden", { attachments: [attachment({ flags: 8 })] }, [{ name: "map.png", spoiler: true }]],
    [
      "one that an older client hides",
      { attachments: [attachment({ filename: "SPOILER_map.png", title: "SPOILER_Karte ü" })] },
      [{ name: "Karte ü.png", spoiler: true }],
    ],
    [
      "one that is hidden in a component",
      {
        flags: MessageFlags.IsComponentsV2,
        components: [
          {
            type: ComponentType.MediaGallery,
            items: [{ media: { url: "https://x/a.png", attachment_id: "7" }, spoiler: true }],
          },
        ],
      },
      [{ name: "a.png", spoiler: true }],
    ],
    ["a sticker that is a program", { sticker_items: [sticker("wave", StickerFormatType.Lottie)] }, []],
  ])("%s", (_, given, files) => {
    expect(toEvent(aMessage(given), context)).toMatchObject({ body: { files } });
  });
});

test.each(["spoiler channel", "age-restricted channel"])("files are hidden with the reason: %s", (hidden) => {
  const given = { attachments: [attachment({}), attachment({ id: "901", flags: 8 })] };
  const files = [{ spoiler: hidden }, { spoiler: hidden }];
  expect(toEvent(aMessage(given), { ...context, hidden })).toMatchObject({ body: { files } });
});

describe("ShowEmbeds", () => {
  // The wording of the reference, where programs may look for it.
  test.each<[APIMessage["embeds"][number], string]>([
    [{}, "see"],
    [{ title: "blah" }, "see embed: blah"],
    [{ title: "blah", description: "blah2" }, "see embed: blah - blah2"],
    [{ title: "blah", description: "blah2", url: "blah3" }, "see embed: blah - blah2 - blah3"],
    [{ description: "blah2", url: "blah3" }, "see embed: blah2 - blah3"],
    [{ url: "blah3" }, "see embed: blah3"],
  ])("%j", (embed, text) => {
    const event = toEvent(aMessage({ content: "see", embeds: [embed] }), { ...context, showEmbeds: true });
    expect(event).toMatchObject({ body: { source: { text } } });
  });
});

test.each([
  ["_waves_", "waves"],
  ["_a\nb_", "a\nb"],
  ["_waves_ and _bows_", null],
  ["__underlined__", null],
  ["_waves", null],
  ["_ waves_", null],
  ["_waves\\_", null],
  ["__", null],
])("/me in %j", (text, words) => {
  expect(actionIn(text)).toBe(words);
});

test("edits, deletions, reactions and topics name what they change", () => {
  const message = aMessage({ content: "better", edited_timestamp: "2024-05-01T12:05:00.000000+00:00" });
  const atMs = Date.UTC(2024, 4, 1, 12, 5);
  const edit = edited(message, context);
  expect(edit).toMatchObject({ message: "500", vouched: true, atMs });
  expect(edit?.key).toContain(`e/500/${atMs}/`);
  expect(deleted("500", { ours: true, atMs }, context)).toMatchObject({ key: "d/500", echoOf: "self", by: null });
  const emoji = { emojiId: "3", emojiName: "parrot" };
  const reacting = { message: "500", user: "7", me: "me", emoji, on: true, atMs };
  expect(reacted(reacting, context)).toMatchObject({ emoji: ":parrot:", author: { name: "user 7" }, echoOf: null });
  expect(topicChanged("5", "  ships:\nthree ", atMs).text).toBe("the topic is now: ships: three");
  expect(topicChanged("5", "", atMs).text).toBe("the topic was removed");
});
