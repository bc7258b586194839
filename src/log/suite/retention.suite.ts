import { describe, expect, test } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import type { Hold, Receipt, Seq } from "../log.ts";
import { appendOne, batchOf, type Bench, ROOM, said } from "./kit.suite.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const MEBIBYTE = 1024 * 1024;
const LANE = "gateway/net.libera/#rialto";

/** What retention takes, and what it leaves because somebody waits for it. */
export function describeRetention(bench: Bench): void {
  const kept = async (): Promise<Seq[]> => {
    const found: Seq[] = [];
    for (let after = 0; ;) {
      const entries = await bench.log.read({ subjects: [ROOM], after, limit: 1000 });
      if (entries.length === 0) return found;
      found.push(...entries.map(({ seq }) => seq));
      after = entries.at(-1)?.seq ?? after;
    }
  };
  const say = (): Promise<Seq> => appendOne(bench.log, said("x".repeat(1000)));
  const hourly = async (count: number): Promise<Seq[]> => {
    const seqs: Seq[] = [];
    for (let index = 0; index < count; index++) {
      seqs.push(await say());
      bench.now += HOUR;
    }
    return seqs;
  };
  const receiptOf = (seq: Seq): Receipt => ({ lane: LANE, seq, state: "sent", detail: "{}" });

  describe("retention", () => {
    test("takes receipts with their entries, and leaves those of younger ones", async () => {
      await bench.use({ tailBytes: 0, retentionDays: 1 });
      const seqs = await hourly(30);
      await bench.log.append({ ...batchOf(), receipts: seqs.map(receiptOf) });
      await bench.sweep();
      const left = await kept();
      expect(left.length).toBeGreaterThan(20);
      expect(left.length).toBeLessThan(30);
      expect(await bench.log.receipts({ lane: LANE, after: 0, limit: 100 })).toEqual(left.map(receiptOf));
    });

    test("says which entry is the first that it has left", async () => {
      await bench.use({ tailBytes: 0 });
      expect(await bench.log.first()).toBe(1);
      const old = await say();
      expect(await bench.log.first()).toBe(old);
      bench.now += 8 * DAY;
      const young = await say();
      await bench.sweep();
      expect(await bench.log.first()).toBe(young);
      bench.now += 8 * DAY;
      await bench.sweep();
      expect(await bench.log.first()).toBe(young + 1);
    });

    test("counts what it has taken, also after a restart, and knows from when it was", async () => {
      await bench.use({ tailBytes: 0, retentionDays: 1 });
      const seqs = await hourly(30);
      const between = seqs[2]!;
      await bench.sweep();
      const left = await kept();
      const gone = 30 - left.length;
      const upTo = (await bench.log.first()) - 1;
      const check = async (): Promise<void> => {
        expect(await bench.log.removed({ after: 0, upTo: seqs[0]! - 1 })).toBe(0);
        expect(await bench.log.removed({ after: 0, upTo })).toBe(gone);
        expect(await bench.log.removed({ after: between, upTo })).toBe(gone - 3);
        expect(await bench.log.removed({ after: upTo, upTo: bench.log.head })).toBe(0);
        expect(await bench.log.removedSince(0)).toBeLessThan(seqs[0]!);
        expect(await bench.log.removedSince(bench.now)).toBeNull();
        expect(await bench.archive.total()).toBe(30);
      };
      await check();
      await bench.reopen();
      await check();
      await say();
      expect(await bench.archive.total()).toBe(31);
    });

    test("takes a receipt that came after its entry had gone", async () => {
      await bench.use({ tailBytes: 0 });
      const gone = await say();
      bench.now += 8 * DAY;
      await bench.sweep();
      const young = await say();
      await bench.log.append({ ...batchOf(), receipts: [receiptOf(gone), receiptOf(young)] });
      await bench.sweep();
      expect(await bench.log.receipts({ lane: LANE, after: 0, limit: 100 })).toEqual([receiptOf(young)]);
    });
  });

  describe("hold", () => {
    test("keeps what is too old, from its position on, and lets go when it ends", async () => {
      await bench.use({ tailBytes: 0 });
      const seqs = await hourly(10);
      bench.now += 8 * DAY;
      let after = seqs[3]!;
      const end = bench.log.hold({ after: () => after, ageMs: 30 * DAY });
      await bench.sweep();
      expect(await kept()).toEqual(seqs.slice(4));
      after = seqs[6]!;
      await bench.sweep();
      expect(await kept()).toEqual(seqs.slice(7));
      end();
      await bench.sweep();
      expect(await kept()).toEqual([]);
    });

    test("keeps nothing that is older than its age", async () => {
      await bench.use({ tailBytes: 0, retentionDays: 1 });
      bench.log.hold({ after: () => 0, ageMs: 48 * HOUR });
      const seqs = await hourly(72);
      // The last was accepted an hour ago, the first 72 hours ago: the one of 48 hours ago is not younger than that.
      await bench.sweep();
      expect(await kept()).toEqual(seqs.slice(25));
      bench.now += 48 * HOUR;
      await bench.sweep();
      expect(await kept()).toEqual([]);
    });

    test("does not shorten what the days keep anyway", async () => {
      await bench.use({ tailBytes: 0, retentionDays: 7 });
      bench.log.hold({ after: () => 0, ageMs: HOUR });
      const seqs = await hourly(5);
      await bench.sweep();
      expect(await kept()).toEqual(seqs);
    });

    test("keeps what is over the bytes to keep, and the answers of that time", async () => {
      await bench.use({ tailBytes: 0, retentionBytes: MEBIBYTE });
      let after = 0;
      const end = bench.log.hold({ after: () => after, ageMs: 6 * HOUR });
      const large = said("x".repeat(20_000));
      const posting = { ...batchOf(large), once: { key: "k", fingerprint: "f", answer: "a" } };
      await bench.log.append(posting);
      const seqs = [bench.log.head];
      for (let index = 1; index < 200; index++) seqs.push(await appendOne(bench.log, large));
      await bench.sweep();
      expect(await kept()).toHaveLength(200);
      expect((await bench.log.append(posting)).is).toBe("repeated");
      after = seqs[99]!;
      await bench.sweep();
      expect(await kept()).toHaveLength(100);
      expect((await kept())[0]).toBe(seqs[100]);
      end();
      await bench.sweep();
      expect((await kept()).length).toBeLessThan(60);
    });

    test("leaves as much when answers for keys are as large as the entries", async () => {
      await bench.use({ tailBytes: 0, retentionBytes: MEBIBYTE });
      const end = bench.log.hold({ after: () => 0, ageMs: HOUR });
      const text = "x".repeat(20_000);
      for (let index = 0; index < 200; index++) {
        const once = { key: `k${index}`, fingerprint: "f", answer: text };
        await bench.log.append({ ...batchOf(said(text)), once });
        bench.now += 1;
      }
      end();
      await bench.sweep();
      const count = (await kept()).length;
      expect(count).toBeGreaterThan(12);
      expect(count).toBeLessThan(30);
    });

    test("is in force, and moves on, for what goes without being asked for", async () => {
      await bench.use({ tailBytes: 0, retentionBytes: MEBIBYTE });
      let after = 0;
      bench.log.hold({ after: () => after, ageMs: HOUR });
      const large = said("x".repeat(50_000));
      for (let index = 0; index < 100; index++) await appendOne(bench.log, large);
      expect(await kept()).toHaveLength(100);
      after = bench.log.head;
      const more = async (): Promise<number> => {
        await appendOne(bench.log, large);
        return (await kept()).length;
      };
      await eventually(
        more,
        (count) => count < 100,
        () => "the oldest to go",
      );
    });

    test("a second one replaces the first, whose end then means nothing", async () => {
      await bench.use({ tailBytes: 0 });
      const seqs = await hourly(4);
      bench.now += 8 * DAY;
      const hold: Hold = { after: () => seqs[1]!, ageMs: 30 * DAY };
      const endFirst = bench.log.hold({ after: () => 0, ageMs: 30 * DAY });
      const endSecond = bench.log.hold(hold);
      const endThird = bench.log.hold(hold);
      endFirst();
      endSecond();
      await bench.sweep();
      expect(await kept()).toEqual(seqs.slice(2));
      endThird();
      await bench.sweep();
      expect(await kept()).toEqual([]);
    });

    test("given right after opening, it comes before retention, and it does not outlive the log", async () => {
      await bench.use({ tailBytes: 0 });
      const seqs = await hourly(3);
      bench.now += 8 * DAY;
      await bench.reopen();
      bench.log.hold({ after: () => 0, ageMs: 30 * DAY });
      await bench.sweep();
      expect(await kept()).toEqual(seqs);
      await bench.reopen();
      await bench.sweep();
      expect(await kept()).toEqual([]);
    });
  });
}
