import { describe, expect, test } from "vitest";
import type { Entry, Seq } from "../log.ts";
import { batchOf, type Bench, ROOM, said, seqsOf } from "./kit.suite.ts";

/** Reading, the newest, the tail. */
export function describeReads(bench: Bench): void {
  describe("read", () => {
    const rooms = Array.from({ length: 200 }, (_, index) => `api.web/room ${index}`);
    const payloadsOf = (entries: readonly Entry[]): (string | null)[] => entries.map(({ payload }) => payload);
    const seqs: Seq[] = [];
    const fill = async (): Promise<void> => {
      const entries = Array.from({ length: 2000 }, (_, index) =>
        said(String(index), { subject: rooms[index % 200]!, label: index % 7 === 0 ? "join" : "" }),
      );
      seqs.splice(0, Infinity, ...(seqsOf(await bench.log.append(batchOf(...entries))) as number[]));
    };

    bench.everyWay("gives what matches after a position, oldest first, with its label", fill, async () => {
      const subjects = [rooms[3]!, rooms[1]!, "unknown"];
      const entries = await bench.log.read({ subjects, after: seqs[201]!, limit: 3 });
      expect(entries).toEqual([
        { seq: seqs[203], subject: rooms[3], at: bench.now, label: "join", payload: "203" },
        { seq: seqs[401], subject: rooms[1], at: bench.now, label: "", payload: "401" },
        { seq: seqs[403], subject: rooms[3], at: bench.now, label: "", payload: "403" },
      ]);
      expect(await bench.log.read({ subjects: [rooms[5]!], after: seqs[1805]!, limit: 10 })).toEqual([]);
      expect(await bench.log.read({ subjects: [], after: 0, limit: 10 })).toEqual([]);
      expect(payloadsOf(await bench.log.read({ subjects: [rooms[5]!], after: 0, limit: 100 }))).toEqual(
        Array.from({ length: 10 }, (_, index) => String(5 + index * 200)),
      );
    });

    bench.everyWay("gives the same for many subjects", fill, async () => {
      const even = rooms.filter((_, index) => index % 2 === 0);
      const entries = await bench.log.read({ subjects: [...even, "unknown"], after: seqs[99]!, limit: 300 });
      expect(payloadsOf(entries)).toEqual(Array.from({ length: 300 }, (_, index) => String(100 + index * 2)));
    });

    bench.everyWay("stops at the bytes asked for, but gives one entry at least", fill, async () => {
      const ask = (bytes: number): Promise<readonly Entry[]> =>
        bench.log.read({ subjects: rooms, after: seqs[999]!, limit: 100, bytes });
      expect(await ask(0)).toHaveLength(1);
      expect(await ask(40)).toHaveLength(10);
    });

    bench.everyWay("newest gives the last ones without payload and counts the others", fill, async () => {
      const few = await bench.log.newest({ subjects: [rooms[1]!, rooms[7]!], after: seqs[1]!, limit: 3 });
      expect(few).toEqual({
        entries: [
          { seq: seqs[1607], subject: rooms[7], at: bench.now, label: "" },
          { seq: seqs[1801], subject: rooms[1], at: bench.now, label: "" },
          { seq: seqs[1807], subject: rooms[7], at: bench.now, label: "" },
        ],
        skipped: 16,
      });
      const most = await bench.log.newest({ subjects: rooms, after: seqs[9]!, limit: 5 });
      expect(most.entries.map(({ seq }) => seq)).toEqual(seqs.slice(-5));
      expect(most.skipped).toBe(1985);
      expect((await bench.log.newest({ subjects: rooms, after: 0, limit: 0 })).skipped).toBe(2000);
      expect((await bench.log.newest({ subjects: [rooms[1]!], after: 0, limit: 0 })).skipped).toBe(10);
      const none = { entries: [], skipped: 0 };
      expect(await bench.log.newest({ subjects: rooms, after: bench.log.head, limit: 5 })).toEqual(none);
      expect(await bench.log.newest({ subjects: ["unknown"], after: 0, limit: 5 })).toEqual(none);
    });

    const three = async (): Promise<void> => {
      for (const payload of ["1", "2", "3"]) {
        await bench.log.append(batchOf(said(payload)));
        bench.now += 1500;
      }
    };
    bench.everyWay("every entry knows when it was accepted", three, async () => {
      const start = bench.now - 4500;
      const times = [start, start + 1500, start + 3000];
      const query = { subjects: [ROOM], after: 0, limit: 10 };
      expect((await bench.log.read(query)).map(({ at }) => at)).toEqual(times);
      expect((await bench.log.newest(query)).entries.map(({ at }) => at)).toEqual(times);
    });

    test("sees what was appended before", async () => {
      await bench.use({ tailBytes: 0 });
      const [, entries] = await Promise.all([
        bench.log.append(batchOf(said("1"))).then(() => bench.log.append(batchOf(said("2")))),
        bench.log.read({ subjects: [ROOM], after: 0, limit: 10 }),
      ]);
      expect(entries.length).toBeLessThanOrEqual(1);
      expect(payloadsOf(await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 }))).toEqual(["1", "2"]);
    });
  });

  describe("tail", () => {
    test("tells of each commit in order, before its appends resolve and after head moved", async () => {
      const heard: string[] = [];
      bench.log.tail((entries) => {
        expect(bench.log.head).toBe(entries.at(-1)?.seq);
        heard.push(...entries.map(({ payload, label }) => `heard ${payload} ${label}`));
      });
      const append = async (...payloads: string[]): Promise<void> => {
        await bench.log.append(batchOf(...payloads.map((payload) => said(payload, { label: "join", key: payload }))));
        heard.push(`resolved ${payloads.join(" ")}`);
      };
      await append("1", "2");
      await append("2", "3");
      expect(heard).toEqual(["heard 1 join", "heard 2 join", "resolved 1 2", "heard 3 join", "resolved 2 3"]);
    });

    test("tells when an entry was accepted", async () => {
      const heard: (readonly [string | null, number])[] = [];
      bench.log.tail((entries) => heard.push(...entries.map(({ payload, at }) => [payload, at] as const)));
      await bench.log.append(batchOf(said("1"), said("2")));
      bench.now += 70;
      await bench.log.append(batchOf(said("3")));
      expect(heard).toEqual([
        ["1", bench.now - 70],
        ["2", bench.now - 70],
        ["3", bench.now],
      ]);
    });

    test("says nothing of commits without entries", async () => {
      let calls = 0;
      bench.log.tail(() => calls++);
      await bench.log.mark([{ name: "a", value: "1" }]);
      await bench.log.append(batchOf());
      expect(calls).toBe(0);
    });

    test("listeners share the entries and leave one by one", async () => {
      const heard: (readonly Entry[])[] = [];
      const listener = (entries: readonly Entry[]): unknown => heard.push(entries);
      const leave = [bench.log.tail(listener), bench.log.tail(listener)];
      await bench.log.append(batchOf(said("1")));
      expect(heard).toHaveLength(2);
      expect(heard[0]?.[0]).toBe(heard[1]?.[0]);
      leave[0]?.();
      leave[0]?.();
      await bench.log.append(batchOf(said("2")));
      expect(heard).toHaveLength(3);
      leave[1]?.();
      await bench.log.append(batchOf(said("3")));
      expect(heard).toHaveLength(3);
    });

    test("lets go of the oldest payloads when over its budget, and the log still has them", async () => {
      await bench.use({ tailBytes: 3000 });
      const held: Entry[] = [];
      bench.log.tail((entries) => held.push(...entries));
      for (let index = 0; index < 10; index++) await bench.log.append(batchOf(said(String(index).repeat(1000))));
      const kept = held.map(({ payload }) => payload !== null);
      expect(kept.lastIndexOf(false)).toBeLessThan(kept.indexOf(true));
      expect(held.filter(({ payload }) => payload !== null).length).toBeGreaterThan(0);
      expect(held.filter(({ payload }) => payload !== null).length).toBeLessThanOrEqual(3);
      const entries = await bench.log.read({ subjects: [ROOM], after: 0, limit: 10 });
      expect(entries.map(({ payload }) => payload[0]).join("")).toBe("0123456789");
    });
  });
}
