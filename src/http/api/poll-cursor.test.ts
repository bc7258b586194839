import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import { PollCursor, type Claim } from "./poll-cursor.ts";

test("a poll claims what is unread, and only once", () => {
  const cursor = new PollCursor(0);
  expect(cursor.claim(0, 3).claim?.range).toEqual({ from: 0, to: 3 });
  expect(cursor.claim(0, 3).claim).toBeNull();
  expect(cursor.claim(0, 5).claim?.range).toEqual({ from: 3, to: 5 });
});

test("the watermark waits for the oldest answer in flight", () => {
  const cursor = new PollCursor(0);
  const first = cursor.claim(0, 3).claim!;
  const second = cursor.claim(0, 5).claim!;
  second.done(5);
  expect(cursor.watermark).toBe(0);
  first.done(3);
  expect(cursor.watermark).toBe(5);
});

test("a broken answer is unread again, in one piece with its neighbours", () => {
  const cursor = new PollCursor(0);
  cursor.claim(0, 3).claim!.giveBack();
  expect(cursor.claim(0, 4).claim?.range).toEqual({ from: 0, to: 4 });
});

test("an answer that took only a part leaves the rest unread", () => {
  const cursor = new PollCursor(0);
  cursor.claim(0, 10).claim!.done(4);
  expect(cursor.watermark).toBe(4);
  expect(cursor.claim(0, 10).claim?.range).toEqual({ from: 4, to: 10 });
});

test("what fell out of the buffer is skipped and counted once", () => {
  const cursor = new PollCursor(0);
  const { claim, skipped } = cursor.claim(7, 10);
  expect(claim?.range).toEqual({ from: 7, to: 10 });
  expect(skipped).toBe(7);
  claim!.giveBack();
  expect(cursor.claim(10, 10)).toEqual({ claim: null, skipped: 3 });
  expect(cursor.watermark).toBe(10);
});

test("a claim ends once", () => {
  const cursor = new PollCursor(0);
  const claim = cursor.claim(0, 2).claim!;
  claim.done(2);
  claim.giveBack();
  expect(cursor.claim(0, 2).claim).toBeNull();
});

test("whatever the interleaving, every item is delivered exactly once or skipped", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("push" as const), n: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ do: fc.constant("poll" as const) }),
    fc.record({ do: fc.constant("end" as const), which: fc.nat(5), broken: fc.boolean(), part: fc.nat(4) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const cursor = new PollCursor(0);
      const seen = new Map<number, number>();
      const open: Claim[] = [];
      let end = 0;
      let skips = 0;
      const buffer = 7;
      const finish = (claim: Claim, to: number): void => {
        for (let i = claim.range.from; i < to; i += 1) seen.set(i, (seen.get(i) ?? 0) + 1);
        claim.done(to);
      };
      for (const s of steps) {
        if (s.do === "push") end += s.n;
        else if (s.do === "poll") {
          const { claim, skipped } = cursor.claim(Math.max(0, end - buffer), end);
          skips += skipped;
          if (claim !== null) open.push(claim);
        } else {
          const [claim] = open.splice(s.which % Math.max(1, open.length), 1);
          if (claim === undefined) continue;
          if (s.broken) claim.giveBack();
          else finish(claim, Math.min(claim.range.to, claim.range.from + 1 + s.part));
        }
      }
      for (const claim of open.splice(0)) finish(claim, claim.range.to);
      for (let last = cursor.claim(0, end); last.claim !== null; last = cursor.claim(0, end))
        finish(last.claim, last.claim.range.to);
      expect([...seen.values()].every((count) => count === 1)).toBe(true);
      expect(seen.size + skips).toBe(end);
      expect(cursor.watermark).toBe(end);
    }),
  );
});
