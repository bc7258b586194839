import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { Level } from "../contract/capabilities.ts";
import type { SharedFile } from "../contract/content.ts";
import type { FileId } from "../contract/ids.ts";
import type { FileItem, Message } from "../contract/message.ts";
import type { MayPing, PostDraft } from "../contract/ops.ts";
import { encode, encodeStored, type Stored } from "./codec.ts";
import type { Plan } from "./plan.ts";
import { ABLE, aStored, NOTHING_HERE, planOf, postOf } from "./plan.suite.ts";
import { aFile, aMessage, anAccount } from "./samples.suite.ts";

// Rooms are told the local time.
beforeEach(() => void vi.stubEnv("TZ", "UTC"));
afterEach(() => vi.unstubAllEnvs());

/** The name of a format of text. */
const FORMAT = "irc";

/** As the plan reads it from the log. */
const read = (plan: Plan, message: Partial<Message>): Stored => plan.read(encodeStored(aStored(message)));
const draftOf = (message: Partial<Message>): PostDraft => postOf(planOf(), aStored(message));

describe("which events go there", () => {
  const noticing = planOf({}, [], { notice: "emulated" });
  const showing = planOf({ showJoinPart: true, showTopicChange: true });
  test.each([
    ["", [true, true, true]],
    ["user_action", [true, true, true]],
    ["notice_irc", [false, true, false]],
    ["join", [false, false, true]],
    ["leave", [false, false, true]],
    ["join_leave", [false, false, true]],
    ["topic_change", [false, false, true]],
    ["user_typing", [false, false, false]],
    ["msg_edit", [true, true, true]],
    ["msg_delete", [true, true, true]],
    ["msg_reaction", [true, true, true]],
  ])("%j: plain, with notices, with ShowJoinPart and ShowTopicChange", (label, expected) => {
    expect([planOf(), noticing, showing].map((plan) => plan.admits(label))).toEqual(expected);
  });

  test("ReactionDisable is for both ways", () => {
    expect(planOf({ reactionDisable: true }).admits("msg_reaction")).toBe(false);
  });
});

test("the author as the origin has it, and as the destination shows it", () => {
  const source = anAccount("net.libera", { replaceNicks: [["o", "0"]] });
  const settings = { remoteNickFormat: "[{GATEWAY}] <{NICK}> ", iconURL: "https://icon.example/{NICK}" };
  const plan = planOf(settings, [source], { identity: ["per-message", "prefix"] });
  const stored = aStored({ username: "bob", userid: "u1" });
  expect(postOf(plan, stored).author).toEqual({
    id: "u1",
    name: "bob",
    nick: "b0b",
    shown: "[main] <b0b> ",
    avatar: expect.objectContaining({ id: null, url: "https://icon.example/bob" }) as SharedFile,
    account: "net.libera",
  });
});

test("who has no id is told from others by the name", () => {
  expect(draftOf({ userid: "", username: "ann" }).author).toMatchObject({ id: "ann", name: "ann" });
});

describe("pictures", () => {
  const puppets = planOf({}, [], ABLE);
  const picture = aStored({ avatar: "https://a.example/x" });
  const found: SharedFile = {
    name: "p",
    comment: "",
    mime: "image/png",
    bytes: 3,
    url: null,
    id: "p" as FileId,
    missing: null,
  };
  test("only where senders have them", () => {
    expect(planOf().needs(picture, NOTHING_HERE).avatar).toBeNull();
    expect(postOf(planOf(), picture).author?.avatar).toBeNull();
  });

  test("are had from the network, else from their address", () => {
    expect(puppets.needs(picture, NOTHING_HERE).avatar?.id).toBe(
      '{"is":"url","url":"https://a.example/x","account":"net.libera"}',
    );
    expect(puppets.needs({ ...picture, avatar: "f" as FileId }, NOTHING_HERE).avatar?.id).toBe("f");
    expect(puppets.needs(aStored({}), NOTHING_HERE).avatar).toBeNull();
    expect(postOf(puppets, aStored({})).author?.avatar).toBeNull();
    expect(postOf(puppets, picture, { avatar: found }).author?.avatar).toEqual({
      ...found,
      url: "https://a.example/x",
    });
  });
});

test.each([
  ["", "normal"],
  ["user_action", "action"],
  ["notice_irc", "notice"],
  ["join", "normal"],
  // Of a client that cannot name messages.
  ["msg_edit", "normal"],
])("an event %j is a post of style %s", (event, style) => {
  expect(postOf(planOf({}, [], { notice: "native" }), aStored({ event })).body.style).toBe(style);
});

test("a program's notice is an ordinary post where there are no notices", () => {
  expect(draftOf({ event: "notice_irc" }).body.style).toBe("normal");
});

test.each(["join", "leave", "join_leave"])("%s of a network is said by nobody in particular", (event) => {
  const plan = planOf({ remoteNickFormat: "<{NICK}> ", showJoinPart: true });
  const { author, body } = postOf(plan, read(plan, { event, username: "bob", userid: "b@host", text: "bob joins" }));
  expect([author?.id, author?.name, author?.shown, body.source.text]).toEqual([
    "system",
    "system",
    "<system> ",
    "bob joins",
  ]);
});

test("what a client of the API posts as a join is said by that client", () => {
  const plan = planOf({ remoteNickFormat: "<{NICK}> ", showJoinPart: true });
  const posted = read(plan, { event: "join", username: "bob", text: "joined", account: "api.web", protocol: "api" });
  expect(postOf(plan, posted).author?.shown).toBe("<bob> ");
});

test("a plain message asks for nothing", () => {
  for (const plan of [planOf(), planOf({}, [], ABLE)]) {
    const needs = { about: null, thread: null, standing: false, line: null, quoting: null, files: [], avatar: null };
    expect(plan.needs(plan.read(encode(aMessage())), NOTHING_HERE)).toEqual(needs);
  }
});

test("without a source the text is plain, with one the source is read", () => {
  expect(draftOf({ text: "2 * 3 * 4" }).body).toMatchObject({
    source: { format: "plain", text: "2 * 3 * 4" },
    blocks: [{ t: "para", of: [{ t: "text", text: "2 * 3 * 4" }] }],
  });
  const source = { format: FORMAT, text: "\u0002loud\u0002" };
  const { body } = postOf(planOf(), planOf().read(encodeStored(aStored({ text: "loud" }, { source }))));
  expect(body.source).toEqual(source);
  expect(JSON.stringify(body.blocks)).toContain("bold");
});

test("a source whose link pretends to lead elsewhere is passed on with the address", () => {
  const source = { format: "html", text: '<a href="https://evil.example/">bank.com</a>' };
  const shown = 'bank.com (<a href="https://evil.example/">https://evil.example/</a>)';
  const { body } = postOf(planOf(), planOf().read(encodeStored(aStored({ text: "bank.com" }, { source }))));
  expect(body.source).toEqual({ format: "html", text: shown });
});

test("what clients post is plain text, or Markdown where they know FullEvents, unless their account says otherwise", () => {
  const accounts = [
    anAccount("api.old"),
    { ...anAccount("api.full"), settings: { TextFormat: "", FullEvents: true } },
    { ...anAccount("api.plain"), settings: { TextFormat: "plain", FullEvents: true } },
    { ...anAccount("api.marked"), settings: { TextFormat: "markdown", FullEvents: false } },
  ];
  const plan = planOf({}, accounts);
  const formats = accounts
    .map(({ key: account }) => account)
    .map((account) => postOf(plan, aStored({ account, protocol: "api" })).body.source.format);
  expect(formats).toEqual(["plain", "markdown", "plain", "markdown"]);
});

test.each<[PresentationSettings["allowMention"], object]>([
  [["users"], { users: true, everyone: false }],
  [[], { users: false, everyone: false }],
  [["users", "everyone"], { users: true, everyone: true }],
])("AllowMention %j", (allowMention, mayPing) => {
  const plan = planOf({ allowMention });
  expect(postOf(plan, aStored({})).mayPing).toEqual(mayPing);
  expect(plan.expired({ count: 1, fromMs: 0, toMs: 0 }).mayPing).toEqual({ users: false, everyone: false });
});

test.each<[NonNullable<Stored["mentions"]>, PresentationSettings["allowMention"], MayPing]>([
  ["none", ["users", "everyone"], { users: false, everyone: false }],
  ["users", ["users", "everyone"], { users: true, everyone: false }],
  ["users", ["everyone"], { users: false, everyone: false }],
])("a message for %s that may notify by %j", (mentions, allowMention, mayPing) => {
  const plan = planOf({ allowMention });
  const said = plan.read(encodeStored(aStored({}, { mentions })));
  expect(postOf(plan, said).mayPing).toEqual(mayPing);
});

describe("files", () => {
  const ID = "f1" as FileId;
  const wanted = { id: ID, name: "a.txt", mime: null, bytes: 2 };
  const link = { ...wanted, id: '{"is":"url","url":"https://f.example/a","account":"net.libera"}' };
  const url = { URL: "https://f.example/a" };
  test.each<[Level, Partial<FileItem>, FileId | null, object | null]>([
    ["native", {}, ID, wanted],
    ["native", {}, null, null],
    ["native", url, ID, wanted],
    ["native", url, null, link],
    ["emulated", {}, ID, wanted],
    // A link is all that is shown, and there is one.
    ["emulated", url, ID, null],
  ])("wanted where they go %s: %j, %s", (fileOut, file, id, expected) => {
    const stored = aStored({ Extra: { file: [aFile(file)] } }, { files: [id] });
    expect(planOf({}, [], { fileOut }).needs(stored, NOTHING_HERE).files).toEqual(expected === null ? [] : [expected]);
  });

  test("each keeps its place", () => {
    const stored = aStored({ Extra: { file: [aFile(), aFile()] } }, { files: [null, ID] });
    expect(planOf({}, [], ABLE).needs(stored, NOTHING_HERE).files).toEqual([null, wanted]);
  });

  test("none is wanted where there are none", () => {
    expect(planOf().needs(aStored({ Extra: { file: [aFile()] } }, { files: [ID] }), NOTHING_HERE).files).toEqual([]);
  });

  const got: SharedFile = { name: "", comment: "", mime: "text/plain", bytes: 9, url: null, id: ID, missing: null };
  test.each<[string, Level, Partial<FileItem>, SharedFile | null, object, number]>([
    [
      "content",
      "native",
      { Comment: "look" },
      got,
      { name: "a.txt", comment: "look", mime: "text/plain", bytes: 9, id: ID },
      0,
    ],
    [
      "content with a public address",
      "native",
      {},
      { ...got, url: "https://m.example/a" },
      { url: "https://m.example/a" },
      0,
    ],
    ["no content", "native", {}, { ...got, id: null, missing: "too large" }, { id: null, missing: "too large" }, 1],
    [
      "only an address where content could be",
      "native",
      url,
      { ...got, id: null, missing: "gone" },
      { url: "https://f.example/a" },
      1,
    ],
    ["only an address", "emulated", url, null, { id: null, url: "https://f.example/a" }, 0],
    ["nothing", "emulated", {}, { ...got, id: null, missing: "gone" }, { url: null, missing: "gone" }, 1],
    ["an address where there are no files", "none", url, null, { url: "https://f.example/a" }, 0],
    ["a size nobody gave, of 1 byte", "none", { Size: 0, Data: "aA==" }, null, { bytes: 1 }, 1],
    ["of 2 bytes", "none", { Size: 0, Data: "aGk=" }, null, { bytes: 2 }, 1],
    ["of 3 bytes", "none", { Size: 0, Data: "aGkh" }, null, { bytes: 3 }, 1],
  ])("%s", (_name, fileOut, file, answer, expected, losses) => {
    const plan = planOf({}, [], { fileOut });
    const files = answer === null ? [] : [answer];
    const planned = plan.op(aStored({ Extra: { file: [aFile(file)] } }), "main", { ...NOTHING_HERE, files });
    expect(planned).toMatchObject({ is: "op", op: { body: { files: [expected] } } });
    expect(planned.losses.map(({ what }) => what)).toEqual(Array.from({ length: losses }, () => "file"));
  });
});

const at = (iso: string): number => Date.parse(iso);

test.each([
  [12, "2026-01-01T14:02:59Z", "2026-01-01T15:30:00Z", "12 messages from 14:02+00:00 to 15:30+00:00 were left out."],
  [
    2,
    "2026-01-01T23:50:00Z",
    "2026-01-02T01:10:00Z",
    "2 messages from 2026-01-01 23:50+00:00 to 2026-01-02 01:10+00:00 were left out.",
  ],
  [1, "2026-01-01T14:02:00Z", "2026-01-01T14:02:00Z", "1 message from 14:02+00:00 was left out."],
])("%i expired", (count, from, to, text) => {
  const { author, body } = planOf().expired({ count, fromMs: at(from), toMs: at(to) });
  expect(author).toBeNull();
  expect(body).toEqual({
    style: "normal",
    source: { format: "plain", text },
    blocks: [{ t: "para", of: [{ t: "text", text }] }],
    files: [],
  });
});
