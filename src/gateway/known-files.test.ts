import { expect, test } from "vitest";
import { encodeStored } from "./codec.ts";
import { about, aStored } from "./plan.suite.ts";
import { aFile } from "./samples.suite.ts";
import type { StoredEntry } from "../log/log.ts";
import { withFiles } from "./known-files.ts";

const said = (...names: string[]): string =>
  encodeStored(aStored({ Extra: names.length === 0 ? null : { file: names.map((Name) => aFile({ Name })) } }));
const removed = (): string => encodeStored(aStored({}, { about: { ...about("edit"), hasAllFiles: true } }));

test.each<[string, number | null, Record<number, string>, string[] | undefined]>([
  ["as they were said", null, { 1: said("a") }, ["a"]],
  ["as the newest edit has them", 3, { 1: said("a"), 3: said("b") }, ["b"]],
  ["of the message where an edit names none", 3, { 1: said("a"), 3: said() }, ["a"]],
  ["none after an edit that removes the last one", 3, { 1: said("a"), 3: removed() }, []],
  ["none", null, { 1: said() }, []],
  ["unknown when retention took the message", null, {}, undefined],
])("the files of a message before an edit: %s", async (_case, revised, entries, names) => {
  const known = { seq: 1, subject: "s", at: 0, author: "[]", name: "ann", excerpt: "", gone: false };
  const archive = {
    standing: async () => await Promise.resolve([{ seq: 1, gone: false, revised }]),
    entry: async (seq: number) => {
      const payload = entries[seq];
      const entry: StoredEntry = { seq, subject: "s", at: 0, label: "", payload: payload ?? "" };
      return await Promise.resolve(payload === undefined ? null : entry);
    },
  };
  expect((await withFiles(known, archive)).files?.map(({ name }) => name)).toEqual(names);
});
