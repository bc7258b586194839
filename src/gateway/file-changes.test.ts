import { expect, test } from "vitest";
import type { FileId } from "../contract/ids.ts";
import type { FileChanges } from "../contract/ops.ts";
import { fileId } from "../files/file-id.ts";
import { aboutFiles, type FileMark, fileMarks } from "./file-changes.ts";
import { ABLE, about, aStored, NOTHING_HERE, planOf, postOf, refs } from "./plan.suite.ts";
import { aFile } from "./samples.suite.ts";

const idOf = (name: string): FileId => fileId({ is: "url", url: `https://f.example/${name}` });
const storedAs = (sha256: string) => mark("a", { id: fileId({ is: "stored", sha256 }) });
const mark = (name: string, more: Partial<FileMark> = {}): FileMark => ({
  id: idOf(name),
  name,
  bytes: 1,
  shown: `[${name}]`,
  ...more,
});
const [A, B, C] = ["a", "b", "c"].map((name) => mark(name)) as [FileMark, FileMark, FileMark];

test.each<[string, FileMark[] | undefined, FileMark[], FileChanges | undefined]>([
  ["the same files", [A, B], [A, B], undefined],
  ["in another order", [A, B], [B, A], undefined],
  ["one replaced", [A], [B], { before: 1, added: [0], removed: [{ at: 0, name: "[a]" }] }],
  ["one removed", [A, B], [B], { before: 2, added: [], removed: [{ at: 0, name: "[a]" }] }],
  ["one added", [A], [A, C], { before: 1, added: [1], removed: [] }],
  ["the first one of a text", [], [C], { before: 0, added: [0], removed: [] }],
  ["an edit that names none", [A], [], undefined],
  ["nobody knows what there was", undefined, [A], undefined],
  ["the same file under another id", [A], [mark("a", { id: idOf("other") })], undefined],
  ["of unknown size", [A], [mark("a", { id: null, bytes: null })], undefined],
  [
    "other content of the same name and size",
    [storedAs("0")],
    [storedAs("1")],
    { before: 1, added: [0], removed: [{ at: 0, name: "[a]" }] },
  ],
  [
    "another of the same name",
    [A],
    [mark("a", { id: null, bytes: 7 })],
    { before: 1, added: [0], removed: [{ at: 0, name: "[a]" }] },
  ],
])("what an edit changes of the files: %s", (_case, before, now, changes) => {
  expect(aboutFiles(before, now, false).changed).toEqual(changes);
});

test.each<[string, FileMark[], ReturnType<typeof aboutFiles>]>([
  ["the last file", [A], { changed: { before: 1, added: [], removed: [{ at: 0, name: "[a]" }] }, hasAllFiles: true }],
  ["nothing of a message without files", [], { hasAllFiles: true }],
])("an edit that lists no file, from where each file is listed, removes %s", (_case, before, expected) => {
  expect(aboutFiles(before, [], true)).toEqual(expected);
});

test("a hidden file is not named", () => {
  const message = aStored({ Extra: { file: [aFile({ Name: "cat.png", Spoiler: true })] } });
  expect(fileMarks(message).map(({ shown }) => shown)).toEqual(["[hidden picture]"]);
});

const CHANGED = { before: 1, added: [0], removed: [{ at: 0, name: "[old.bin]" }] };
const edited = (text: string, excerpt: string) =>
  aStored(
    { text, Extra: { file: [aFile({ Name: "new.bin", URL: "https://f.example/new.bin", Comment: "" })] } },
    { about: { ...about("edit"), excerpt, changed: CHANGED } },
  );

test.each([
  ["the file alone", "look", "look", "* removed [old.bin]"],
  ["the text as well", "look here", "gone", "* look here\n* removed [old.bin]"],
])("where edits are said in words, a new file is sent on: %s", (_case, text, excerpt, said) => {
  const { body } = postOf(planOf({ editFallback: "whole" }, [], { fileOut: "emulated" }), edited(text, excerpt));
  expect(body.source.text).toBe(said);
  expect(body.files.map(({ name }) => name)).toEqual(["new.bin"]);
});

test("where there are edits, what changes of the files is said to the network", () => {
  const planned = planOf({}, [], ABLE).op(edited("look", "look"), "main", { ...NOTHING_HERE, about: refs("m") });
  expect(planned).toMatchObject({ is: "op", op: { kind: "edit", changed: CHANGED } });
});
