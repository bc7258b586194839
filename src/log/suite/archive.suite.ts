import { describe, expect, test } from "vitest";
import type { Receipt, Seq } from "../log.ts";
import { appendOne, batchOf, type Bench, ROOM, said, seqsOf } from "./kit.suite.ts";

const THERE = "net.home/rialto@rooms";

/** What operators ask about one message. */
export function describeArchive(bench: Bench): void {
  const found = async (text: string): Promise<Seq[]> => {
    const seqs: Seq[] = [];
    for (let before: Seq | null = Infinity; before !== null;) {
      const finds = await bench.archive.search({ text, before: Math.min(before, bench.log.head + 1), limit: 3 });
      expect(finds.entries.length).toBeLessThanOrEqual(3);
      seqs.push(...finds.entries.map(({ seq }) => seq));
      before = finds.next;
    }
    return seqs;
  };

  describe("search", () => {
    test("finds what holds the text, newest first, whatever the capitals, and goes on where it stopped", async () => {
      const payloads = ["Hello", "world", "say hello", "HELLO é", "hell", "hello", "hello", "hello again"];
      const seqs = seqsOf(await bench.log.append(batchOf(...payloads.map((payload) => said(payload)))));
      expect(await found("hElLo")).toEqual([7, 6, 5, 3, 2, 0].map((index) => seqs[index]));
      expect(await found("é")).toEqual([seqs[3]]);
      expect(await found("nothing")).toEqual([]);
    });

    test("gives whole entries, of whatever subject", async () => {
      const seq = await appendOne(bench.log, said("needle", { subject: THERE, label: "join" }));
      const { entries } = await bench.archive.search({ text: "needle", before: seq + 1, limit: 1 });
      expect(entries).toEqual([{ seq, subject: THERE, at: bench.now, label: "join", payload: "needle" }]);
      expect((await bench.archive.search({ text: "needle", before: seq, limit: 1 })).entries).toEqual([]);
    });

    test("of nothing finds nothing", async () => {
      expect(await bench.archive.search({ text: "x", before: 1, limit: 5 })).toEqual({ entries: [], next: null });
    });

    test("looks through all of a long log, and appends meanwhile", async () => {
      const first = await appendOne(bench.log, said("needle"));
      const filler = Array.from({ length: 3000 }, (_, index) => said(`${index} ${"x".repeat(1000)}`));
      await bench.log.append(batchOf(...filler));
      const last = await appendOne(bench.log, said("needle"));
      const asked = found("needle");
      const meanwhile = await appendOne(bench.log, said("hay"));
      expect(await asked).toEqual([last, first]);
      expect(meanwhile).toBeGreaterThan(last);
    });
  });

  describe("one entry", () => {
    test("is found by its seq, after a restart too; of no entry there is none", async () => {
      const seq = await appendOne(bench.log, said("é 😀", { label: "topic" }));
      const entry = { seq, subject: ROOM, at: bench.now, label: "topic", payload: "é 😀" };
      expect(await bench.archive.entry(seq)).toEqual(entry);
      await bench.reopen();
      expect(await bench.archive.entry(seq)).toEqual(entry);
      for (const none of [0, seq + 1, -1]) expect(await bench.archive.entry(none)).toBeNull();
    });

    test("has the receipts of all lanes, and of no other entry", async () => {
      const seqs = seqsOf(await bench.log.append(batchOf(said("a"), said("b")))) as Seq[];
      const [one = 0, two = 0] = seqs;
      const put = (lane: string, seq: Seq): Receipt => ({ lane, seq, state: "failed", detail: `{"of":"${lane}"}` });
      const receipts = [put("g/b", one), put("g/a", one), put("g/a", two)];
      await bench.log.append({ ...batchOf(), receipts });
      expect(await bench.archive.receiptsOf(one)).toEqual([put("g/a", one), put("g/b", one)]);
      expect(await bench.archive.receiptsOf(two)).toEqual([put("g/a", two)]);
      expect(await bench.archive.receiptsOf(two + 1)).toEqual([]);
    });
  });

  describe("a ref anywhere", () => {
    const say = (refs: readonly string[], subject: string): Promise<Seq> =>
      appendOne(
        bench.log,
        said("{}", { subject, note: { is: "said", refs, author: "a", name: "ann", excerpt: "hi" } }),
      );

    test("leads to the messages that have it, originals and copies, each once", async () => {
      const one = await say(["m1", "m2"], ROOM);
      const two = await say(["m1"], THERE);
      const copies = { of: two, place: ROOM, refs: ["c1", "c2"] };
      const receipt: Receipt = { lane: "g/a", seq: two, state: "sent", detail: "{}", copies };
      await bench.log.append({ ...batchOf(), receipts: [receipt] });
      const known = (seq: Seq, subject: string) => {
        return { seq, subject, at: bench.now, author: "a", name: "ann", excerpt: "hi", gone: false };
      };
      expect(await bench.archive.anywhere("m1")).toEqual([known(two, THERE), known(one, ROOM)]);
      expect(await bench.archive.anywhere("m2")).toEqual([known(one, ROOM)]);
      expect(await bench.archive.anywhere("c2")).toEqual([known(two, THERE)]);
      expect(await bench.archive.anywhere("m3")).toEqual([]);
    });

    test("gives no more than 16", async () => {
      for (let index = 0; index < 20; index += 1) await say(["m"], `net.libera/#${index}`);
      expect(await bench.archive.anywhere("m")).toHaveLength(16);
    });
  });

  test("once closed it answers nothing", async () => {
    const { archive } = bench;
    await bench.log.close();
    await expect(archive.entry(1)).rejects.toMatchObject({ code: "closed" });
    await expect(archive.search({ text: "x", before: 9, limit: 1 })).rejects.toMatchObject({ code: "closed" });
  });
}
