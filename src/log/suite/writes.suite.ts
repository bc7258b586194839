import { describe, expect, test } from "vitest";
import type { Batch, Seq } from "../log.ts";
import { appendOne, batchOf, type Bench, ROOM, said, seqsOf } from "./kit.suite.ts";

const OTHER = "net.libera/#venice";
const HOUR = 60 * 60 * 1000;

/** Appending, keys, answers kept, marks, limits. */
export function describeWrites(bench: Bench): void {
  describe("append", () => {
    test("an empty log begins at 0", () => {
      expect(bench.log.head).toBe(0);
    });

    test("seqs rise in the order of the calls, and head is the last", async () => {
      const appended = await Promise.all([
        bench.log.append(batchOf(said("1"), said("2"))),
        bench.log.append(batchOf(said("3", { subject: OTHER }))),
      ]);
      const seqs = appended.flatMap(seqsOf) as number[];
      expect(seqs).toHaveLength(3);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      expect(new Set(seqs).size).toBe(3);
      expect(bench.log.head).toBe(seqs[2]);
    });

    test("head is set before the append resolves, and kept by a restart", async () => {
      const seq = await appendOne(bench.log, said("1"));
      expect(bench.log.head).toBe(seq);
      await bench.reopen();
      expect(bench.log.head).toBe(seq);
      expect(await appendOne(bench.log, said("2"))).toBeGreaterThan(seq);
    });

    test("appendThen tells what append resolves to: after its return, after the tail, in the order of the calls", async () => {
      const seen: string[] = [];
      const unlisten = bench.log.tail((entries) => seen.push(`tail ${entries.length}`));
      const told = new Promise<void>((resolve) => {
        bench.log.appendThen(batchOf(said("1")), (outcome) => seen.push(`1 ${"is" in outcome ? outcome.is : "error"}`));
        bench.log.appendThen(batchOf(said("2")), (outcome) => {
          expect(outcome).toEqual({ is: "stored", seqs: [bench.log.head] });
          seen.push("2");
          resolve();
        });
        seen.push("returned");
      });
      await told;
      unlisten();
      expect(seen).toEqual(["returned", "tail 2", "1 stored", "2"]);
    });

    test("a batch may be empty", async () => {
      expect(await bench.log.append(batchOf())).toEqual({ is: "stored", seqs: [] });
      expect(bench.log.head).toBe(0);
    });

    test("text comes back as it was, whatever is in it", async () => {
      const payloads = [
        "",
        "tab\t nul\0 end",
        "ﬁ € 😀 \u2028 \u0301",
        `{"a":"${"é".repeat(5000)}"}`,
        "x".repeat(3_000_000),
      ];
      await bench.use({ tailBytes: 0 });
      await bench.log.append(batchOf(...payloads.map((payload) => said(payload))));
      const entries = await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 });
      expect(entries.map(({ payload }) => payload)).toEqual(payloads);
    });

    test("more than fits in one commit arrives whole and in order", async () => {
      const payloads = Array.from({ length: 7000 }, (_, index) => String(index));
      const seqs: (Seq | null)[] = [];
      await Promise.all(
        payloads.map(async (payload) => seqs.push(...seqsOf(await bench.log.append(batchOf(said(payload)))))),
      );
      const read: string[] = [];
      for (let after = 0; ;) {
        const entries = await bench.log.read({ subjects: [ROOM], after, limit: 500 });
        if (entries.length === 0) break;
        read.push(...entries.map(({ payload }) => payload));
        after = entries.at(-1)?.seq ?? after;
      }
      expect(read).toEqual(payloads);
      expect(seqs).toEqual([...seqs].sort((a, b) => Number(a) - Number(b)));
    });
  });

  describe("keys", () => {
    test("a repeat is not stored again: in a batch, in a commit, later, after a restart", async () => {
      const keyed = said("1", { key: "k1" });
      const [first, second] = await Promise.all([
        bench.log.append(batchOf(keyed, said("2", { key: "k2" }), keyed)),
        bench.log.append(batchOf(keyed, said("3"))),
      ]);
      expect(seqsOf(first)).toEqual([expect.any(Number), expect.any(Number), null]);
      expect(seqsOf(second)).toEqual([null, expect.any(Number)]);
      expect(seqsOf(await bench.log.append(batchOf(said("other text", { key: "k1" }))))).toEqual([null]);
      await bench.reopen();
      expect(seqsOf(await bench.log.append(batchOf(keyed, said("4", { key: "k4" }))))).toEqual([
        null,
        expect.any(Number),
      ]);
      const entries = await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 });
      expect(entries.map(({ payload }) => payload)).toEqual(["1", "2", "3", "4"]);
    });

    test("belong to their account", async () => {
      const keyed = said("1", { key: "k" });
      await bench.log.append(batchOf(keyed));
      expect(seqsOf(await bench.log.append({ account: "other.home", entries: [keyed] }))).toEqual([expect.any(Number)]);
    });
  });

  describe("once", () => {
    const posting = (fingerprint: string, answer: string): Batch => ({
      account: "api.web",
      entries: [said(answer)],
      once: { key: "order-1", fingerprint, answer },
      marks: [{ name: "by", value: answer }],
    });

    test("the first answer is given again and nothing is stored, also after a restart", async () => {
      const [first, second] = await Promise.all([
        bench.log.append(posting("f", "one")),
        bench.log.append(posting("f", "two")),
      ]);
      expect(first.is).toBe("stored");
      expect(second).toEqual({ is: "repeated", answer: "one" });
      await bench.reopen();
      expect(await bench.log.append(posting("f", "three"))).toEqual({ is: "repeated", answer: "one" });
      expect(await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 })).toHaveLength(1);
      expect(await bench.log.marks("by")).toEqual(new Map([["by", "one"]]));
    });

    test("who only asks has the answer there is, and is no first one", async () => {
      const asked = { account: "api.web", entries: [], once: { key: "order-1", fingerprint: "f", answer: null } };
      expect(await bench.log.append(asked)).toEqual({ is: "stored", seqs: [] });
      expect((await bench.log.append(posting("f", "one"))).is).toBe("stored");
      expect(await bench.log.append(asked)).toEqual({ is: "repeated", answer: "one" });
      const other = { ...asked, once: { ...asked.once, fingerprint: "g" } };
      expect(await bench.log.append(other)).toEqual({ is: "conflict" });
    });

    test("another fingerprint is a conflict and stores nothing", async () => {
      const [, second] = await Promise.all([
        bench.log.append(posting("f", "one")),
        bench.log.append(posting("g", "two")),
      ]);
      expect(second).toEqual({ is: "conflict" });
      expect(await bench.log.append(posting("g", "three"))).toEqual({ is: "conflict" });
      expect(await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 })).toHaveLength(1);
    });

    test("belongs to its account, and needs no entries", async () => {
      const batch = { ...posting("f", "one"), entries: [] };
      expect(await bench.log.append(batch)).toEqual({ is: "stored", seqs: [] });
      expect((await bench.log.append({ ...batch, account: "api.other" })).is).toBe("stored");
      expect((await bench.log.append(batch)).is).toBe("repeated");
    });

    test("is forgotten after 24 hours", async () => {
      await bench.log.append(posting("f", "one"));
      bench.now += 24 * HOUR - 1;
      expect((await bench.log.append(posting("f", "two"))).is).toBe("repeated");
      bench.now += 1;
      expect((await bench.log.append(posting("g", "three"))).is).toBe("stored");
      expect(await bench.log.append(posting("g", "four"))).toEqual({ is: "repeated", answer: "three" });
    });
  });

  describe("marks", () => {
    test("the later put wins, by mark or by a batch, and a restart keeps them", async () => {
      await bench.log.mark([
        { name: "lane/a", value: "1" },
        { name: "lane/b", value: "1" },
      ]);
      const all = [
        bench.log.mark([{ name: "lane/a", value: "2" }]),
        bench.log.append({ ...batchOf(said("x")), marks: [{ name: "source", value: "cursor 9" }] }),
        bench.log.mark([{ name: "lane/a", value: "3" }]),
      ];
      await Promise.all(all);
      const lanes = new Map([
        ["lane/a", "3"],
        ["lane/b", "1"],
      ]);
      expect(await bench.log.marks("lane/")).toEqual(lanes);
      await bench.reopen();
      expect(await bench.log.marks("lane/")).toEqual(lanes);
      expect(await bench.log.marks("")).toEqual(new Map([...lanes, ["source", "cursor 9"]]));
    });

    test("one that rides comes with the next commit, in the order of the calls, or by itself in the end", async () => {
      const ride = async (value: string): Promise<void> =>
        await bench.log.mark([{ name: "a", value }], { rides: true });
      const first = ride("1");
      await appendOne(bench.log, said("x"));
      expect(await bench.log.marks("a")).toEqual(new Map([["a", "1"]]));
      await first;
      void ride("2");
      await bench.log.mark([{ name: "a", value: "3" }]);
      expect(await bench.log.marks("a")).toEqual(new Map([["a", "3"]]));
      await ride("4");
      expect(await bench.log.marks("a")).toEqual(new Map([["a", "4"]]));
      void ride("5");
      await bench.reopen();
      expect(await bench.log.marks("a")).toEqual(new Map([["a", "5"]]));
    });

    test("prefixes are taken literally", async () => {
      const marks = ["a", "a%", "a%b", "a_", "b", "ab", "aé", "A", "😀/1", "😀/2", "\uffff"].map((name) => ({
        name,
        value: name,
      }));
      await bench.log.mark(marks);
      for (const prefix of ["a", "a%", "😀", "\uffff", "c", ""]) {
        const names = marks.map(({ name }) => name).filter((name) => name.startsWith(prefix));
        expect([...(await bench.log.marks(prefix)).keys()].sort()).toEqual(names.sort());
      }
    });

    test("a mark can have the seq of an entry of its batch, and is put after the others", async () => {
      const of = (name: string, entry: number) => ({ name, entry, value: ["<", ">"] as const });
      const batch = {
        ...batchOf(said("1"), said("2", { key: "k" })),
        marks: [{ name: "second", value: "" }],
        seqMarks: [of("first", 0), of("second", 1)],
      };
      const later = { ...batchOf(said("3")), seqMarks: [of("first", 0), of("nowhere", 1)] };
      const [one, two] = await Promise.all([bench.log.append(batch), bench.log.append(later)]);
      const marks = new Map([
        ["first", `<${seqsOf(two)[0]}>`],
        ["second", `<${seqsOf(one)[1]}>`],
      ]);
      expect(await bench.log.marks("")).toEqual(marks);
      await bench.reopen();
      expect(await bench.log.marks("")).toEqual(marks);
    });

    test("… and is not put when that entry is a duplicate, or its batch one that was answered before", async () => {
      const seqMarks = [{ name: "a", entry: 0, value: ["", ""] as const }];
      const once = { key: "o", fingerprint: "f", answer: "yes" };
      await bench.log.append({ ...batchOf(said("1", { key: "k" })), once });
      await bench.log.append({ ...batchOf(said("1", { key: "k" })), seqMarks });
      await bench.log.append({ ...batchOf(said("2")), once, seqMarks });
      expect(await bench.log.marks("")).toEqual(new Map());
    });

    test("unmark forgets, in the order of the calls", async () => {
      await bench.log.mark([{ name: "a", value: "1" }]);
      await Promise.all([
        bench.log.unmark(["a", "never there"]),
        bench.log.mark([{ name: "b", value: "1" }]),
        bench.log.unmark(["b"]),
        bench.log.mark([{ name: "b", value: "2" }]),
      ]);
      expect(await bench.log.marks("")).toEqual(new Map([["b", "2"]]));
    });
  });

  describe("limits and the end", () => {
    test("refuses at once when too much waits, stores nothing of it, and takes the next", async () => {
      await bench.use({ pendingBytes: 5000 });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 5 }, (_, index) => bench.log.append(batchOf(said(String(index).repeat(2000))))),
      );
      expect(outcomes.map(({ status }) => status)).toEqual([
        "fulfilled",
        "fulfilled",
        "rejected",
        "rejected",
        "rejected",
      ]);
      expect(outcomes[4]).toMatchObject({ reason: { name: "LogError", code: "overloaded" } });
      await appendOne(bench.log, said("after"));
      expect(await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 })).toHaveLength(3);
    });

    test("a single batch over the limit is taken when nothing waits", async () => {
      await bench.use({ pendingBytes: 100 });
      expect(await appendOne(bench.log, said("x".repeat(10_000)))).toBeGreaterThan(0);
    });

    test("close commits what waits; afterwards everything is refused", async () => {
      const appends = [bench.log.append(batchOf(said("1"))), bench.log.append(batchOf(said("2")))];
      const closing = bench.log.close();
      await expect(bench.log.append(batchOf(said("3")))).rejects.toMatchObject({ code: "closed" });
      const told = new Promise((resolve) => bench.log.appendThen(batchOf(said("3")), resolve));
      expect(await told).toMatchObject({ name: "LogError", code: "closed" });
      await closing;
      await Promise.all(appends);
      await bench.log.close();
      await expect(bench.log.mark([])).rejects.toMatchObject({ code: "closed" });
      await expect(bench.log.unmark([])).rejects.toMatchObject({ code: "closed" });
      await expect(bench.log.marks("")).rejects.toMatchObject({ code: "closed" });
      await expect(bench.log.read({ subjects: [ROOM], after: 0, limit: 1 })).rejects.toMatchObject({ code: "closed" });
      await expect(bench.log.newest({ subjects: [ROOM], after: 0, limit: 1 })).rejects.toMatchObject({
        code: "closed",
      });
      await expect(bench.log.receipts({ lane: "a", after: 0, limit: 1 })).rejects.toMatchObject({ code: "closed" });
      await bench.reopen();
      expect(await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 })).toHaveLength(2);
    });
  });
}
