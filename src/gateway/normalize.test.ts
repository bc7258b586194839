import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { RemoteFile } from "../contract/content.ts";
import type { Author, Deleted, Edited, Event, Membership, Posted, Reacted, Topic } from "../contract/events.ts";
import type { ChannelRef, EventKey, FileRef, MessageRef, OpId, UserRef } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { Known } from "../log/log.ts";
import { decodeStored } from "./codec.ts";
import { compileInbound } from "./inbound.ts";
import { compileNormalizer, type Normalized } from "./normalize.ts";
import { anAccount } from "./samples.suite.ts";

/** The name of a format of text. */
const FORMAT = "irc";
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const BOB: Author = { id: "b@host" as UserRef, identity: null, name: "bob", avatar: null };
const MOD: Author = { ...BOB, id: "m@host" as UserRef, name: "mod" };
const M1 = "m1" as MessageRef;

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
    body: { style: "normal", source: { format: FORMAT, text }, files: [], ...body },
  };
}

function member(change: Membership["change"], text: string): Membership {
  return { ...BASE, kind: "member", author: BOB, change, ...(change === "rename" && { newName: "rob" }), text };
}

function topic(author: Author): Topic {
  return { ...BASE, kind: "topic", author, topic: "new", text: "the topic is new" };
}

const MESSAGE = { ...BASE, message: M1, author: BOB } as const;

function edited(text: string, more: Partial<Omit<Edited, "body">> = {}, body: Partial<Edited["body"]> = {}): Edited {
  const said = posted(text, {}, body).body;
  return { ...MESSAGE, kind: "edited", aliases: [], vouched: false, ...more, body: said };
}

function deleted(more: Partial<Deleted> = {}): Deleted {
  return { ...BASE, kind: "deleted", message: M1, by: BOB, vouched: false, ...more };
}

function reacted(more: Partial<Reacted> = {}): Reacted {
  return { ...MESSAGE, kind: "reacted", emoji: ":+1:", on: true, ...more };
}

function file(more: Partial<RemoteFile> = {}): RemoteFile {
  return { name: "a", comment: "", mime: null, bytes: null, url: null, ref: null, ...more };
}

/** What is known of a message of Bob's in this room. */
function knownMessage(more: Partial<Known> = {}): Known {
  const author = JSON.stringify(["b@host", null]);
  return { seq: 7, subject: "net.libera/#room", at: NOW, author, name: "bob", excerpt: "hello", gone: false, ...more };
}

function recorderOf(presentation: Partial<PresentationSettings> = {}): ReturnType<typeof compileNormalizer> {
  const account = anAccount("net.Libera", presentation);
  return compileNormalizer(account, compileInbound(account));
}

function record(
  event: Event,
  presentation: Partial<PresentationSettings> = {},
  known: readonly (Known | null)[] = [],
): Normalized {
  return recorderOf(presentation).normalize(event, "#room", NOW, known);
}

function stored(
  event: Event,
  presentation: Partial<PresentationSettings> = {},
  known: readonly (Known | null)[] = [],
): ReturnType<typeof decodeStored> {
  const recorded = record(event, presentation, known);
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
      author: { ...BOB, avatar: file({ name: "b", url: "https://a.example/b" }) },
      replyTo: "m0" as MessageRef,
    },
    { files: [file({ name: "a.png", comment: "look", url: "https://f.example/a" })] },
  );
  const note = { is: "said", refs: ["m1", "m2"], author: '["b@host",null]', name: "bob", excerpt: "hi\nlook" };
  expect(record(event)).toMatchObject({
    is: "entry",
    entry: { subject: "net.libera/#room", key: "k1", label: "", note },
  });
  expect(stored(event)).toEqual({
    topic: null,
    source: null,
    about: null,
    avatar: null,
    files: ['{"is":"url","url":"https://f.example/a","account":"net.libera"}'],
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

test.each<[string, Event, Partial<Message>, string?]>([
  ["a notice", posted("12 failed", {}, { style: "notice" }), { event: "notice_irc", text: "12 failed" }, ""],
  ["an action", posted("waves", {}, { style: "action" }), { event: "user_action", text: "waves" }],
  ["an aside", posted("psst", {}, { style: "aside" }), { event: "notice_irc" }],
  ["a join", member("join", "bob joins"), { event: "join", text: "bob joins", username: "bob", userid: "b@host" }],
  ["a leave", member("leave", "bob parts"), { event: "leave", text: "bob parts" }],
  ["a rename", member("rename", "bob is now known as rob"), { event: "join_leave", username: "bob" }],
  ["a topic", topic(BOB), { event: "topic_change", text: "the topic is new", username: "bob" }],
])("%s", (_name, event, expected, label = expected.event ?? "") => {
  expect(stored(event)).toMatchObject({ message: expected, ...("newName" in event && { newName: "rob" }) });
  expect(record(event)).toMatchObject({ entry: { label } });
});

describe("what goes no further", () => {
  test.each<[string, Event, Partial<PresentationSettings>, string, string?]>([
    ["our own", posted("hi", { echoOf: "self" }), {}, "own"],
    ["our own, by its op", posted("hi", { echoOf: "op" as OpId }), {}, "own"],
    ["an edit of what nobody knows", edited("new"), {}, "unknown_target"],
    ["a deletion of what nobody knows", deleted(), {}, "unknown_target"],
    ["a reaction to what nobody knows", reacted(), {}, "unknown_target"],
    ["no text", posted(""), {}, "empty"],
    ["nothing but formatting", posted("\u0002\u0002"), {}, "empty"],
    ["a nick", posted("hi"), { ignoreNicks: ["^bob$"] }, "ignored_nick", "^bob$"],
    ["the nick of who joins", member("join", "bob joins"), { ignoreNicks: ["^bob$"] }, "ignored_nick", "^bob$"],
    ["a text", posted("spam"), { ignoreMessages: ["spam"] }, "ignored_text", "spam"],
    ["comings and goings", member("leave", "bob parts"), { noSendJoinPart: true }, "join_part"],
  ])("%s", (_name, event, presentation, reason, rule) => {
    expect(record(event, presentation)).toEqual({ is: "drop", reason, ...(rule && { rule }) });
  });
});

describe("formatted text", () => {
  test("readers of the API get Markdown, and the source stands beside it", () => {
    expect(stored(posted("\u0002loud\u0002 word"))).toMatchObject({
      message: { text: expect.stringContaining("loud") as string },
      source: { format: FORMAT, text: "\u0002loud\u0002 word" },
    });
  });

  test("filters and transforms see the text as its network has it", () => {
    expect(record(posted("\u0002loud"), { ignoreMessages: ["\u0002"] })).toEqual({
      is: "drop",
      reason: "ignored_text",
      rule: "\u0002",
    });
    const replaced = stored(posted("\u0002loud"), { replaceMessages: [["\u0002loud", "quiet"]] });
    expect(replaced).toMatchObject({ message: { text: "quiet" }, source: null });
  });

  test("a file keeps a text of nothing but formatting", () => {
    const files = [file({ bytes: 3 })];
    expect(stored(posted("\u0002", {}, { files })).message).toMatchObject({
      text: "",
      Extra: { file: [{ Name: "a", Size: 3, URL: "" }] },
    });
  });
});

test("files and pictures are found again: on the network, or by their address", () => {
  const files = [file({ ref: "f1" as FileRef }), file({ url: "https://f.example/x" }), file()];
  const avatar = file({ ref: "p1" as FileRef });
  const entry = stored(posted("", { author: { ...BOB, avatar } }, { files }));
  const remote = (ref: string): string => JSON.stringify({ is: "remote", account: "net.libera", ref });
  expect(entry.files).toEqual([remote("f1"), '{"is":"url","url":"https://f.example/x","account":"net.libera"}', null]);
  expect(entry).toMatchObject({ avatar: remote("p1"), message: { avatar: "" } });
  expect(record(posted("", {}, { files }))).toMatchObject({ entry: { note: { excerpt: "[a] [a] [a]" } } });
});

describe("what has to be known first", () => {
  const place = "net.libera/#room";
  const M2 = "m2" as MessageRef;
  test.each<[string, Event, Partial<PresentationSettings>, readonly string[]]>([
    ["a post", posted("hi"), {}, []],
    ["a reply", posted("hi", { replyTo: M1 }), {}, ["m1"]],
    ["a post in a thread", posted("hi", { thread: M2 }), {}, ["m2"]],
    ["a reply in a thread", posted("hi", { replyTo: M1, thread: M2 }), {}, ["m1", "m2"]],
    ["an edit", edited("hi", { aliases: [M2] }), {}, ["m1"]],
    ["an edit that does not count", edited("hi"), { editDisable: true }, []],
    ["a deletion", deleted(), {}, ["m1"]],
    ["a reaction", reacted(), {}, ["m1"]],
    ["a reaction that does not count", reacted(), { reactionDisable: true }, []],
    ["our own", edited("hi", { echoOf: "self" }), {}, []],
    ["a join", member("join", "bob joins"), {}, []],
  ])("%s", (_name, event, presentation, refs) => {
    const expected = refs.map((ref) => ({ place, refs: [ref] }));
    expect(recorderOf(presentation).lookups(event, "#room")).toEqual(expected);
  });
});

describe("a reply", () => {
  const parent = knownMessage();
  const root = knownMessage({ seq: 3, name: "ann", excerpt: "news" });
  const reply = posted("yes", { replyTo: M1 });
  const threaded = posted("yes", { thread: "m2" as MessageRef });
  const both = posted("yes", { replyTo: M1, thread: "m2" as MessageRef });
  test.each<[string, Event, readonly (Known | null)[], object | null]>([
    ["to a message", reply, [parent], { seq: 7, name: "bob", excerpt: "hello", thread: null }],
    ["to nothing known", reply, [null], null],
    ["to a deleted message: it is not quoted", reply, [{ ...parent, gone: true }], { seq: 7, excerpt: "" }],
    ["in a thread", both, [parent, root], { seq: 7, excerpt: "hello", thread: 3 }],
    ["only to a thread: to its first message", threaded, [root], { seq: 3, name: "ann", excerpt: "news", thread: 3 }],
    ["in a thread, to nothing known", both, [null, root], { seq: 3, thread: 3 }],
    ["in a thread that nobody knows", both, [parent, null], { seq: 7, thread: null }],
  ])("%s", (_name, event, known, about) => {
    const entry = stored(event, {}, known);
    expect(entry.about).toEqual(about === null ? null : expect.objectContaining({ is: "reply", ...about }));
    expect(entry.message).toMatchObject({ text: "yes", parent_id: "", id: "" });
  });

  test("is still one when the text was changed on its way", () => {
    const replaced = { replaceMessages: [["yes", "no"]] as const };
    expect(stored(reply, replaced, [parent])).toMatchObject({ message: { text: "no" }, about: { seq: 7 } });
  });
});

describe("who may change a message", () => {
  const elsewhere = knownMessage({ subject: "net.other/#room" });
  const other = knownMessage({ author: JSON.stringify(["m@host", null]) });
  const again = knownMessage({ author: JSON.stringify(["b@host", "first"]) });
  const gone = knownMessage({ gone: true });
  const vouched = { vouched: true } as const;
  test.each<[string, Event, Known, string]>([
    ["its author edits", edited("new"), knownMessage(), "entry"],
    ["another edits", edited("new"), other, "foreign"],
    ["another under the same id edits", edited("new"), again, "foreign"],
    ["another edits, and the network vouches", edited("new", vouched), other, "entry"],
    ["a copy is edited", edited("new", vouched), elsewhere, "foreign"],
    ["what is gone is edited", edited("new", vouched), gone, "gone"],
    ["its author deletes", deleted(), knownMessage(), "entry"],
    ["another deletes", deleted(), other, "foreign"],
    ["another under the same id deletes", deleted(), again, "foreign"],
    ["nobody deletes", deleted({ by: null }), knownMessage(), "foreign"],
    ["nobody deletes, and the network vouches", deleted({ by: null, ...vouched }), knownMessage(), "entry"],
    ["a moderator deletes", deleted({ by: MOD, ...vouched }), knownMessage(), "entry"],
    ["a moderator deletes a copy", deleted({ by: MOD, ...vouched }), elsewhere, "entry"],
    ["a copy is deleted by one of the same id", deleted(), elsewhere, "foreign"],
    ["what is gone is deleted", deleted(vouched), gone, "gone"],
    ["anybody reacts", reacted(), other, "entry"],
    ["anybody reacts to a copy", reacted(), elsewhere, "entry"],
    ["somebody reacts to what is gone", reacted(), gone, "gone"],
  ])("%s", (_name, event, known, expected) => {
    const recorded = record(event, {}, [known]);
    expect(recorded.is === "drop" ? recorded.reason : recorded.is).toBe(expected);
  });
});

describe("an edit", () => {
  test("says what it said before, and what it says now", () => {
    const event = edited("new", { key: "k2" as EventKey, aliases: ["m9" as MessageRef] });
    expect(record(event, {}, [knownMessage()])).toMatchObject({
      entry: { key: "k2", label: "msg_edit", note: { is: "revised", of: 7, refs: ["m9"], excerpt: "new" } },
    });
    expect(stored(event, {}, [knownMessage()])).toMatchObject({
      message: { text: "new", event: "", username: "bob" },
      about: { is: "edit", seq: 7, name: "bob", excerpt: "hello" },
    });
  });

  test("of an action is an action", () => {
    const { message } = stored(edited("waves", {}, { style: "action" }), {}, [knownMessage()]);
    expect(message.event).toBe("user_action");
  });

  test("EditSuffix stands behind it, and is not what was said", () => {
    const presentation = { editSuffix: " (edited)" };
    expect(stored(edited("new"), presentation, [knownMessage()])).toMatchObject({
      message: { text: "new (edited)" },
      source: null,
    });
    expect(stored(edited("\u0002new"), presentation, [knownMessage()]).source?.text).toBe("\u0002new (edited)");
    expect(record(edited("new"), presentation, [knownMessage()])).toMatchObject({
      entry: { note: { excerpt: "new" } },
    });
    expect(stored(posted("new"), presentation).message.text).toBe("new");
  });

  test.each<[string, Event, Partial<PresentationSettings>, string, string?]>([
    ["disabled", edited("new"), { editDisable: true }, "edits_disabled"],
    ["of a nick", edited("new"), { ignoreNicks: ["bob"] }, "ignored_nick", "bob"],
    ["to a text", edited("spam"), { ignoreMessages: ["spam"] }, "ignored_text", "spam"],
    ["to a text with formatting in it", edited("s\u0002pam"), { ignoreMessages: ["^spam"] }, "ignored_text", "^spam"],
    ["to nothing", edited(""), { editSuffix: "!" }, "empty"],
  ])("that goes no further: %s", (_name, event, presentation, reason, rule) => {
    expect(record(event, presentation, [knownMessage()])).toEqual({ is: "drop", reason, ...(rule && { rule }) });
  });

  test("is transformed as a post is", () => {
    const presentation = { replaceMessages: [["new", "newer"]] as const };
    expect(stored(edited("new :smile:"), presentation, [knownMessage()]).message.text).toBe("newer 😄");
  });
});

describe("a deletion", () => {
  test("names who did it, and whose message it was", () => {
    const event = deleted({ by: MOD, vouched: true });
    const known = knownMessage({ subject: "net.other/#there" });
    expect(record(event, {}, [known])).toMatchObject({ entry: { label: "msg_delete", note: { is: "gone", of: 7 } } });
    expect(stored(event, {}, [known])).toMatchObject({
      message: { text: "", event: "msg_delete", username: "mod", Extra: null },
      about: { is: "delete", seq: 7, name: "bob", excerpt: "hello", author: { id: "b@host", account: "net.other" } },
    });
  });

  test("by nobody is the system's", () => {
    const entry = stored(deleted({ by: null, vouched: true }), {}, [knownMessage()]);
    expect(entry.message.username).toBe("system");
  });
});

describe("a reaction", () => {
  test.each([true, false])("put on: %s", (on) => {
    const event = reacted({ on });
    const who = 'net.libera/#room ["b@host",null]';
    expect(record(event, {}, [knownMessage()])).toMatchObject({
      entry: { label: "msg_reaction", note: { is: "reacted", of: 7, who, name: "bob", emoji: "👍", on } },
    });
    expect(stored(event, {}, [knownMessage()])).toMatchObject({
      message: { text: "👍", event: "msg_reaction", username: "bob" },
      about: { is: "reaction", seq: 7, name: "bob", excerpt: "hello", emoji: "👍", on },
    });
  });

  test.each<[string, Event, Partial<PresentationSettings>, string, string?]>([
    ["disabled", reacted(), { reactionDisable: true }, "reactions_disabled"],
    ["of a nick", reacted(), { ignoreNicks: ["bob"] }, "ignored_nick", "bob"],
    ["of nothing", reacted({ emoji: "" }), {}, "empty"],
    ["of a text", reacted({ emoji: "a".repeat(65) }), {}, "no_emoji"],
  ])("that goes no further: %s", (_name, event, presentation, reason, rule) => {
    expect(record(event, presentation, [knownMessage()])).toEqual({ is: "drop", reason, ...(rule && { rule }) });
  });

  test("is no text: what is said of texts does not hold for it", () => {
    expect(record(reacted(), { ignoreMessages: ["."] }, [knownMessage()]).is).toBe("entry");
  });
});

test("a quote that is written as its words are shown is a quote to everybody", () => {
  const text = "> old\nnew";
  const source = { format: "styling", text };
  expect(stored(posted(text, {}, { source }))).toMatchObject({ message: { text }, source });
});

test.each([NOW + 60_000, -1, Number.NaN, Infinity, NOW])("what was said at %s was said now at the latest", (atMs) => {
  expect(stored(posted("hi", { atMs })).message.timestamp).toBe("2026-01-02T03:04:05.000Z");
  expect(stored(posted("hi", { atMs: NOW - 1 })).message.timestamp).toBe("2026-01-02T03:04:04.999Z");
});

test("whatever a network says becomes an entry or a reason", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), fc.double(), (text, name, atMs) => {
      const recorded = record(posted(text, { atMs, author: { ...BOB, name } }));
      if (recorded.is === "entry") expect(decodeStored(recorded.entry.payload).message.username).toBe(name);
    }),
  );
});
