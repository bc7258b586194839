import { expect, test } from "vitest";
import { appendOne, batchOf, said } from "../suite/kit.suite.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

function notebook() {
  const seen: string[] = [];
  return {
    seen,
    observer: {
      appended: (entries: number, ms: number) => void seen.push(`${entries} in ${ms >= 0 ? "time" : ms}`),
      refused: ({ code }: { readonly code: string }) => void seen.push(code),
    },
  };
}

test("an observer hears of every batch with entries, and of no marks", async () => {
  const { seen, observer } = notebook();
  const log = await openAt(scratchFolder(), { observer });
  await appendOne(log, said("one"));
  await log.mark([{ name: "a", value: "b" }]);
  await log.append(batchOf(said("two"), said("three")));
  await log.append({ ...batchOf(said("four")), once: { key: "k", fingerprint: "f", answer: "a" } });
  await log.append({ ...batchOf(said("four")), once: { key: "k", fingerprint: "f", answer: "a" } });
  expect(seen).toEqual(["1 in time", "2 in time", "1 in time"]);
});

test("an observer hears of refusals: by the disk, and by too much that waits", async () => {
  const { seen, observer } = notebook();
  const floor = await openAt(scratchFolder(), { observer, test: { floorBytes: Number.MAX_SAFE_INTEGER } });
  await expect(floor.append(batchOf(said("one")))).rejects.toMatchObject({ code: "disk_full" });
  const slow = await openAt(scratchFolder(), { observer, pendingBytes: 10 });
  const outcomes = await Promise.allSettled([slow.append(batchOf(said("one"))), slow.append(batchOf(said("two")))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(seen).toEqual(["disk_full", "overloaded", "1 in time"]);
});
