import { expect, test } from "vitest";
import type { Log } from "../log.ts";
import { appendOne, batchOf, said } from "../suite/kit.suite.ts";
import { openAt, scratchFolder } from "./scratch.suite.ts";

const PAYLOAD = "x".repeat(2000);
const DAY = 24 * 60 * 60 * 1000;

/** Appends until it is refused; returns how many were stored. */
async function fill(log: Log): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await log.append(batchOf(said(PAYLOAD)));
    } catch (error) {
      expect(error).toMatchObject({ name: "LogError", code: "disk_full" });
      return count;
    }
  }
}

test("a full disk refuses what does not fit, keeps what was stored, and later appends succeed", async () => {
  let now = 1_700_000_000_000;
  const dataPath = scratchFolder();
  const log = await openAt(dataPath, { tailBytes: 0, clock: () => now, test: { maxPages: 100 } });
  const stored = await fill(log);
  expect(stored).toBeGreaterThan(10);
  // All that was handed over together is refused; the log goes on for what comes after.
  const big = Array.from({ length: 5 }, () => log.append(batchOf(said("y".repeat(500_000)))));
  const outcomes = await Promise.allSettled([...big, log.mark([{ name: "with them", value: "1" }])]);
  expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  await log.mark([{ name: "small", value: "1" }]);
  expect(log.head).toBe(stored);
  // Room comes back: retention takes the old ones.
  now += 8 * DAY;
  await log.sweep();
  expect(await appendOne(log, said(PAYLOAD))).toBe(stored + 1);
  await log.close();
  const again = await openAt(dataPath, { clock: () => now });
  expect(again.head).toBe(stored + 1);
  expect(await again.marks("")).toEqual(new Map([["small", "1"]]));
});

test("a subject of a refused commit is known when it comes again", async () => {
  let now = 1_700_000_000_000;
  const dataPath = scratchFolder();
  const log = await openAt(dataPath, { clock: () => now, test: { maxPages: 100 } });
  await fill(log);
  const fresh = said("y".repeat(500_000), { subject: "xmpp.home/new" });
  await expect(log.append(batchOf(fresh))).rejects.toMatchObject({ code: "disk_full" });
  now += 8 * DAY;
  await log.sweep();
  await log.append(batchOf({ ...fresh, payload: "fits" }));
  await log.close();
  const read = await (
    await openAt(dataPath, { clock: () => now })
  ).read({ subjects: ["xmpp.home/new"], after: 0, limit: 5 });
  expect(read.map(({ payload }) => payload)).toEqual(["fits"]);
});

test("below the floor of free space copies are known, what is said of ids is not", async () => {
  const dataPath = scratchFolder();
  const note = { is: "said", refs: ["m1"], author: "a", name: "ann", excerpt: "hello" } as const;
  const roomy = await openAt(dataPath);
  const seq = await appendOne(roomy, said("1", { note }));
  await roomy.close();
  const log = await openAt(dataPath, { test: { floorBytes: Number.MAX_SAFE_INTEGER } });
  const receipt = { lane: "lane", seq, state: "sent", detail: "{}" } as const;
  const copies = { of: seq, place: "xmpp.home/new", refs: ["c1", "c2"] };
  await log.append({ ...batchOf(), receipts: [{ ...receipt, copies }] });
  const gone = log.append(batchOf(said("2", { note: { is: "gone", of: seq } })));
  await expect(gone).rejects.toMatchObject({ code: "disk_full" });
  expect((await log.ids.find("xmpp.home/new", ["c2"]))?.gone).toBe(false);
  expect(await log.ids.refs(seq, "lane")).toEqual(["c1", "c2"]);
});

test("an entry that finds no room leaves nothing of its note", async () => {
  const log = await openAt(scratchFolder(), { test: { maxPages: 100 } });
  const noted = (ref: string, payload: string) =>
    said(payload, { note: { is: "said", refs: [ref], author: "a", name: "ann", excerpt: "hello" } });
  const refused = log.append(batchOf(noted("m1", "small"), noted("m2", "x".repeat(500_000))));
  await expect(refused).rejects.toMatchObject({ code: "disk_full" });
  const seq = await appendOne(log, noted("m2", "small"));
  expect(await log.ids.find(said("").subject, ["m1"])).toBeNull();
  expect((await log.ids.find(said("").subject, ["m1", "m2"]))?.seq).toBe(seq);
});

test("below the floor of free space messages are refused, marks and receipts are not", async () => {
  const receipt = { lane: "lane", seq: 1, state: "sent", detail: "{}" } as const;
  const log = await openAt(scratchFolder(), { test: { floorBytes: Number.MAX_SAFE_INTEGER } });
  const [message, mark, once, empty] = await Promise.allSettled([
    log.append({
      ...batchOf(said("1")),
      marks: [{ name: "a", value: "1" }],
      receipts: [{ ...receipt, lane: "refused" }],
    }),
    log.mark([{ name: "b", value: "1" }]),
    log.append({ ...batchOf(), once: { key: "k", fingerprint: "f", answer: "a" } }),
    log.append({ ...batchOf(), marks: [{ name: "c", value: "1" }], receipts: [receipt] }),
  ]);
  const refused = {
    reason: { code: "disk_full", message: expect.stringMatching(/No room on the disk .* MiB are free/) as string },
  };
  expect(message).toMatchObject(refused);
  expect(once).toMatchObject(refused);
  expect([mark?.status, empty?.status]).toEqual(["fulfilled", "fulfilled"]);
  expect([...(await log.marks("")).keys()]).toEqual(["b", "c"]);
  expect(await log.receipts({ lane: "lane", after: 0, limit: 5 })).toEqual([receipt]);
  expect(await log.receipts({ lane: "refused", after: 0, limit: 5 })).toEqual([]);
  expect(log.head).toBe(0);
});
