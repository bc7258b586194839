import { describe, expect, test } from "vitest";
import type { Ids, Seq } from "../log.ts";
import { appendOne, batchOf, type Bench, ROOM, said } from "./kit.suite.ts";

const DAY = 24 * 60 * 60 * 1000;
const MEBIBYTE = 1024 * 1024;
const THERE = "net.home/rialto@rooms";
const LANE = `gateway/${THERE}`;

/** How long ids are known. */
export function describeIdRetention(bench: Bench): void {
  const ids = (): Ids => bench.log.ids;
  /** A message with a copy and a reaction, each by its number. */
  const say = async (number: number, payload = "{}"): Promise<Seq> => {
    const note = { is: "said", refs: [`m${number}`], author: "a", name: "ann", excerpt: "hello" } as const;
    const seq = await appendOne(bench.log, said(payload, { note }));
    const copies = { of: seq, place: THERE, refs: [`c${number}`, `d${number}`] };
    await bench.log.append({
      ...batchOf(said("{}", { note: { is: "reacted", of: seq, who: "bob", name: "bob", emoji: "👍", on: true } })),
      receipts: [{ lane: LANE, seq, state: "sent", detail: "{}", copies }],
    });
    return seq;
  };
  const entriesLeft = async (): Promise<number> => {
    const { entries, skipped } = await bench.log.newest({ subjects: [ROOM], after: 0, limit: 10_000 });
    return entries.length + skipped;
  };
  const rowsOf = async (seq: Seq, number: number) => ({
    known: (await ids().get(seq)) !== null,
    found: (await ids().find(THERE, [`d${number}`]))?.seq === seq,
    refs: [...(await ids().refs(seq, null)), ...(await ids().refs(seq, LANE))].length,
    reactions: (await ids().reactions(seq)).length,
  });
  const all = { known: true, found: true, refs: 3, reactions: 1 };
  const none = { known: false, found: false, refs: 0, reactions: 0 };

  describe("retention of ids", () => {
    test("they outlive their entries, and go with all that belongs to them after their days", async () => {
      await bench.use({ tailBytes: 0, retentionDays: 2, messageIdDays: 5 });
      const seqs: Seq[] = [];
      for (let day = 0; day < 10; day++) {
        seqs.push(await say(day));
        bench.now += DAY;
      }
      await bench.sweep();
      expect(await entriesLeft()).toBe(4);
      for (const [day, seq] of seqs.entries()) expect(await rowsOf(seq, day)).toEqual(day < 5 ? none : all);
      bench.now += 5 * DAY;
      await bench.sweep();
      for (const [day, seq] of seqs.entries()) expect(await rowsOf(seq, day)).toEqual(none);
    });

    test("a message whose entry is gone is still revised, copied, reacted to and deleted; one that is forgotten is not", async () => {
      await bench.use({ tailBytes: 0, retentionDays: 1, messageIdDays: 5 });
      const seq = await say(1);
      const change = async (): Promise<void> => {
        await appendOne(bench.log, said("{}", { note: { is: "revised", of: seq, refs: ["e1"], excerpt: "new" } }));
        await appendOne(bench.log, said("{}", { note: { is: "gone", of: seq } }));
        await appendOne(
          bench.log,
          said("{}", { note: { is: "reacted", of: seq, who: "eve", name: "eve", emoji: "👍", on: true } }),
        );
        const copies = { of: seq, place: THERE, refs: ["n1"] };
        await bench.log.append({ ...batchOf(), receipts: [{ lane: LANE, seq, state: "sent", detail: "{}", copies }] });
      };
      bench.now += 2 * DAY;
      await bench.sweep();
      expect(await entriesLeft()).toBe(0);
      await change();
      expect(await ids().find(THERE, ["n1"])).toMatchObject({ seq, excerpt: "new", gone: true });
      expect(await ids().reactions(seq)).toHaveLength(2);
      bench.now += 4 * DAY;
      await bench.sweep();
      await change();
      expect(await ids().get(seq)).toBeNull();
      expect(await ids().find(ROOM, ["m1", "e1"])).toBeNull();
      expect(await ids().find(THERE, ["n1"])).toBeNull();
      expect(await ids().reactions(seq)).toEqual([]);
    });

    test("a ref that was forgotten is free for another message", async () => {
      await bench.use({ tailBytes: 0, messageIdDays: 1 });
      await say(1);
      bench.now += 2 * DAY;
      await bench.sweep();
      const seq = await say(1);
      expect(await rowsOf(seq, 1)).toEqual(all);
    });

    test("more of them than one step forgets", async () => {
      await bench.use({ tailBytes: 0, messageIdDays: 1 });
      const refs = (index: number): string[] => Array.from({ length: 20 }, (_, ref) => `${index} ${ref}`);
      const entries = Array.from({ length: 700 }, (_, index) =>
        said("{}", { note: { is: "said", refs: refs(index), author: "a", name: "ann", excerpt: "hello" } }),
      );
      await bench.log.append(batchOf(...entries));
      const last = bench.log.head;
      bench.now += 2 * DAY;
      const young = await say(1);
      await bench.sweep();
      for (const seq of [last - 699, last - 400, last]) {
        expect(await ids().get(seq)).toBeNull();
        expect(await ids().refs(seq, null)).toEqual([]);
      }
      expect(await rowsOf(young, 1)).toEqual(all);
    });

    test("when the log is too large, those whose entries are gone go before any entry, and no others", async () => {
      await bench.use({ tailBytes: 0, retentionBytes: MEBIBYTE, retentionDays: 2, messageIdDays: 100 });
      const old: Seq[] = [];
      for (let number = 0; number < 400; number++) old.push(await say(number, "x".repeat(1000)));
      bench.now += 3 * DAY;
      await bench.sweep();
      expect(await entriesLeft()).toBe(0);
      expect(await rowsOf(old[0]!, 0)).toEqual(all);
      const young: Seq[] = [];
      const large = "x".repeat(50_000);
      for (let number = 1000; number < 1040; number++) young.push(await say(number, large));
      await bench.sweep();
      for (const [number, seq] of old.entries()) expect(await rowsOf(seq, number)).toEqual(none);
      // They were not enough: the oldest entries went, too, and then what was known of those.
      const left = await entriesLeft();
      expect(left).toBeGreaterThan(10);
      expect(left).toBeLessThan(80);
      expect(await rowsOf(young.at(-1)!, 1039)).toEqual(all);
    });

    test("when there is room again, the rest of them stays", async () => {
      await bench.use({ tailBytes: 0, retentionBytes: 2 * MEBIBYTE, retentionDays: 2, messageIdDays: 100 });
      const seqs: Seq[] = [];
      for (let number = 0; number < 2000; number += 1) {
        const note = { is: "said", refs: [], author: "a", name: "ann", excerpt: "x".repeat(700) } as const;
        seqs.push(await appendOne(bench.log, said("{}", { note })));
      }
      bench.now += 3 * DAY;
      await bench.sweep();
      for (let index = 0; index < 8; index++) await appendOne(bench.log, said("x".repeat(100_000)));
      await bench.sweep();
      expect(await entriesLeft()).toBe(8);
      expect(await ids().get(seqs[0]!)).toBeNull();
      expect(await ids().get(seqs.at(-1)!)).not.toBeNull();
    });
  });
}
