import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { GroupCommit } from "../sqlite/group-commit.ts";
import type { Commit } from "../sqlite/group-commit.ts";
import { batchOf, said } from "../suite/kit.suite.ts";
import {
  decodeClaims,
  decodeCommit,
  decodeImport,
  encodeClaims,
  encodeCommit,
  encodeImport,
  idText,
  parseId,
} from "./codec.ts";
import { NO_COMMIT } from "./messages.ts";

/** As the log makes it. */
async function commitOf(payload: string): Promise<Commit> {
  const made = Promise.withResolvers<Commit>();
  const commits = new GroupCommit({
    pendingBytes: 1e9,
    clock: () => 5,
    observer: null,
    send: (commit) => made.resolve(commit),
    epochOf: (account) => account.length,
    committed: () => undefined,
  });
  const note = { is: "said" as const, refs: ["m"], author: "a", name: "ann", excerpt: "x" };
  const cut = { entries: 1, ids: 0, answers: { id: 3, before: 7 } };
  const batch = { ...batchOf({ ...said(payload), key: "k", note }), marks: [{ name: "m", value: "\u2028" }] };
  commits.addThen({ batch, unmark: ["gone"], cut }, () => undefined);
  return await made.promise;
}

/** A commit of one entry, with other columns in place of some of its own. */
function entriesOf(columns: Readonly<Record<string, unknown>>): Buffer {
  const one = { ...NO_COMMIT, counts: [1], subjects: ["s"], subjectOf: [0], payloads: ["p"] };
  return Buffer.concat([Buffer.of(1), Buffer.from(JSON.stringify({ ...one, ...columns }))]);
}

test.each([
  ["short", 1, "hello \u{1f600}"],
  ["long", 2, "word ".repeat(2000)],
])("a %s commit comes out as it went in", async (_what, kind, payload) => {
  const commit = await commitOf(payload);
  expect(commit.owners).toMatchObject({ accounts: [batchOf().account], epochs: [batchOf().account.length] });
  const body = encodeCommit(commit);
  expect(body[0]).toBe(kind);
  expect(body.length).toBeLessThan(2000);
  expect(decodeCommit(body)).toEqual(commit);
});

test.each([
  ["nothing", Buffer.of()],
  ["text", Buffer.from("hello")],
  ["no JSON", Buffer.from("\x01{")],
  ["other JSON", Buffer.from('\x01{"is":"commit","counts":[]}')],
  ["one whose columns do not fit", entriesOf({ counts: [2] })],
  ["one with a subject that is not there", entriesOf({ subjectOf: [1] })],
  ["one with an entry that is no text", entriesOf({ payloads: [7] })],
  ["a packed one that is damaged", Buffer.concat([Buffer.of(2), zstdCompressSync(Buffer.from("{}")).subarray(0, 8)])],
])("%s is no commit", (_what, body) => {
  expect(decodeCommit(body)).toBeNull();
});

test("a commit of a newer version stops the node, which cannot know what it lacks without it", () => {
  expect(() => decodeCommit(Buffer.from("\x03{}"))).toThrow(/newer version .+ Update this node\./u);
});

test("claims come out as they went in, and others are refused", () => {
  const claim = { account: "net.a", epoch: 3, node: "n1", run: "r" };
  expect(decodeClaims(encodeClaims([claim, claim]))).toEqual([claim, claim]);
  for (const other of ["", "[]", "{}", "[{}]", JSON.stringify([{ ...claim, account: "" }])]) {
    expect(decodeClaims(Buffer.from(other))).toBeNull();
  }
});

test("the id of a message is read as it was written", () => {
  const id = { node: "n-1.example", run: "0b0-1", is: "claim" as const, number: 12, part: 2, parts: 4 };
  expect(parseId(idText(id))).toEqual(id);
});

test.each([
  "",
  "n/r/commit/1/1",
  "n/r/commit/1/0/1",
  "n/r/commit/1/2/1",
  "n/r/commit/x/1/1",
  "n/r/fence/1/1/1",
  "n n/r/commit/1/1/1",
  `${"n".repeat(65)}/r/commit/1/1/1`,
])("%j is no id", (text) => {
  expect(parseId(text)).toBeNull();
});

test("with which file a stream begins comes out as it went in, and anything else is refused", () => {
  const sha256 = "0a".repeat(32);
  expect(decodeImport(encodeImport({ sha256 }))).toEqual({ sha256 });
  for (const body of ["", "{}", `{"sha256":"${"x".repeat(64)}"}`, '{"sha256":"0a"}']) {
    expect(decodeImport(Buffer.from(body))).toBeNull();
  }
  const id = { node: "n", run: sha256, is: "import", number: 1, part: 1, parts: 1 } as const;
  expect(parseId(idText(id))).toEqual(id);
});
