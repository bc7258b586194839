import { describe, expect, test } from "vitest";
import type { PresentationSettings } from "../config/config.ts";
import type { Capabilities } from "../contract/capabilities.ts";
import type { SharedFile } from "../contract/content.ts";
import type { FileId } from "../contract/ids.ts";
import type { FileItem } from "../contract/message.ts";
import type { RoomLimits } from "../contract/session.ts";
import { ABLE, about, aStored, NOTHING_HERE, planOf, refs } from "./plan.suite.ts";
import type { Here, Narrowing, Planned } from "./planned.ts";
import { aFile } from "./samples.suite.ts";

const narrowed = (limits: RoomLimits): Narrowing => ({ without: [], limits });
const notes = ({ losses }: Planned): readonly string[] => losses.map(({ what, note }) => `${what}: ${note}`);
const said = (text: string): object => ({ kind: "post", body: { source: { text } } });

describe("a room where a message can be edited only for so long", () => {
  const before = "the quick brown fox jumps over it";
  const edit = aStored({ text: before.replace("fox", "cat") }, { about: about("edit", { excerpt: before }) });
  const limits = { editWithinMs: 60_000 };
  const old: Partial<Here> = { about: refs("a1"), limits, ageMs: 60_000 };
  const TOO_OLD = "edit: the message is too old to be edited here; said in a new message";
  const native = { kind: "edit", target: ["a1"] };
  test.each<[string, Partial<PresentationSettings>, Partial<Capabilities>, Partial<Here>, object | null, string[]]>([
    ["in time", {}, ABLE, { ...old, ageMs: 59_999 }, native, []],
    ["too late", {}, ABLE, old, said("s/fox/cat/"), [TOO_OLD]],
    ["too late, whole", { editFallback: "whole" }, ABLE, old, said(`* ${edit.message.text}`), [TOO_OLD]],
    ["too late, unsaid", { editFallback: "none" }, ABLE, old, null, ["edit: edits are not shown here (EditFallback)"]],
    ["nobody knows when", {}, ABLE, { ...old, ageMs: null }, native, []],
    ["where it can be for ever", {}, ABLE, { ...old, limits: {} }, native, []],
    ["never", {}, ABLE, { ...old, limits: { editWithinMs: 0 }, ageMs: 0 }, said("s/fox/cat/"), [TOO_OLD]],
    ["that is not here either", {}, ABLE, { ...old, about: [] }, said("s/fox/cat/"), [TOO_OLD]],
  ])("%s", (_name, presentation, able, here, expected, losses) => {
    const planned = planOf(presentation, [], able).op(edit, "main", { ...NOTHING_HERE, ...here });
    expect(planned).toMatchObject(expected === null ? { is: "omitted" } : { is: "op", op: expected });
    expect(notes(planned)).toEqual(losses);
  });

  test("has another line for reactions to an old one; the one that is there still goes with the last of them", () => {
    const plan = planOf({ reactionFallback: "line" }, [], ABLE);
    const react = (on: boolean, standing: Here["standing"], line: string[]): Planned => {
      const stored = aStored({ text: "👍" }, { about: about("reaction", { emoji: "👍", on }) });
      const here: Here = { ...NOTHING_HERE, ...old, without: ["react"], standing, line: refs(...line) };
      return plan.op(stored, "main", here);
    };
    const stands = [{ emoji: "👍", names: ["bob"] }];
    const another = said('* b\u200bob reacted 👍 to a\u200blice: "what it said"');
    expect(react(true, stands, ["l"])).toMatchObject({ op: another });
    expect(react(true, stands, [])).toMatchObject({ op: { ...said("👍 b\u200bob"), reply: { target: "a1" } } });
    expect(react(false, stands, ["l"]).is).toBe("omitted");
    expect(react(false, [], ["l"])).toMatchObject({ op: { kind: "delete", target: ["l"] } });
  });
});

describe("a room where files can be so large", () => {
  const ID = "f1" as FileId;
  const limits = { fileBytesMax: 2 * 1024 ** 2 };
  const MORE = 2 * 1024 ** 2 + 1;
  const why = "files of more than 2.0 MiB are not accepted here";
  const got: SharedFile = { name: "", comment: "", mime: null, bytes: MORE, url: null, id: ID, missing: null };
  const link = { ...got, url: "https://m.example/a" };
  test.each<[string, Capabilities["fileOut"], Partial<FileItem>, SharedFile, object, readonly string[]]>([
    ["all of it", "native", {}, { ...got, bytes: MORE - 1 }, { id: ID, missing: null }, []],
    ["of a size that nobody knows", "native", { Size: 0, Data: "" }, { ...got, bytes: null }, { id: ID }, []],
    ["a link", "native", {}, link, { id: null, url: link.url, missing: why, bytes: MORE }, [`file: ${why}`]],
    ["words", "native", {}, got, { id: null, url: null, missing: why }, [`file: ${why}`]],
    ["a link, as ever", "emulated", {}, link, { id: ID, url: link.url, missing: null }, []],
  ])("%s", (_name, fileOut, file, answer, expected, losses) => {
    const stored = aStored({ Extra: { file: [aFile({ Comment: "look", ...file })] } });
    const here: Here = { ...NOTHING_HERE, limits, files: [answer] };
    const planned = planOf({}, [], { fileOut }).op(stored, "main", here);
    expect(planned).toMatchObject({ op: { body: { files: [{ comment: "look", ...expected }] } } });
    expect(notes(planned)).toEqual(losses);
  });

  test.each<[Partial<FileItem>, number]>([
    [{ URL: "https://f.example/a", Size: MORE }, 0],
    [{ URL: "https://f.example/a", Size: MORE - 1 }, 1],
    [{ Size: MORE }, 1],
  ])("%j is fetched only if it is of use", (file, count) => {
    const stored = aStored({ Extra: { file: [aFile(file)] } }, { files: [ID] });
    expect(planOf({}, [], ABLE).needs(stored, narrowed(limits)).files).toHaveLength(count);
  });
});

describe("a room with some reactions", () => {
  const limits = { reactions: ["👍", "❤️"] };
  const standing = [
    { emoji: "👍", names: ["bob"] },
    { emoji: "🎉", names: ["bob", "carl"] },
  ];
  const here: Here = { ...NOTHING_HERE, about: refs("a1"), standing, limits };
  const lines = { reactionFallback: "line" } as const;
  const reaction = (emoji: string) => aStored({ text: emoji }, { about: about("reaction", { emoji, on: true }) });

  test.each(["👍", "❤", "❤️"])("%s is one, beside others that are", (emoji) => {
    const planned = planOf({}, [], ABLE).op(reaction(emoji), "main", here);
    expect(planned).toMatchObject({ op: { kind: "react", emoji, standing: standing.slice(0, 1) }, losses: [] });
  });

  test.each<[string, Partial<PresentationSettings>, Partial<Here>, object | null, string]>([
    ["nothing", {}, {}, null, "reaction: this reaction is not allowed here"],
    ["words", lines, {}, said('* b\u200bob reacted 🎉 to a\u200blice: "what it said"'), "reaction: said in a line"],
    ["a line for such", lines, { line: [] }, said("🎉 b\u200bob, c\u200barl"), "reaction: said in a line"],
  ])("another becomes %s", (_name, presentation, more, expected, note) => {
    const planned = planOf(presentation, [], ABLE).op(reaction("🎉"), "main", { ...here, ...more });
    expect(planned).toMatchObject(expected === null ? { is: "omitted" } : { is: "op", op: expected });
    expect(notes(planned)).toEqual([note]);
  });

  test.each<[string, Partial<PresentationSettings>, object]>([
    ["👍", lines, { about: 7, standing: true, line: null }],
    ["🎉", lines, { about: 7, standing: true, line: 7 }],
    ["🎉", {}, { about: null, standing: false, line: null }],
  ])("look up no more than is used: %s, %j", (emoji, presentation, expected) => {
    expect(planOf(presentation, [], ABLE).needs(reaction(emoji), here)).toMatchObject(expected);
  });
});

describe("a room where a part of a post can be so long", () => {
  const edit = aStored({ text: "b" }, { about: about("edit") });
  const deletion = aStored({ text: "" }, { about: about("delete") });
  test.each<[number | null, number | undefined]>([
    [399, 399],
    [400, undefined],
    [null, undefined],
  ])("%s of 400: posts and edits say %s", (textMax, expected) => {
    const here: Here = { ...NOTHING_HERE, about: refs("a1"), limits: textMax === null ? {} : { textMax } };
    for (const stored of [aStored({ text: "a" }), edit]) {
      const planned = planOf({}, [], ABLE).op(stored, "main", here);
      expect(planned.is === "op" && "body" in planned.op ? planned.op.textMax : null).toBe(expected);
      expect(planned.losses).toEqual([]);
    }
    expect(planOf({}, [], ABLE).op(deletion, "main", here)).not.toHaveProperty("op.textMax");
  });
});
