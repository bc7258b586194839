import { expect, onTestFinished, test, vi } from "vitest";
import type { CommitRequest, WorkerReply } from "./protocol.ts";
import { scratchFolder } from "./scratch.suite.ts";
import { Store } from "./store.ts";

const read = vi.hoisted(() => vi.fn());
vi.mock("./state-hash.ts", () => ({ hashOfState: read }));

const ioError = (code: string): Error => Object.assign(new Error("disk I/O error"), { code });

test("a commit whose state cannot be read is stored, and is no reason to refuse those behind it; damage is told", () => {
  const replies: WorkerReply[] = [];
  const policy = { retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 };
  const options = { dataPath: scratchFolder(), durability: "process" as const, stream: "s", compareEvery: 1 };
  const store = new Store({ ...options, ...policy, test: {} }, (reply) => replies.push(reply));
  const commit = (seq: number): CommitRequest => ({
    is: "commit",
    id: seq,
    at: 1,
    held: null,
    stream: {
      seq,
      after: seq - 1,
      resume: seq + 1,
      from: 1024 * seq,
      node: "n1",
      run: "r",
      number: seq,
      sum: 0,
    },
    counts: [1],
    subjects: ["net.a/#x"],
    subjectOf: [0],
    labels: null,
    payloads: ["x"],
    notes: null,
    extras: [],
  });
  read.mockImplementationOnce(() => {
    throw ioError("SQLITE_IOERR_READ");
  });
  read.mockReturnValueOnce("hash");
  read.mockImplementationOnce(() => {
    throw ioError("SQLITE_CORRUPT");
  });
  for (const seq of [1, 2, 3]) store.handle(commit(seq));
  onTestFinished(async () => {
    store.handle({ is: "close", id: 4 });
    await store.closed;
  });
  expect(replies).toEqual([
    expect.not.objectContaining({ state: expect.anything() as unknown }),
    expect.objectContaining({ is: "committed", id: 2, fate: "taken", state: "hash" }),
    expect.objectContaining({ is: "failed", id: 3, failure: expect.objectContaining({ code: "damaged" }) as unknown }),
  ]);
  expect(replies[0]).toMatchObject({ is: "committed", id: 1, fate: "taken" });
});
