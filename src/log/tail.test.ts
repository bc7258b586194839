import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import type { Entry } from "./log.ts";
import { Tail, TailEntry } from "./tail.ts";

/** Entries of 1000 bytes with their overhead. */
function entries(...seqs: readonly number[]): TailEntry[] {
  return seqs.map((seq) => new TailEntry(seq, 1, { subject: "a/b", key: null, label: "", payload: "x".repeat(880) }));
}

const seqsOf = (found: readonly Entry[] | null): readonly number[] | null => found && found.map(({ seq }) => seq);

test("knows what came after a position, as far back as memory goes", () => {
  const tail = new Tail(10, 5000);
  expect(tail.since(9, 100)).toBeNull();
  expect(tail.since(10, 100)).toEqual([]);
  tail.publish(entries(11, 12, 15));
  tail.publish(entries(16, 20));
  expect(seqsOf(tail.since(10, 100))).toEqual([11, 12, 15, 16, 20]);
  expect(seqsOf(tail.since(12, 100))).toEqual([15, 16, 20]);
  expect(seqsOf(tail.since(13, 100))).toEqual([15, 16, 20]);
  expect(seqsOf(tail.since(20, 100))).toEqual([]);
  expect(tail.since(12, 2)).toBeNull();
  tail.publish(entries(21));
  expect(tail.since(10, 100)).toBeNull();
  expect(seqsOf(tail.since(11, 100))).toEqual([12, 15, 16, 20, 21]);
});

test("frees the oldest payloads for all who hold the entries, after they were told", () => {
  const tail = new Tail(0, 2000);
  const told: (string | null)[] = [];
  const held: Entry[] = [];
  tail.listen((entries) => {
    held.push(...entries);
    told.push(...entries.map(({ payload }) => payload));
  });
  tail.publish(entries(1, 2, 3));
  tail.publish(entries(4));
  expect(told).not.toContain(null);
  expect(held.map(({ payload }) => payload !== null)).toEqual([false, false, true, true]);
});

test("an entry that is held for long costs no place in a ring that has let go of it", () => {
  const tail = new Tail(0, 2000);
  const [first, second] = [...entries(1), ...entries(2)];
  tail.publish([first, second].filter((entry) => entry !== undefined));
  expect([first?.cost, second?.cost]).toEqual([1000, 1000]);
  tail.publish(entries(3));
  expect([first?.cost, second?.cost]).toEqual([120, 1000]);
});

test("an entry that is longer than the budget is told whole, and what memory holds begins after it", () => {
  const tail = new Tail(0, 2000);
  const told: (number | undefined)[] = [];
  tail.listen((entries) => told.push(...entries.map(({ payload }) => payload?.length)));
  tail.publish(entries(1));
  const long = new TailEntry(3, 1, { subject: "a/b", key: null, label: "", payload: "é".repeat(1001) });
  tail.publish([...entries(2), long, ...entries(4)]);
  expect(told).toEqual([880, 880, 1001, 880]);
  expect(long.payload).toBeNull();
  expect(tail.since(2, 100)).toBeNull();
  expect(tail.since(3, 100)?.map(({ payload }) => payload?.length)).toEqual([880]);
});

test("whoever reads while being told gets payloads for all that memory holds", () => {
  const tail = new Tail(0, 2000);
  const found: (readonly (string | null)[] | undefined)[] = [];
  tail.listen(() => {
    const floor = [0, 1, 2, 3, 4, 5, 6].find((after) => tail.since(after, 100) !== null) ?? 0;
    found.push(tail.since(floor, 100)?.map(({ payload }) => payload));
  });
  for (let seq = 1; seq <= 6; seq += 1) tail.publish(entries(seq));
  expect(found.map((payloads) => payloads?.length)).toEqual([1, 2, 2, 2, 2, 2]);
  expect(found.flat()).not.toContain(null);
});

test("any texts come back as they were, or not at all, and oldest first go", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 300 });
  fc.assert(
    fc.property(fc.constantFrom(0, 400, 1000, 3000), fc.array(fc.array(text, { maxLength: 4 })), (limit, commits) => {
      const tail = new Tail(0, limit);
      const texts: string[] = [];
      const held: TailEntry[] = [];
      for (const commit of commits) {
        const made = commit.map((payload, at) => {
          return new TailEntry(texts.length + at + 1, 1, { subject: "a/b", key: null, label: "", payload });
        });
        texts.push(...commit);
        held.push(...made);
        tail.publish(made);
        for (const { seq, payload } of held) expect([null, texts[seq - 1]]).toContain(payload);
        for (let after = 0; after <= texts.length; after += 1) {
          const found = tail.since(after, 1000);
          if (found !== null) expect(found.map(({ payload }) => payload)).toEqual(texts.slice(after));
        }
        expect(tail.since(texts.length, 0)).toEqual([]);
        const bytes = held.filter(({ isKept }) => isKept).reduce((sum, { cost }) => sum + cost - 120, 0);
        expect(bytes).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test("stays right over many rounds", () => {
  const tail = new Tail(0, 10_000);
  for (let seq = 1; seq <= 1000; seq++) {
    tail.publish(entries(seq));
    const kept = Math.min(seq, 10);
    expect(seqsOf(tail.since(seq - kept, 100))).toEqual(Array.from({ length: kept }, (_, i) => seq - kept + 1 + i));
    if (seq > 10) expect(tail.since(seq - 11, 100)).toBeNull();
  }
});

test("a listener may leave or come while it is called", () => {
  const tail = new Tail(0, 10_000);
  const heard: string[] = [];
  const leave = tail.listen(() => {
    heard.push("first");
    leave();
  });
  tail.listen(() => heard.push("second"));
  tail.publish(entries(1));
  tail.publish(entries(2));
  expect(heard).toEqual(["first", "second", "second"]);
});

test("a listener that throws does not keep the others from hearing; the error surfaces", async () => {
  const tail = new Tail(0, 10_000);
  const bug = new Error("a bug");
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  try {
    const surfaced = new Promise((resolve) => process.once("uncaughtException", resolve));
    const heard: number[] = [];
    tail.listen(() => {
      throw bug;
    });
    tail.listen((entries) => heard.push(...entries.map(({ seq }) => seq)));
    tail.publish(entries(1));
    expect(heard).toEqual([1]);
    expect(await surfaced).toBe(bug);
  } finally {
    for (const listener of listeners) process.on("uncaughtException", listener);
  }
});
