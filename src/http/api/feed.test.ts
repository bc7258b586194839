import { expect, test } from "vitest";
import type { View } from "../../gateway/view.ts";
import type { Log } from "../../log/log.ts";
import { GatewayFeed } from "./feed.ts";

const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => {
    if (payload === "113") throw new TypeError("no line of this");
    return payload;
  },
};

/** A feed whose log holds `{seq}` for every seq; what is pushed has a payload only when it is short of `evicted`. */
function feedOf(capacity: number, after = 0) {
  const asked: number[] = [];
  const bad: number[] = [];
  const log = {
    read: ({ after, limit, bytes }: { after: number; limit: number; bytes: number }) => {
      asked.push(after);
      const fits = Math.max(1, Math.min(limit, Math.floor(bytes / 10)));
      const seqs = Array.from({ length: fits }, (_, i) => after + 1 + i).filter((seq) => seq % 7 !== 0);
      return Promise.resolve(seqs.map((seq) => ({ seq, subject: "api.a/g", at: 1, label: "", payload: String(seq) })));
    },
  } as unknown as Log;
  const feed = new GatewayFeed({ log, view, capacity, after, onBad: ({ entry }) => void bad.push(entry.seq) });
  const push = (from: number, to: number, evicted = false): void => {
    for (let seq = from; seq <= to; seq += 1) {
      const payload = evicted ? null : String(seq);
      feed.push({ entry: { seq, subject: "api.a/g", at: 1, label: "", payload }, gateway: "g" });
    }
  };
  return { feed, push, asked, bad };
}

test("positions survive what is let go of", () => {
  const { feed, push } = feedOf(10, 100);
  expect(feed.seqBefore(0)).toBe(100);
  push(101, 300);
  expect(feed.kept).toBe(0);
  feed.trim();
  expect(feed.end).toBe(200);
  expect(feed.start).toBe(190);
  expect(feed.kept).toBe(190);
  expect(feed.seqBefore(feed.kept)).toBe(290);
  expect(feed.seqBefore(feed.end)).toBe(300);
  expect(feed.indexAfter(295)).toBe(195);
  expect(feed.indexAfter(1)).toBe(190);
  expect(feed.indexAfter(999)).toBe(200);
});

test("what is kept beyond a large buffer is no second one", () => {
  const { feed, push } = feedOf(20_000);
  for (let seq = 1; seq <= 60_000; seq += 1) {
    push(seq, seq);
    feed.trim();
    expect(feed.end - feed.kept).toBeLessThan(24_200);
  }
  expect(feed.end - feed.kept).toBeGreaterThanOrEqual(20_000);
});

test("what has fallen out cannot be asked for", async () => {
  const { feed, push } = feedOf(10);
  push(1, 200);
  feed.trim();
  expect(() => feed.lines(0, 10)).toThrow(RangeError);
  await expect(feed.load(0, 10)).rejects.toThrow(RangeError);
});

test("lines stop at the limit, but one always goes", () => {
  const { feed, push } = feedOf(100);
  push(1, 20);
  expect(feed.lines(0, 20, 5)).toEqual({ lines: ["1", "2", "3", "4", "5"], next: 5 });
  expect(feed.lines(9, 20, 1)).toEqual({ lines: ["10"], next: 10 });
});

test("lines stop before an item that is only in the log; load reads it, and passes over what retention took", async () => {
  const { feed, push, asked } = feedOf(100);
  push(1, 3);
  push(4, 9, true);
  push(10, 12);
  expect(feed.lines(0, 12)).toEqual({ lines: ["1", "2", "3"], next: 3 });
  expect(feed.lines(3, 12)).toBeNull();
  expect(await feed.load(3, 12)).toEqual({ lines: ["4", "5", "6", "8", "9", "10", "11", "12"], next: 12 });
  expect(asked).toEqual([3]);
});

test.each([false, true])(
  "an item that has no line is passed over, and told of once (read from the log: %s)",
  async (evicted) => {
    const { feed, push, bad } = feedOf(100);
    push(111, 116, evicted);
    const read = async () => feed.lines(0, 6) ?? (await feed.load(0, 6));
    const lines = ["111", "112", "114", "115", "116"].filter((line) => !evicted || line !== "112");
    expect([await read(), await read()]).toEqual([
      { lines, next: 6 },
      { lines, next: 6 },
    ]);
    expect(await (feed.lines(2, 3) ?? feed.load(2, 3))).toEqual({ lines: [], next: 3 });
    expect(bad).toEqual([113]);
  },
);

test("load goes as far as the log answered, and always further", async () => {
  const { feed, push } = feedOf(100);
  push(1, 20, true);
  const seen: string[] = [];
  for (let next = 0; next < 20;) {
    const got = await feed.load(next, 20, 30);
    expect(got.next).toBeGreaterThan(next);
    seen.push(...got.lines);
    next = got.next;
  }
  expect(seen.map(Number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1).filter((seq) => seq % 7 !== 0));
});

test("between the two items of one entry the position is before the entry", () => {
  const { feed } = feedOf(10);
  for (const gateway of ["g", "h"])
    feed.push({ entry: { seq: 5, subject: "api.a/g", at: 1, label: "", payload: "5" }, gateway });
  expect(feed.seqBefore(1)).toBe(4);
  expect(feed.seqBefore(2)).toBe(5);
});

test("what was accepted since a time is found from an index on, and a clock that was set back hides nothing", () => {
  const { feed } = feedOf(10);
  for (const [n, at] of [10, 20, 5, 30].entries()) {
    feed.push({ entry: { seq: n + 1, subject: "api.a/g", at, label: "", payload: "" }, gateway: "g" });
  }
  expect([0, 15, 25, 31].map((at) => feed.acceptedSince(at, 0))).toEqual([0, 1, 3, 4]);
  expect(feed.acceptedSince(0, 2)).toBe(2);
});
