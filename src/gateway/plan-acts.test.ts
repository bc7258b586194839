import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { OptionalKind } from "../contract/ops.ts";
import type { Stored } from "./codec.ts";
import { ABLE, about, aStored, NOTHING_HERE, opOf, planOf, postOf, refs } from "./plan.suite.ts";
import type { Here } from "./planned.ts";
import { aFile, anAccount } from "./samples.suite.ts";

describe("replies", () => {
  const reply = aStored({ text: "yes" }, { about: about("reply") });
  const inThread = aStored({ text: "yes" }, { about: about("reply", { thread: 3 }) });
  const ofThread = aStored({ text: "yes" }, { about: about("reply", { seq: 3, thread: 3 }) });
  const here = { about: refs("a1", "a2") };
  const OP = { target: "a1", name: "alice", excerpt: "what it said" };
  const WORDS = "> alice: what it said\nyes";
  const replies: Partial<Capabilities> = { reply: "native" };
  const emulates: Partial<Capabilities> = { reply: "emulated", replyWords: "address" };
  const off = { preserveThreading: false };
  test.each<
    [string, Stored, Partial<PresentationSettings>, Partial<Capabilities>, Partial<Here>, object, readonly string[]]
  >([
    ["native", reply, {}, ABLE, here, { reply: OP, thread: null, body: { source: { text: "yes" } } }, []],
    ["native, to what is not here", reply, {}, ABLE, {}, { reply: null, body: { source: { text: WORDS } } }, ["reply"]],
    ["in words", reply, {}, {}, here, { reply: null, body: { source: { text: WORDS } } }, ["reply"]],
    [
      "in words and for programs",
      reply,
      {},
      emulates,
      here,
      { reply: OP, body: { source: { text: "alice: yes" } } },
      ["reply"],
    ],
    [
      "not at all",
      reply,
      { quoteDisable: true },
      {},
      {},
      { reply: null, body: { source: { text: "yes" } } },
      ["reply"],
    ],
    ["none are wanted", reply, off, ABLE, here, { reply: null, body: { source: { text: "yes" } } }, ["reply"]],
    [
      "nobody is notified",
      reply,
      { allowMention: [] },
      emulates,
      here,
      { body: { source: { text: "a\u200blice: yes" } } },
      ["reply"],
    ],
    ["in a thread", inThread, {}, ABLE, { ...here, thread: refs("t1") }, { reply: OP, thread: "t1" }, []],
    ["in a thread that is not here", inThread, {}, ABLE, here, { reply: OP, thread: null }, ["thread"]],
    ["in a thread, where there are none", inThread, {}, replies, here, { reply: OP, thread: null }, ["thread"]],
    ["only to a thread", ofThread, {}, ABLE, { ...here, thread: refs("t1") }, { reply: null, thread: "t1" }, []],
    ["only to a thread, where there are none", ofThread, {}, replies, here, { reply: OP, thread: null }, ["thread"]],
  ])("%s", (_name, stored, presentation, able, answers, expected, losses) => {
    const planned = planOf(presentation, [], able).op(stored, "main", { ...NOTHING_HERE, ...answers });
    expect(planned).toMatchObject({ is: "op", op: { kind: "post", ...expected } });
    expect(planned.losses.map(({ what }) => what)).toEqual(losses);
  });

  test.each<[Partial<PresentationSettings>, Partial<Capabilities>, object]>([
    [{}, ABLE, { about: 7, thread: 3 }],
    [{}, replies, { about: 7, thread: null }],
    [{}, {}, { about: null, thread: null }],
    [off, ABLE, { about: null, thread: null }],
  ])("look up no more than is used: %j", (presentation, able, expected) => {
    expect(planOf(presentation, [], able).needs(inThread, NOTHING_HERE)).toMatchObject({
      ...expected,
      standing: false,
    });
  });
});

describe("edits", () => {
  const before = "the quick brown fox jumps over it";
  const stored = aStored({ text: before.replace("fox", "cat") }, { about: about("edit", { excerpt: before }) });
  const here = { about: refs("a1", "a2") };
  const text = (said: string): object => ({ kind: "post", author: { name: "bob" }, body: { source: { text: said } } });
  test.each<[string, Partial<PresentationSettings>, Partial<Capabilities>, Partial<Here>, object | null]>([
    ["native", {}, ABLE, here, { kind: "edit", target: ["a1", "a2"], body: { source: { text: stored.message.text } } }],
    ["of what is not here", {}, ABLE, {}, text(`* ${stored.message.text}`)],
    ["not in this room", {}, ABLE, { ...here, without: ["edit"] }, text("s/fox/cat/")],
    ["what changed", {}, {}, {}, text("s/fox/cat/")],
    ["the whole text", { editFallback: "whole" }, {}, {}, text(`* ${stored.message.text}`)],
    ["nothing", { editFallback: "none" }, {}, {}, null],
    ["nothing of what is not here", { editFallback: "none" }, ABLE, {}, null],
  ])("%s", (_name, presentation, able, answers, expected) => {
    const planned = planOf(presentation, [], able).op(stored, "main", { ...NOTHING_HERE, ...answers });
    expect(planned).toMatchObject(expected === null ? { is: "omitted" } : { is: "op", op: expected });
    const native = expected !== null && "target" in expected;
    expect(planned.losses.map(({ what }) => what)).toEqual(native ? [] : ["edit"]);
  });

  test("that are said in words say nothing of files, which is told", () => {
    const files = { file: [aFile()] };
    const withFile = { ...stored, message: { ...stored.message, Extra: files } };
    const planned = planOf().op(withFile, "main", NOTHING_HERE);
    expect(planned.losses.map(({ what }) => what)).toEqual(["edit", "file"]);
  });

  test("the suffix of the source is not what changed", () => {
    const edited = { ...stored, message: { ...stored.message, text: `${stored.message.text} (edited)` } };
    const plan = planOf({}, [anAccount("net.libera", { editSuffix: " (edited)" })]);
    expect(postOf(plan, edited).body.source.text).toBe("s/fox/cat/");
  });

  test("with the same words are nothing to say", () => {
    const same = aStored({ text: before }, { about: about("edit", { excerpt: before }) });
    expect(planOf().op(same, "main", NOTHING_HERE).is).toBe("omitted");
  });

  test("look up the message only where it can be edited", () => {
    expect(planOf({}, [], ABLE).needs(stored, NOTHING_HERE).about).toBe(7);
    expect(planOf().needs(stored, NOTHING_HERE).about).toBeNull();
  });
});

describe("deletions", () => {
  const writer = { id: "a@host", account: "web.there" };
  const stored = aStored({ text: "", event: "msg_delete" }, { about: about("delete", { author: writer }) });
  const here = { about: refs("a1", "a2") };
  const author = { id: "a@host", name: "alice", shown: "alice", avatar: null, account: "web.there" };
  const line = {
    kind: "post",
    author: null,
    body: { source: { text: '* a message of a\u200blice was deleted: "what it said"' } },
  };
  const note = { deleteFallback: "note" } as const;
  test.each<[string, Partial<PresentationSettings>, Partial<Capabilities>, Partial<Here>, object | null]>([
    ["native", note, ABLE, here, { kind: "delete", target: ["a1", "a2"], author }],
    ["of what is not here", note, ABLE, {}, null],
    ["not in this room", note, ABLE, { ...here, without: ["delete"] }, line],
    ["a note", note, {}, {}, line],
    ["nothing", {}, {}, {}, null],
  ])("%s", (_name, presentation, able, answers, expected) => {
    const planned = planOf(presentation, [], able).op(stored, "main", { ...NOTHING_HERE, ...answers });
    expect(planned).toMatchObject(expected === null ? { is: "omitted" } : { is: "op", op: expected });
    expect(planned.losses.length).toBe(expected !== null && "target" in expected ? 0 : 1);
  });

  test("the writer keeps the account by which the message came", () => {
    const op = opOf(planOf({}, [anAccount("web.There")], ABLE), stored, here);
    expect(op).toMatchObject({ kind: "delete", author });
  });
});

describe("reactions", () => {
  const put = (on: boolean): Stored =>
    aStored({ text: "👍", event: "msg_reaction" }, { about: about("reaction", { emoji: "👍", on }) });
  const standing = [{ emoji: "👍", names: ["bob"] }];
  const here = { about: refs("a1", "a2"), standing };
  const line = {
    kind: "post",
    author: null,
    body: { source: { text: '* b\u200bob reacted 👍 to a\u200blice: "what it said"' } },
  };
  const lines = { reactionFallback: "line" } as const;
  const react = { kind: "react", target: "a1", emoji: "👍", standing, author: { name: "bob" } };
  test.each<[string, boolean, Partial<PresentationSettings>, Partial<Capabilities>, Partial<Here>, object | null]>([
    ["native", true, lines, ABLE, here, { ...react, on: true }],
    ["taken back", false, lines, ABLE, here, { ...react, on: false }],
    ["to what is not here", true, lines, ABLE, { standing }, null],
    ["not in this room", true, lines, ABLE, { ...here, without: ["react"] }, line],
    ["a line", true, lines, {}, {}, line],
    ["no line for what is taken back", false, lines, {}, {}, null],
    ["nothing", true, {}, {}, {}, null],
  ])("%s", (_name, on, presentation, able, answers, expected) => {
    const planned = planOf(presentation, [], able).op(put(on), "main", { ...NOTHING_HERE, ...answers });
    expect(planned).toMatchObject(expected === null ? { is: "omitted" } : { is: "op", op: expected });
    expect(planned.losses.length).toBe(expected !== null && "target" in expected ? 0 : 1);
  });

  describe("in one line that is edited", () => {
    const reply = { target: "a1", name: "alice", excerpt: "what it said" };
    const words = '* to a\u200blice: "what it said": 👍 b\u200bob';
    const none = { standing: [] };
    const said = (text: string): object => ({ author: null, body: { source: { text } } });
    const without = ["react"] as const;
    test.each<[string, boolean, Partial<Capabilities>, Partial<Here>, object | null]>([
      ["begun", true, {}, here, { kind: "post", reply, ...said("👍 b\u200bob") }],
      ["begun, of what is not here", true, {}, { standing }, { kind: "post", reply: null, ...said(words) }],
      ["begun, without replies", true, { reply: "none" }, here, { kind: "post", reply: null, ...said(words) }],
      ["begun, with replies in words", true, { reply: "emulated" }, here, { kind: "post", reply, ...said(words) }],
      ["not begun by who takes back", false, {}, here, null],
      ["not begun for what is gone again", true, {}, { ...here, ...none }, null],
      ["edited", false, {}, { ...here, line: refs("l") }, { kind: "edit", target: ["l"], ...said("👍 b\u200bob") }],
      ["gone", false, {}, { ...here, ...none, line: refs("l") }, { kind: "delete", target: ["l"], author: null }],
    ])("%s", (_name, on, able, answers, expected) => {
      const plan = planOf(lines, [], { ...ABLE, ...able });
      const planned = plan.op(put(on), "main", { ...NOTHING_HERE, line: [], ...answers, without });
      expect(planned).toMatchObject(expected === null ? { is: "omitted" } : { is: "op", op: expected });
      expect(planned.losses.map(({ what }) => what)).toEqual(["reaction"]);
    });

    test("is an ordinary message where replies are unwanted", () => {
      const plan = planOf({ ...lines, preserveThreading: false }, [], ABLE);
      expect(plan.needs(put(true), { ...NOTHING_HERE, without })).toMatchObject({ about: null, line: 7 });
      const answers = { ...here, line: [], without };
      expect(opOf(plan, put(true), answers)).toMatchObject({ kind: "post", reply: null, ...said(words) });
    });

    test("goes with the message", () => {
      const stored = aStored({ text: "", event: "msg_delete" }, { about: about("delete") });
      const plan = planOf(lines, [], ABLE);
      expect(plan.needs(stored, NOTHING_HERE)).toMatchObject({ about: 7, line: 7 });
      const op = opOf(plan, stored, { about: refs("a1", "a2"), line: refs("l") });
      expect(op).toMatchObject({ kind: "delete", target: ["a1", "a2", "l"] });
    });
  });

  test.each<[Partial<PresentationSettings>, Partial<Capabilities>, readonly OptionalKind[], object]>([
    [{}, ABLE, [], { about: 7, standing: true, line: null }],
    [lines, ABLE, [], { about: 7, standing: true, line: null }],
    [{}, ABLE, ["react"], { about: null, standing: false, line: null }],
    [lines, ABLE, ["react"], { about: 7, standing: true, line: 7 }],
    [lines, ABLE, ["react", "edit"], { about: null, standing: false, line: null }],
    [lines, {}, [], { about: null, standing: false, line: null }],
  ])("look up no more than is used: %j, %j, without %j", (presentation, able, without, expected) => {
    expect(planOf(presentation, [], able).needs(put(true), { ...NOTHING_HERE, without })).toMatchObject(expected);
  });
});
