import { describe, expect, test } from "vitest";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef, OpId } from "../../contract/ids.ts";
import type { Json } from "../kit/json.ts";
import { RoomMembers } from "./members.ts";
import { authorOf } from "./names.ts";
import { type Annotation, type MatrixReceiveContext, roomEvent, toEvents } from "./receive.ts";

const ALICE = "@alice:a.example";
const BOB = "@bob:b.example";
const US = "@rialto:a.example";

function context(
  more: Partial<MatrixReceiveContext> & { readonly annotations?: Record<string, Annotation> } = {},
): MatrixReceiveContext {
  const members = new RoomMembers();
  members.put(ALICE, { name: "Alice", avatar: "mxc://a.example/face" });
  members.put(BOB, { name: "Bob", avatar: null });
  const settings = { UseUserName: false, NoHomeServerSuffix: false };
  return {
    channel: "!r:a.example" as ChannelRef,
    isOwn: (user) => user === US || user.startsWith("@rialto_"),
    opOf: (txn) => (txn === "t1" ? ("op-1" as OpId) : null),
    author: (user, person) => authorOf(user, person, members, settings),
    annotation: (id) => more.annotations?.[id] ?? null,
    answers: () => null,
    keepQuotedReply: false,
    ...more,
  };
}

function event(type: string, content: Json, more: Json = {}): Json {
  return { type, content, event_id: "$1", sender: ALICE, origin_server_ts: 1_700_000_000_000, ...more };
}

function told(raw: Json, more?: Parameters<typeof context>[0]): readonly Event[] {
  const found = roomEvent(raw);
  return found === null ? [] : toEvents(found, context(more));
}

const message = (content: Json, more: Json = {}) => event("m.room.message", content, more);
const text = (body: string, more: Json = {}) => message({ msgtype: "m.text", body, ...more });
const html = (formatted_body: string, body = "x") => text(body, { format: "org.matrix.custom.html", formatted_body });

test("a message has its author, its place and its key", () => {
  expect(told(text("hello"))).toEqual([
    {
      kind: "posted",
      key: "$1",
      channel: "!r:a.example",
      atMs: 1_700_000_000_000,
      echoOf: null,
      messages: ["$1"],
      author: {
        id: ALICE,
        identity: null,
        name: "Alice",
        avatar: { name: "avatar", comment: "", mime: null, bytes: null, url: null, ref: "mxc://a.example/face" },
      },
      body: {
        style: "normal",
        source: { format: "plain", text: "hello" },
        files: [],
      },
      replyTo: null,
      thread: null,
    },
  ]);
});

const SPOILER = "page.codeberg.everypizza.msc4193.spoiler";
const WARNING = "town.robin.msc3725.content_warning";
const picture = (more: Json): Json =>
  message({ msgtype: "m.image", body: "map.png", filename: "map.png", url: "mxc://x/map", ...more });

describe("what is said", () => {
  test.each<[string, Json, Json]>([
    ["an emote", message({ msgtype: "m.emote", body: "waves" }), { style: "action", source: { text: "waves" } }],
    ["a notice", message({ msgtype: "m.notice", body: "hm" }), { style: "notice" }],
    [
      "an unknown type",
      message({ msgtype: "org.example.new", body: "in words" }),
      { style: "normal", source: { text: "in words" } },
    ],
    ["formatted text", html("<b>so</b>"), { source: { format: "html", text: "<b>so</b>" } }],
    [
      "formatting that is another",
      text("plain", { format: "org.other", formatted_body: "<b>x</b>" }),
      { source: { format: "plain", text: "plain" } },
    ],
    ["empty formatting", html("  ", "plain"), { source: { format: "plain", text: "plain" } }],
    ["line ends of old", text("a\r\nb\rc"), { source: { text: "a\nb\nc" } }],
    [
      "a place",
      message({ msgtype: "m.location", body: "Here", geo_uri: "geo:45.4,12.3" }),
      { source: { text: "Here (geo:45.4,12.3)" } },
    ],
    [
      "an encrypted file",
      message({ msgtype: "m.file", body: "a.bin", file: { url: "mxc://x/y" } }),
      { source: { text: "a.bin (an encrypted file)" } },
    ],
    [
      "a poll",
      event("m.poll.start", {
        "m.poll": {
          question: { "m.text": [{ body: "Tea?" }] },
          answers: [{ "m.text": [{ body: "yes" }] }, { "m.text": [{ body: "no" }] }],
        },
      }),
      { source: { text: "Poll: Tea?\n1. yes\n2. no" } },
    ],
    [
      "a poll of MSC3381",
      event("org.matrix.msc3381.poll.start", {
        "org.matrix.msc3381.poll.start": {
          question: { "org.matrix.msc1767.text": "Tea?" },
          answers: [{ "org.matrix.msc1767.text": "yes" }],
        },
      }),
      { source: { text: "Poll: Tea?\n1. yes" } },
    ],
    [
      "a sticker",
      event("m.sticker", { body: "a cat", url: "mxc://x/cat", info: { mimetype: "image/webp" } }),
      { files: [{ name: "a cat", ref: "mxc://x/cat", mime: "image/webp" }] },
    ],
    [
      "a file",
      message({ msgtype: "m.image", body: "map.png", url: "mxc://x/map", info: { mimetype: "image/png", size: 12 } }),
      {
        files: [{ name: "map.png", comment: "", mime: "image/png", bytes: 12, url: null, ref: "mxc://x/map" }],
      },
    ],
    [
      "a file with a caption",
      message({
        msgtype: "m.file",
        body: "of the lagoon",
        filename: "map.pdf",
        url: "mxc://x/map",
        info: { size: -3 },
      }),
      { files: [{ name: "map.pdf", comment: "of the lagoon", bytes: null }] },
    ],
    [
      "a file with a formatted caption",
      picture({ body: "**bold**", format: "org.matrix.custom.html", formatted_body: "<strong>bold</strong>" }),
      { source: { format: "html", text: "<strong>bold</strong>" }, files: [{ name: "map.png", comment: "" }] },
    ],
    [
      "a hidden picture (MSC4193), whose caption is open",
      picture({ body: "look", [SPOILER]: true, [`${SPOILER}.reason`]: "the\nending" }),
      { source: { text: "look" }, files: [{ name: "map.png", comment: "", spoiler: "the ending" }] },
    ],
    ["one without a reason", picture({ [SPOILER]: true }), { files: [{ spoiler: true }] }],
    ["one by the stable name", picture({ "m.spoiler": true }), { files: [{ spoiler: true }] }],
    [
      "a picture with a content warning (MSC3725)",
      picture({ [WARNING]: { type: "town.robin.msc3725.graphic" } }),
      { files: [{ spoiler: "graphic" }] },
    ],
    [
      "one with a description",
      picture({ [WARNING]: { type: "town.robin.msc3725.spoiler", description: "the ending" } }),
      { files: [{ spoiler: "the ending" }] },
    ],
  ])("%s", (_, raw, body) => {
    expect(told(raw)).toMatchObject([{ kind: "posted", body }]);
  });

  test.each<[string, Json]>([
    ["nothing", text("  ")],
    ["a verification", message({ msgtype: "m.key.verification.request", body: "verify" })],
    ["a redacted message", message({})],
    ["a type that says nothing", event("m.call.invite", { body: "x" })],
    ["a message without an id", { ...text("x"), event_id: 3 }],
    ["a content that is no object", message("x" as unknown as Json)],
    ["an edit without its new content", text("x", { "m.relates_to": { rel_type: "m.replace", event_id: "$0" } })],
    ["encrypted", event("m.room.encrypted", { ciphertext: "x" })],
  ])("%s is no event", (_, raw) => {
    expect(told(raw)).toEqual([]);
  });
});

describe("what it is about", () => {
  const reply = { "m.relates_to": { "m.in_reply_to": { event_id: "$0" } } };
  const quoted = "> <@bob:b.example> was\n> so\n\nyes";

  test("a reply, without the quote that older programs put before it", () => {
    expect(told(text(quoted, reply))).toMatchObject([
      { replyTo: "$0", thread: null, body: { source: { format: "plain", text: "yes" } } },
    ]);
    const formatted = {
      format: "org.matrix.custom.html",
      formatted_body: "<mx-reply><blockquote>x</blockquote></mx-reply><i>yes</i>",
    };
    expect(told(text(quoted, { ...reply, ...formatted }))).toMatchObject([
      { replyTo: "$0", body: { source: { format: "html", text: "<i>yes</i>" } } },
    ]);
  });

  test("a reply with a picture, whose caption is without the quote", () => {
    const files = [{ name: "map.png", comment: "yes" }];
    expect(told(picture({ body: quoted, ...reply }))).toMatchObject([{ replyTo: "$0", body: { files } }]);
    expect(told(picture({ body: quoted }))).toMatchObject([{ body: { files: [{ comment: quoted }] } }]);
  });

  test("a quote by hand stays", () => {
    expect(told(text("> was so\n\nyes", reply))).toMatchObject([
      { replyTo: "$0", body: { source: { text: "> was so\n\nyes" } } },
    ]);
    expect(told(text(quoted))).toMatchObject([{ replyTo: null, body: { source: { text: quoted } } }]);
  });

  test("KeepQuotedReply: the text has the quote, so that nobody adds another", () => {
    expect(told(text(quoted, reply), { keepQuotedReply: true })).toMatchObject([
      { replyTo: null, body: { source: { text: quoted } } },
    ]);
    expect(told(text("yes", reply), { keepQuotedReply: true })).toMatchObject([{ replyTo: "$0" }]);
  });

  test("threads, and replies in them", () => {
    const thread = (more: Json) =>
      text("x", {
        "m.relates_to": { rel_type: "m.thread", event_id: "$root", "m.in_reply_to": { event_id: "$0" }, ...more },
      });
    expect(told(thread({ is_falling_back: true }))).toMatchObject([{ thread: "$root", replyTo: null }]);
    expect(told(thread({}))).toMatchObject([{ thread: "$root", replyTo: "$0" }]);
  });

  test("an edit", () => {
    const content = {
      "m.new_content": { msgtype: "m.emote", body: "new" },
      "m.relates_to": { rel_type: "m.replace", event_id: "$0" },
    };
    expect(told(text("* new", content))).toMatchObject([
      {
        kind: "edited",
        message: "$0",
        aliases: [],
        vouched: false,
        author: { id: ALICE },
        body: { style: "action", source: { text: "new" } },
      },
    ]);
  });

  const fallback = "<mx-reply><blockquote>was so</blockquote></mx-reply>";
  test.each<[string, Json, Json]>([
    ["the plain text", { body: quoted }, { format: "plain", text: "yes" }],
    ["an action", { body: "> * <@bob:b.example> waves\n\nyes", msgtype: "m.emote" }, { format: "plain", text: "yes" }],
    ["both shapes", { body: quoted, formatted_body: `${fallback}<b>yes</b>` }, { format: "html", text: "<b>yes</b>" }],
    ["the formatted text alone", { body: "yes", formatted_body: `${fallback}yes` }, { format: "html", text: "yes" }],
    [
      "a tag with attributes",
      { body: "yes", formatted_body: `<mx-reply data-x="1">was</mx-reply>yes` },
      { format: "html", text: "yes" },
    ],
    ["none: a quote by hand", { body: "> was so\n\nyes" }, { format: "plain", text: "> was so\n\nyes" }],
    [
      "none: a formatted quote by hand",
      { body: "> was\n\nyes", formatted_body: "<blockquote>was</blockquote>yes" },
      { format: "html", text: "<blockquote>was</blockquote>yes" },
    ],
  ])("an edit loses an old reply fallback in %s", (_, fields, source) => {
    const content = {
      "m.new_content": { msgtype: "m.text", format: "org.matrix.custom.html", ...fields },
      "m.relates_to": { rel_type: "m.replace", event_id: "$0" },
    };
    expect(told(text("* x", content))).toMatchObject([{ kind: "edited", body: { source } }]);
    const kept = told(text("* x", content), { keepQuotedReply: true });
    expect(kept).toMatchObject([
      { kind: "edited", body: { source: { text: expect.stringContaining("yes") as string } } },
    ]);
  });

  test.each([
    ["before room version 11", event("m.room.redaction", {}, { redacts: "$0" })],
    ["since room version 11", event("m.room.redaction", { redacts: "$0" })],
  ])("a deletion, %s", (_, raw) => {
    expect(told(raw)).toMatchObject([{ kind: "deleted", message: "$0", by: { id: ALICE }, vouched: true, key: "$1" }]);
  });

  test.each([
    ["mxc://a/b", { shortcode: "party parrot:" }, ":partyparrot:"],
    ["mxc://a/b", {}, ":picture:"],
    ["x".repeat(60_000), {}, "x".repeat(64)],
  ])("the reaction %.20s is a short text", (key, more, emoji) => {
    const relation = { rel_type: "m.annotation", event_id: "$0", key };
    expect(told(event("m.reaction", { "m.relates_to": relation, ...more }))).toMatchObject([{ emoji }]);
  });

  test("a reaction, and its end by whomever", () => {
    const raw = event("m.reaction", { "m.relates_to": { rel_type: "m.annotation", event_id: "$0", key: "👍" } });
    expect(told(raw)).toMatchObject([{ kind: "reacted", message: "$0", author: { id: ALICE }, emoji: "👍", on: true }]);
    const annotations = { $react: { target: "$0", emoji: "👍", sender: BOB } };
    const end = event("m.room.redaction", { redacts: "$react" });
    expect(told(end, { annotations })).toMatchObject([
      { kind: "reacted", message: "$0", author: { id: BOB }, emoji: "👍", on: false },
    ]);
  });
});

describe("people", () => {
  const member = (content: Json, prev: Json | null, more: Json = {}) =>
    event("m.room.member", content, {
      state_key: ALICE,
      ...(prev !== null && { unsigned: { prev_content: prev } }),
      ...more,
    });
  const joined = { membership: "join", displayname: "Alice" };

  test.each<[string, Json, Json]>([
    ["a join", member(joined, null), { change: "join", author: { name: "Alice" }, text: "Alice joins" }],
    ["a join after an invitation", member(joined, { membership: "invite" }), { change: "join" }],
    ["a leave", member({ membership: "leave", reason: "tea" }, joined), { change: "leave", text: "Alice leaves" }],
    [
      "a rename",
      member({ membership: "join", displayname: "Al" }, joined),
      { change: "rename", author: { name: "Alice" }, newName: "Al", text: "Alice is now known as Al" },
    ],
    [
      "a kick",
      member({ membership: "leave", reason: "loud" }, joined, { sender: BOB }),
      { change: "leave", text: "Bob kicked Alice (loud)" },
    ],
    ["a ban", member({ membership: "ban" }, joined, { sender: BOB }), { change: "leave", text: "Bob banned Alice" }],
  ])("%s", (_, raw, fields) => {
    expect(told(raw)).toMatchObject([{ kind: "member", key: "$1", ...fields }]);
  });

  test.each<[string, Json]>([
    ["a new picture", member({ ...joined, avatar_url: "mxc://x/y" }, joined)],
    ["an invitation", member({ membership: "invite" }, null, { sender: BOB })],
    ["an invitation refused", member({ membership: "leave" }, { membership: "invite" })],
    ["the end of a ban", member({ membership: "leave" }, { membership: "ban" }, { sender: BOB })],
    ["ourselves", member(joined, null, { state_key: US, sender: US })],
    [
      "a user of ours",
      member(joined, null, { state_key: "@rialto_irc_x:a.example", sender: "@rialto_irc_x:a.example" }),
    ],
  ])("%s is no event", (_, raw) => {
    expect(told(raw)).toEqual([]);
  });

  test("a topic", () => {
    const raw = (topic: string, before: string) =>
      event("m.room.topic", { topic }, { state_key: "", unsigned: { prev_content: { topic: before } } });
    expect(told(raw("ships:\nthree", ""))).toMatchObject([
      { kind: "topic", author: { id: ALICE }, text: "Alice changed the topic to: ships: three" },
    ]);
    expect(told(raw("", "x"))).toMatchObject([{ text: "Alice removed the topic" }]);
    expect(told(raw("x", "x"))).toEqual([]);
  });
});

test.each<[string, Json, unknown]>([
  ["by us, in a transaction of ours", { sender: US, unsigned: { transaction_id: "t1" } }, "op-1"],
  ["by us, from before a restart", { sender: US }, "self"],
  ["by a user of ours", { sender: "@rialto_irc_x:a.example" }, "self"],
  ["by others, who may call their transactions as they like", { unsigned: { transaction_id: "t2" } }, null],
])("an event %s", (_, more, echoOf) => {
  expect(told({ ...text("x"), ...more })).toMatchObject([{ echoOf }]);
});
