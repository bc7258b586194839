import { describe, expect, test } from "vitest";
import type { ChannelRef, OpId, UserRef } from "../../contract/ids.ts";
import type { MattermostPost } from "./model.ts";
import { aPost } from "./post.suite.ts";
import { contentOf, deleted, edited, type MattermostReceiveContext, peopleOf, reacted, toEvent } from "./receive.ts";
import { hookEvent, readHookPost } from "./webhook-in.ts";

const context: MattermostReceiveContext = {
  me: "me",
  author: (id, fallback = "") => ({ id: id as UserRef, identity: null, name: fallback || id, avatar: null }),
  isBot: (id) => id === "bot",
  opOf: ({ props }: MattermostPost) => (props["rialto_op"] as OpId | undefined) ?? null,
  emoji: (name) => (name === "smile" ? "😄" : `:${name}:`),
};

const attachment = {
  pretext: "Build 7",
  author_name: "CI",
  title: "failed",
  title_link: "https://ci.example/7",
  text: "two tests",
  fields: [
    { title: "Branch", value: "main", short: true },
    { title: "Tries", value: 2 },
  ],
  actions: [{ name: "Again" }, { name: "Never" }],
};
const words = "Build 7\nCI\n**[failed](https://ci.example/7)**\ntwo tests\nBranch: main\nTries: 2\n(Again / Never)";

const burnt = "(a message that disappears after it is read, which only Mattermost can show)";

describe("posts", () => {
  test.each([
    ["said", {}, { style: "normal", text: "hello" }],
    ["/me", { type: "me", message: "*waves*", props: { message: "waves" } }, { style: "action", text: "waves" }],
    ["emphasis is no /me", { message: "*waves*" }, { style: "normal", text: "*waves*" }],
    ["an integration", { message: "", props: { attachments: [attachment] } }, { style: "normal", text: words }],
    ["and its words", { message: "see", props: { attachments: [{ fallback: "a card" }] } }, { text: "see\na card" }],
    ["a plugin's", { type: "custom_calls", message: "Call started" }, { text: "Call started" }],
    [
      "a plugin's without words",
      { type: "custom_zoom_call", message: "" },
      { text: "(a post that only Mattermost can show: zoom call)" },
    ],
    ["a plugin's file", { type: "custom_x", message: "", file_ids: ["f"] }, { text: "" }],
    ["a message that is burnt", { type: "burn_on_read", message: "", props: { expire_at: 5 } }, { text: burnt }],
    ["its words cross nowhere", { type: "burn_on_read", message: "secret", file_ids: ["f"] }, { text: burnt }],
    ["an urgent one", { metadata: { priority: { priority: "urgent" } } }, { text: "[urgent] hello" }],
    [
      "one that asks for acknowledgement",
      { metadata: { priority: { priority: "important", requested_ack: true, persistent_notifications: null } } },
      { text: "[important, asks for acknowledgement] hello" },
    ],
    [
      "one that asks for acknowledgement alone",
      { metadata: { priority: { priority: "", requested_ack: true } } },
      { text: "[asks for acknowledgement] hello" },
    ],
    [
      "an urgent quote",
      { message: "> tea", metadata: { priority: { priority: "urgent" } } },
      { text: "[urgent]\n> tea" },
    ],
    [
      "an urgent file",
      { message: "", file_ids: ["f"], metadata: { priority: { priority: "urgent" } } },
      { text: "[urgent]" },
    ],
    ["no priority", { metadata: { priority: { priority: "standard", requested_ack: false } } }, { text: "hello" }],
    ["a priority of another shape", { metadata: { priority: "urgent" } }, { text: "hello" }],
  ])("%s", (_, given, { text, ...body }) => {
    const source = { format: "mattermost", text };
    expect(toEvent(aPost(given), context)).toMatchObject({ kind: "posted", body: { ...body, source } });
  });

  test.each([
    ["nothing at all", { message: "" }],
    ["what only the server says", { type: "system_displayname_change" }],
    ["us, coming", { type: "system_join_channel", user_id: "me", props: { username: "rialto" } }],
    ["us, added", { type: "system_add_to_channel", props: { addedUserId: "me", addedUsername: "rialto" } }],
  ])("%s is no event", (_, given) => {
    expect(toEvent(aPost(given), context)).toBeNull();
  });

  test("files of a message that is burnt stay there", () => {
    const event = toEvent(aPost({ type: "burn_on_read", message: "", file_ids: ["f"] }), context);
    expect(event).toMatchObject({ body: { files: [] } });
  });

  test("in a thread, it answers the first post", () => {
    const event = toEvent(aPost({ root_id: "root" }), context);
    expect(event).toMatchObject({ replyTo: "root", thread: "root", messages: ["post"], key: "p/post", atMs: 1000 });
  });

  test("what is far too long is cut, and says so", () => {
    const long = { text: "x".repeat(65_537) };
    const said = `${"x".repeat(65_536)}… (the rest is too long)`;
    const event = toEvent(aPost({ message: "", props: { attachments: [long] } }), context);
    expect(event).toMatchObject({ body: { source: { text: said } } });
    const form = new URLSearchParams({ token: "x", channel_name: "town", ...long }).toString();
    const post = readHookPost("application/x-www-form-urlencoded", form);
    expect(post && hookEvent(post, "town" as ChannelRef, 0).body.source.text).toBe(said);
  });

  test("files by their ids, with what is known of them", () => {
    const files = [{ id: "f1", name: "a.png", size: 7, mime_type: "image/png" }];
    const event = toEvent(aPost({ message: "", file_ids: ["f1", "f2"], metadata: { files } }), context);
    expect(event).toMatchObject({
      body: {
        files: [
          { name: "a.png", bytes: 7, mime: "image/png", ref: "file/f1", url: null },
          { name: "file", bytes: null, ref: "file/f2" },
        ],
      },
    });
  });

  const hook = { from_webhook: "true" };
  const long = "x".repeat(100);
  test.each([
    ["a bot", "bot", { ...hook, override_username: "Zoe\u202e" }, "Zoe"],
    ["a bot without a name", "bot", { ...hook, override_username: " " }, "bot"],
    ["a webhook of a person", "sue", { ...hook, override_username: "Deploy Bot" }, "Deploy Bot (sue)"],
    ["a webhook without a name of its own", "sue", { ...hook, override_username: "webhook" }, "webhook (sue)"],
    ["a webhook where the server allows no names", "sue", hook, "sue"],
    ["a webhook that is called like its owner", "sue", { ...hook, override_username: "sue" }, "sue"],
    ["a person with forged props", "mallory", { ...hook, override_username: "Sue" }, "Sue (mallory)"],
    ["forged brackets", "mallory", { ...hook, override_username: "Sue (Boss)" }, "Sue (Boss) (mallory)"],
    ["a forged name without a webhook", "mallory", { override_username: "Sue" }, "mallory"],
    ["a name that is too long", "mallory", { ...hook, override_username: long }, `${"x".repeat(54)} (mallory)`],
    [
      "an owner that is too long",
      long,
      { ...hook, override_username: "y".repeat(100) },
      `${"y".repeat(21)} (${"x".repeat(40)})`,
    ],
    ["a name that writes backwards", "mallory", { ...hook, override_username: "\u202eeuS" }, "euS (mallory)"],
  ])("the author: %s", (_, user, props, name) => {
    expect(toEvent(aPost({ user_id: user, props }), context)).toMatchObject({ author: { id: user, name } });
  });

  test("ours are known by who wrote them, and by the op", () => {
    const props = { rialto_op: "op" };
    expect(toEvent(aPost({ user_id: "me" }), context)?.echoOf).toBe("self");
    expect(toEvent(aPost({ user_id: "me", props }), context)?.echoOf).toBe("op");
    expect(toEvent(aPost({ props }), context)?.echoOf).toBeNull();
  });
});

describe("members and the header", () => {
  test.each([
    ["system_join_channel", { username: "alice" }, "alice joins"],
    ["system_add_to_channel", { addedUserId: "u", addedUsername: "bob" }, "bob joins"],
    ["system_leave_channel", { username: "alice" }, "alice leaves"],
    ["system_remove_from_channel", { removedUserId: "u", removedUsername: "bob" }, "bob was removed by alice"],
    ["system_header_change", { username: "alice", new_header: "all\nabout" }, "alice changed the topic to: all about"],
    ["system_header_change", { username: "alice", new_header: "" }, "alice removed the topic"],
  ])("%s %j", (type, props, text) => {
    expect(toEvent(aPost({ type, props }), context)).toMatchObject({ text, key: "p/post" });
  });
});

test.each([
  ["all\nabout", "all\nabout"],
  ["", ""],
  ["**All** about [ships](https://ships.example/) \\* 3", "All about ships (https://ships.example/) * 3"],
])("the header %j is the topic %j", (header, topic) => {
  const props = { username: "alice", new_header: header };
  expect(toEvent(aPost({ type: "system_header_change", props }), context)).toMatchObject({ kind: "topic", topic });
});

describe("changes", () => {
  test("an edit is known by its moment, and the server has checked it", () => {
    const event = edited(aPost({ edit_at: 2000, update_at: 2001, message: "better" }), context);
    expect(event).toMatchObject({ key: "e/post/2000", message: "post", vouched: true, author: { id: "alice" } });
  });

  test.each([
    [{}, false, { echoOf: null, by: null }],
    [{ deleteBy: "bob" }, false, { echoOf: null, by: { id: "bob" } }],
    [{ deleteBy: "me" }, false, { echoOf: "self" }],
    [{}, true, { echoOf: "self" }],
  ])("a deletion with %j, ours: %j", (props, ours, expected) => {
    const post = aPost({ props, delete_at: 3000 });
    expect(deleted(post, ours, context)).toMatchObject({ ...expected, key: "d/post", atMs: 3000, vouched: true });
  });

  test("reactions, of the usual kind and the server's own", () => {
    const channel = "town" as ChannelRef;
    const reaction = { userId: "bob", postId: "post", emoji: "party_parrot", atMs: 5 };
    expect(reacted(reaction, { channel, on: true, stamp: 5 }, context)).toMatchObject({
      emoji: ":party_parrot:",
      on: true,
      key: "r/post/bob/party_parrot/5",
    });
    const smile = { ...reaction, emoji: "smile", userId: "me" };
    expect(reacted(smile, { channel, on: false, stamp: null }, context)).toMatchObject({
      emoji: "😄",
      on: false,
      key: null,
      echoOf: "self",
    });
  });

  test("pins, pictures of links and other props say the same", () => {
    const post = aPost();
    expect(contentOf(aPost({ is_pinned: true, props: { x: 1 }, metadata: { embeds: [{}] } }))).toBe(contentOf(post));
    expect(contentOf(aPost({ message: "other" }))).not.toBe(contentOf(post));
    expect(contentOf(aPost({ file_ids: ["f"] }))).not.toBe(contentOf(post));
    expect(contentOf(aPost({ props: { attachments: [attachment] } }))).not.toBe(contentOf(post));
  });

  test("who has to be known", () => {
    const reactions = [{ user_id: "carol", post_id: "post", emoji_name: "x" }];
    const post = aPost({ props: { addedUserId: "bob", deleteBy: "" }, metadata: { reactions } });
    expect(peopleOf(post)).toEqual(["alice", "bob", "carol"]);
  });
});
