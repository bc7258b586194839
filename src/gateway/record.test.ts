import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { Author, Event, Member, Posted, Topic } from "../contract/events.ts";
import type { ChannelRef, EventKey, MessageRef, OpId, UserRef } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import { decodeStored } from "./codec.ts";
import { compileInbound } from "./inbound.ts";
import { compileRecord, type Recorded } from "./record.ts";
import { anAccount } from "./samples.suite.ts";

/** The name of a format of text. */
const FORMAT = "irc";
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const BOB: Author = { id: "b@host" as UserRef, name: "bob", avatar: null, bot: false };

const BASE = { key: null, channel: "ref" as ChannelRef, atMs: NOW - 1000, echoOf: null };

function posted(text: string, more: Partial<Omit<Posted, "body">> = {}, body: Partial<Posted["body"]> = {}): Posted {
  return {
    ...BASE,
    kind: "posted",
    messages: [],
    author: BOB,
    replyTo: null,
    thread: null,
    ...more,
    body: { style: "normal", source: { format: FORMAT, text }, blocks: [], files: [], ...body },
  };
}

function member(change: Member["change"], text: string): Member {
  return { ...BASE, kind: "member", author: BOB, change, by: null, reason: null, text };
}

function topic(author: Author | null): Topic {
  return { ...BASE, kind: "topic", author, topic: "new", text: "the topic is new" };
}

function record(event: Event, presentation: Partial<PresentationSettings> = {}): Recorded {
  const account = anAccount("net.Libera", presentation);
  return compileRecord(account, compileInbound(account))(event, "#room", NOW);
}

function stored(event: Event, presentation: Partial<PresentationSettings> = {}): ReturnType<typeof decodeStored> {
  const recorded = record(event, presentation);
  if (recorded.is === "drop") throw new Error(`dropped: ${recorded.reason}`);
  expect(recorded.entry.payload).not.toContain("\n");
  return decodeStored(recorded.entry.payload);
}

test("a post, with everything it can have", () => {
  const event = posted(
    "hi",
    {
      key: "k1" as EventKey,
      messages: ["m1" as MessageRef, "m2" as MessageRef],
      author: { ...BOB, avatar: "https://a.example/b" },
      replyTo: "m0" as MessageRef,
    },
    { files: [{ name: "a.png", comment: "look", bytes: null, url: "https://f.example/a" }] },
  );
  expect(record(event)).toMatchObject({ is: "entry", entry: { subject: "net.libera/#room", key: "k1", label: "" } });
  expect(stored(event)).toEqual({
    source: null,
    message: {
      text: "hi",
      channel: "#room",
      username: "bob",
      userid: "b@host",
      avatar: "https://a.example/b",
      account: "net.Libera",
      event: "",
      protocol: "net",
      gateway: "",
      parent_id: "",
      timestamp: "2026-01-02T03:04:04.000Z",
      id: "",
      Extra: {
        file: [
          {
            Name: "a.png",
            Data: "",
            Comment: "look",
            URL: "https://f.example/a",
            Size: 0,
            Avatar: false,
            SHA: "",
            NativeID: "",
          },
        ],
      },
    },
  });
});

test.each<[string, Event, Partial<Message>]>([
  ["an action", posted("waves", {}, { style: "action" }), { event: "user_action", text: "waves" }],
  ["a notice", posted("psst", {}, { style: "notice" }), { event: "notice_irc" }],
  ["a join", member("join", "bob joins"), { event: "join", text: "bob joins", username: "bob", userid: "b@host" }],
  ["a leave", member("leave", "bob parts"), { event: "leave", text: "bob parts" }],
  ["a rename", member("rename", "bob is now known as rob"), { event: "join_leave", username: "bob" }],
  ["a topic", topic(BOB), { event: "topic_change", text: "the topic is new", username: "bob" }],
  ["a topic that nobody signs", topic(null), { event: "topic_change", username: "system", userid: "" }],
])("%s", (_name, event, expected) => {
  expect(stored(event).message).toMatchObject(expected);
  expect(record(event)).toMatchObject({ entry: { label: expected.event } });
});

describe("what goes no further", () => {
  const edited: Event = {
    ...posted("new"),
    kind: "edited",
    message: "m1" as MessageRef,
    vouched: true,
  };
  const deleted: Event = { ...BASE, kind: "deleted", message: "m1" as MessageRef, by: null, vouched: true };
  const reacted: Event = { ...BASE, kind: "reacted", message: "m1" as MessageRef, author: BOB, emoji: "+", on: true };
  test.each<[string, Event, Partial<PresentationSettings>, string]>([
    ["our own", posted("hi", { echoOf: "self" }), {}, "own"],
    ["our own, by its op", posted("hi", { echoOf: "op" as OpId }), {}, "own"],
    ["an edit", edited, {}, "unsupported"],
    ["a delete", deleted, {}, "unsupported"],
    ["a reaction", reacted, {}, "unsupported"],
    ["no text", posted(""), {}, "empty"],
    ["nothing but formatting", posted("\u0002\u0002"), {}, "empty"],
    ["a nick", posted("hi"), { ignoreNicks: ["^bob$"] }, "ignored_nick"],
    ["the nick of who joins", member("join", "bob joins"), { ignoreNicks: ["^bob$"] }, "ignored_nick"],
    ["a text", posted("spam"), { ignoreMessages: ["spam"] }, "ignored_text"],
    ["comings and goings", member("leave", "bob parts"), { noSendJoinPart: true }, "join_part"],
  ])("%s", (_name, event, presentation, reason) => {
    expect(record(event, presentation)).toEqual({ is: "drop", reason });
  });
});

describe("formatted text", () => {
  test("readers of the API get the words, and the source stands beside them", () => {
    expect(stored(posted("\u0002loud\u0002 word"))).toMatchObject({
      message: { text: "loud word" },
      source: { format: FORMAT, text: "\u0002loud\u0002 word" },
    });
  });

  test("filters and transforms see the text as its network has it", () => {
    expect(record(posted("\u0002loud"), { ignoreMessages: ["\u0002"] })).toEqual({
      is: "drop",
      reason: "ignored_text",
    });
    const replaced = stored(posted("\u0002loud"), { replaceMessages: [["\u0002loud", "quiet"]] });
    expect(replaced).toMatchObject({ message: { text: "quiet" }, source: null });
  });

  test("a file keeps a text of nothing but formatting", () => {
    const file = { name: "a", comment: "", bytes: 3, url: null };
    expect(stored(posted("\u0002", {}, { files: [file] })).message).toMatchObject({
      text: "",
      Extra: { file: [{ Name: "a", Size: 3, URL: "" }] },
    });
  });
});

test.each([
  [NOW - 1, "2026-01-02T03:04:04.999Z"],
  [NOW + 60_000, "2026-01-02T03:04:05.000Z"],
  [-1, "2026-01-02T03:04:05.000Z"],
  [Number.NaN, "2026-01-02T03:04:05.000Z"],
  [Infinity, "2026-01-02T03:04:05.000Z"],
])("said at %s", (atMs, expected) => {
  expect(stored(posted("hi", { atMs })).message.timestamp).toBe(expected);
});

test("whatever a network says becomes an entry or a reason", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.double(), (text, name, atMs) => {
      const recorded = record(posted(text, { atMs, author: { ...BOB, name } }));
      if (recorded.is === "entry") expect(decodeStored(recorded.entry.payload).message.username).toBe(name);
    }),
  );
});
