import type { Database } from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { type EpochClaim, LOG_ACCOUNT } from "../fence.ts";
import type { Batch } from "../log.ts";
import type { Committed } from "./committed.ts";
import { openDatabase } from "./database.ts";
import { type Commit, GroupCommit, type PendingBatch } from "./group-commit.ts";
import { IdTables } from "./ids.ts";
import { Names } from "./names.ts";
import { Replica } from "./replica.ts";
import { Retention } from "./retention.ts";
import { scratchFolder } from "./scratch.suite.ts";
import { SubjectIndex } from "./subject-index.ts";
import { Writer } from "./writer.ts";

const LIMITS = { retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 };
const TABLES = ["name", "entry", "mark", "once", "high", "receipt", "said", "remote", "reaction", "stream_epoch"];

/** One node: what a stream brings, applied to a file. */
class Node {
  readonly db: Database = openDatabase({ dataPath: scratchFolder(), durability: "process", ...LIMITS, test: {} });
  readonly #names = new Names(this.db);
  readonly #replica = new Replica(this.db, "s");
  readonly #retention = new Retention(this.db, new SubjectIndex(this.db), LIMITS);
  readonly #writer = new Writer(this.db, this.#names, new IdTables(this.db, this.#names), {
    replica: this.#replica,
    retention: this.#retention,
  });
  #seq = 0;

  /** As number `number` of a run of n1; 0: no commit. */
  apply(commit: Commit, number: number, run = "r"): Committed {
    const [after, seq] = [this.#seq, (this.#seq += 1)];
    const place = { seq, after, resume: seq + 1, from: 1024 * seq, node: "n1", run, number, sum: 0 };
    return this.#writer.commit({ ...commit, id: 1, held: null, stream: place }, null);
  }

  get state(): unknown {
    return TABLES.map((table) => this.db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all());
  }

  column(sql: string): unknown[] {
    return this.db.prepare<[]>(sql).pluck().all();
  }
}

/** As one node groups it that holds the accounts in these epochs. */
async function commitOf(
  epochs: Readonly<Record<string, number>>,
  ...batches: readonly PendingBatch[]
): Promise<Commit> {
  const made = Promise.withResolvers<Commit>();
  const commits = new GroupCommit({
    pendingBytes: 1e9,
    clock: () => 5,
    observer: null,
    epochOf: (account) => epochs[account] ?? 0,
    send: made.resolve,
    committed: () => undefined,
  });
  for (const batch of batches) commits.addThen(batch, () => undefined);
  return await made.promise;
}

const entry = (payload: string, key: string | null = null) => ({ subject: "net.a/#x", key, label: "", payload });
const saying = (account: string, payload: string, more: Partial<Batch> = {}): PendingBatch => ({
  batch: { account, entries: [entry(payload)], ...more },
  unmark: [],
});
const claim = (account: string, epoch: number, node = "n1"): EpochClaim => ({ account, epoch, node, run: "r" });
const fenced = (batch: number, by = "n2") => ({ batch, is: "fenced", by });

/** Two nodes that have applied the same, the second in a file of its own. */
function nodes(): {
  readonly apply: (commit: Commit) => Committed;
  readonly claim: (...claims: readonly EpochClaim[]) => Promise<readonly EpochClaim[] | undefined>;
  readonly one: Node;
} {
  const both = [new Node(), new Node()] as const;
  onTestFinished(() => {
    for (const { db } of both) db.close();
  });
  let number = 0;
  const apply = (commit: Commit, isCommit = true): Committed => {
    number += isCommit ? 1 : 0;
    const [one, two] = both.map((node) => node.apply(commit, isCommit ? number : 0));
    expect(two).toEqual(one);
    expect(both[1].state).toEqual(both[0].state);
    if (one === undefined) throw new Error("there are two");
    return one;
  };
  const claims = async (...all: readonly EpochClaim[]) =>
    apply({ ...(await commitOf({}, saying("", ""))), counts: [], payloads: [], claims: all }, false).raised;
  return { apply, claim: claims, one: both[0] };
}

test("a claim counts when its epoch is higher than all before, each account by itself", async () => {
  const stage = nodes();
  expect(await stage.claim(claim("a", 1), claim("b", 1))).toEqual([claim("a", 1), claim("b", 1)]);
  expect(await stage.claim(claim("a", 1, "n2"), claim("b", 2, "n2"))).toEqual([claim("b", 2, "n2")]);
  expect(await stage.claim(claim("a", 5, "n2"), claim("a", 5, "n3"), claim("a", 3))).toEqual([claim("a", 5, "n2")]);
  expect(stage.one.column("SELECT account || epoch || node FROM stream_epoch ORDER BY 1")).toEqual(["a5n2", "b2n2"]);
});

test("of one commit what is of an epoch that is over is void, all of it, and the rest is stored", async () => {
  const stage = nodes();
  await stage.claim(claim("a", 1), claim("b", 1));
  await stage.claim(claim("a", 2, "n2"));
  const note = { is: "said" as const, refs: ["m"], author: "ann", name: "ann", excerpt: "x" };
  const receipt = { lane: "l", seq: 1024, state: "sent" as const, detail: "{}" };
  const void_ = saying("a", "void", {
    entries: [{ ...entry("void", "k"), note }, entry("void too")],
    marks: [{ name: "m", value: "void" }],
    receipts: [receipt],
    once: { key: "o", fingerprint: "f", answer: "void" },
  });
  const commit = await commitOf(
    { a: 1, b: 1 },
    saying("b", "1"),
    void_,
    saying("", "2"),
    saying("nobody's", "3", { marks: [{ name: "n", value: "3" }] }),
    saying("b", "4"),
  );
  expect(stage.apply(commit)).toMatchObject({ first: 3072, absent: [1, 2], verdicts: [fenced(1)], fate: "taken" });
  expect(stage.one.column("SELECT seq || payload FROM entry ORDER BY 1")).toEqual(["30721", "30732", "30743", "30754"]);
  for (const table of ["said", "receipt", "once"]) expect(stage.one.column(`SELECT 1 FROM ${table}`)).toEqual([]);
  expect(stage.one.column("SELECT name FROM mark")).toEqual(["n"]);
  // Its keys and answers are free for who holds it now.
  const again = await commitOf({ a: 2 }, void_);
  expect(stage.apply(again)).toMatchObject({ absent: [], verdicts: [] });
});

test.each([
  ["nobody's, by a node that holds nothing", [], 0, []],
  ["held here", [claim("a", 1)], 1, []],
  ["held, by a process that holds nothing", [claim("a", 1)], 0, [fenced(0, "n1")]],
  ["held elsewhere, by a process that has lost it", [claim("a", 1), claim("a", 2, "n2")], 1, [fenced(0)]],
  [
    "lost and held again, with what is of the first time",
    [claim("a", 1), claim("a", 2), claim("a", 3)],
    1,
    [fenced(0, "n1")],
  ],
])("an append for an account that is %s", async (_what, claims, epoch, verdicts) => {
  const stage = nodes();
  for (const each of claims) await stage.claim(each);
  expect(stage.apply(await commitOf({ a: epoch }, saying("a", "x"))).verdicts).toEqual(verdicts);
});

test("what was appended before an account was lost stays void when it comes back", async () => {
  const stage = nodes();
  await stage.claim(claim("a", 3));
  const sent: Commit[] = [];
  let epoch = 1;
  const commits = new GroupCommit({
    pendingBytes: 1e9,
    clock: () => 5,
    observer: null,
    epochOf: () => epoch,
    send: (commit) => sent.push(commit),
    committed: () => undefined,
  });
  commits.addThen(saying("a", "before"), () => undefined);
  epoch = 3;
  commits.addThen(saying("a", "after"), () => undefined);
  while (sent.length === 0) await new Promise(setImmediate);
  expect(sent[0]?.owners).toEqual({ accounts: ["a", "a"], epochs: [1, 3], ownerOf: [0, 1] });
  expect(sent.map((commit) => stage.apply(commit).absent)).toEqual([[0]]);
});

test("a mark of another account that rides with an entry is void by itself", async () => {
  const stage = nodes();
  await stage.claim(claim("a", 1), claim("b", 1));
  await stage.claim(claim("b", 2, "n2"));
  const mark = (name: string, account?: string) => ({
    name,
    entry: 0,
    value: ["<", ">"] as const,
    ...(account !== undefined && { account }),
  });
  const seqMarks = [mark("own"), mark("lost", "b"), mark("same", "a")];
  const commit = await commitOf({ a: 1, b: 1 }, saying("a", "x", { seqMarks }));
  expect(stage.apply(commit)).toMatchObject({ absent: [], verdicts: [{ batch: 0, is: "stored", voidMarks: [1] }] });
  expect(stage.one.column("SELECT name || value FROM mark ORDER BY 1")).toEqual(["own<3072>", "same<3072>"]);
});

test("what another node than the one that holds the log wants to delete stays", async () => {
  const stage = nodes();
  stage.apply(await commitOf({}, saying("a", "old")));
  const sweep = { ...saying(LOG_ACCOUNT, ""), cut: { entries: 1024, ids: 0, answers: { id: 0, before: 0 } } };
  const cut = { ...sweep, batch: { account: LOG_ACCOUNT, entries: [] } };
  await stage.claim(claim(LOG_ACCOUNT, 1), claim(LOG_ACCOUNT, 2, "n2"));
  expect(stage.apply(await commitOf({ [LOG_ACCOUNT]: 1 }, cut)).verdicts).toEqual([fenced(0)]);
  expect(stage.one.column("SELECT payload FROM entry")).toEqual(["old"]);
  expect(stage.apply(await commitOf({ [LOG_ACCOUNT]: 2 }, cut)).verdicts).toEqual([]);
  expect(stage.one.column("SELECT payload FROM entry")).toEqual([]);
});

test("what a process had published is stored once, also where it comes again when another has followed it", async () => {
  const node = new Node();
  onTestFinished(() => void node.db.close());
  const commit = await commitOf({}, saying("a", "said"));
  const fates = [
    ["old", 1],
    ["new", 1],
    ["old", 1],
    ["new", 1],
    ["new", 2],
    ["old", 2],
    ["new", 2],
  ] as const;
  expect(fates.map(([run, number]) => node.apply(commit, number, run).fate)).toEqual([
    "taken",
    "taken",
    "repeated",
    "repeated",
    "taken",
    "taken",
    "repeated",
  ]);
});
