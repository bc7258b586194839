import { expect, onTestFinished, test } from "vitest";
import { batchOf, said } from "../suite/kit.suite.ts";
import { LogError } from "../errors.ts";
import { UnknownOutcome } from "../unknown-outcome.ts";
import { GroupCommit, type PendingBatch } from "./group-commit.ts";
import type { CommittedReply } from "./protocol.ts";

const mark = (name: string) => ({
  batch: { account: "", entries: [], marks: [{ name, value: "1" }] },
  unmark: [],
  rides: true,
});

test("what rides causes no commit of its own while others come", async () => {
  const sent: number[] = [];
  const commits = new GroupCommit({
    pendingBytes: 1_000_000,
    clock: () => 0,
    observer: null,
    send: ({ counts }, done) => {
      sent.push(counts.length);
      setImmediate(() => done({ is: "committed", id: 0, first: 1, absent: [], verdicts: [], at: 0, fate: "taken" }));
    },
    committed: () => undefined,
  });
  const riding = commits.add(mark("a"));
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([]);
  await commits.add({ batch: batchOf(said("x")), unmark: [] });
  await riding;
  expect(sent).toEqual([2]);
  const last = commits.add(mark("b"));
  await commits.drained();
  await last;
  expect(sent).toEqual([2, 1]);
});

/** How many batches each commit has, when so many come in each of some turns of the event loop. */
function gathered(...turns: readonly number[]): Promise<readonly number[]> {
  return gatheredWith([], ...turns);
}

async function gatheredWith(riding: readonly PendingBatch[], ...turns: readonly number[]): Promise<readonly number[]> {
  const sent: number[] = [];
  const commits = new GroupCommit({
    pendingBytes: 1_000_000,
    clock: () => 0,
    observer: null,
    send: ({ counts }, done) => {
      sent.push(counts.length);
      setImmediate(() => done({ is: "committed", id: 0, first: 1, absent: [], verdicts: [], at: 0, fate: "taken" }));
    },
    committed: () => undefined,
  });
  for (const batch of riding) void commits.add(batch);
  for (const count of turns) {
    for (let added = 0; added < count; added += 1) void commits.add({ batch: batchOf(said("x")), unmark: [] });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await commits.drained();
  return sent;
}

test("a commit waits for others as long as each turn brings more, but not for ever", async () => {
  expect(await gathered(2, 1, 1, 0, 1)).toEqual([4, 1]);
  expect(await gathered(2, 0, 1)).toEqual([2, 1]);
  expect(await gathered(2, 1, 1, 1, 1, 0, 0)).toEqual([5, 1]);
  expect(await gathered(64, 1)).toEqual([64, 1]);
});

test("what comes alone leaves at the end of its turn", async () => {
  expect(await gathered(1, 1)).toEqual([1, 1]);
  expect(await gatheredWith([mark("a"), mark("b")], 1, 1)).toEqual([3, 1]);
});

/** Commits of which each is answered in a turn of its own. */
function commitsOf(pendingBytes = 1_000_000): GroupCommit {
  return new GroupCommit({
    pendingBytes,
    clock: () => 0,
    observer: null,
    send: (_request, done) => {
      setImmediate(() => done({ is: "committed", id: 0, first: 1, absent: [], verdicts: [], at: 0, fate: "taken" }));
    },
    committed: () => undefined,
  });
}

test("who throws when told harms nobody else, and is seen", async () => {
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other);
  });
  const thrown = new Promise<Error>((resolve) => process.once("uncaughtException", resolve));
  const commits = commitsOf();
  commits.addThen({ batch: batchOf(said("1")), unmark: [] }, () => {
    throw new Error("a bug");
  });
  expect(await commits.add({ batch: batchOf(said("2")), unmark: [] })).toEqual({ is: "stored", seqs: [2] });
  await commits.drained();
  expect((await thrown).message).toBe("a bug");
});

test("what is refused at once is told after the return", async () => {
  const commits = commitsOf(1);
  const first = commits.add({ batch: batchOf(said("1")), unmark: [] });
  const seen: string[] = [];
  const told = new Promise<void>((resolve) => {
    commits.addThen({ batch: batchOf(said("2")), unmark: [] }, (outcome) => {
      seen.push("code" in outcome ? outcome.code : outcome.is);
      resolve();
    });
    seen.push("returned");
  });
  await told;
  expect(seen).toEqual(["returned", "overloaded"]);
  await first;
});

test("whose outcome is not known in time is told so, and then what became of it; those after it wait", async () => {
  const sent: ((reply: CommittedReply | LogError) => void)[] = [];
  const commits = new GroupCommit({
    pendingBytes: 1_000_000,
    clock: () => 0,
    observer: null,
    send: (_request, done) => sent.push(done),
    committed: () => undefined,
  });
  const doubtful = commits.add({ batch: batchOf(said("1")), unmark: [] }).catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  const next = commits.add({ batch: batchOf(said("2")), unmark: [] });
  commits.abandon(new LogError("unknown", "nobody knows"));
  const error = await doubtful;
  expect(error).toMatchObject({ code: "unknown", message: "nobody knows" });
  expect(sent).toHaveLength(1);
  const reply = { is: "committed", id: 0, absent: [], verdicts: [], at: 0, fate: "taken" } as const;
  sent[0]?.({ ...reply, first: 1 });
  expect(error instanceof UnknownOutcome && (await error.settled)).toEqual({ is: "stored", seqs: [1] });
  await new Promise((resolve) => setImmediate(resolve));
  sent[1]?.({ ...reply, first: 2 });
  expect(await next).toEqual({ is: "stored", seqs: [2] });
});
