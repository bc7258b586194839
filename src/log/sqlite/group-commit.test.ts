import { expect, test } from "vitest";
import { batchOf, said } from "../suite/kit.suite.ts";
import { GroupCommit } from "./group-commit.ts";

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
      setImmediate(() => done({ is: "committed", id: 0, first: 1, absent: [], verdicts: [] }));
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
