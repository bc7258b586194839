import { describe, expect, test } from "vitest";
import { END, type MessageRef, type Progress } from "../../contract/ids.ts";
import type { Intent, PartlySent, Checkpoint } from "./checkpoint.ts";
import { decodeCheckpoint } from "./checkpoint.ts";
import { recover } from "./recovery.ts";

const p1 = "1" as Progress;
const p2 = "2" as Progress;
const at = (after: number, next: PartlySent | null = null): Checkpoint => ({ after, next });
const begun = (seq: number, progress: Progress): PartlySent => ({
  seq,
  progress,
  messages: ["m" as MessageRef],
  unconfirmed: null,
});
const resumed = (seq: number, progress: Progress): object => ({
  seq,
  progress,
  messages: [],
  unconfirmed: { code: "stopping" },
});

interface Row {
  readonly title: string;
  readonly checkpoint: Checkpoint;
  readonly intent: Intent | null;
  readonly between: readonly number[];
  readonly becomes: object;
  readonly unconfirmed: readonly number[];
}

const ROWS: readonly Row[] = [
  { title: "nothing was under way", checkpoint: at(10), intent: null, between: [], becomes: at(10), unconfirmed: [] },
  {
    title: "what was intended is settled",
    checkpoint: at(10),
    intent: { seq: 10, progress: END },
    between: [],
    becomes: at(10),
    unconfirmed: [],
  },
  {
    title: "one whole message in doubt",
    checkpoint: at(10),
    intent: { seq: 12, progress: END },
    between: [12],
    becomes: at(12),
    unconfirmed: [12],
  },
  {
    title: "a window in doubt",
    checkpoint: at(10),
    intent: { seq: 16, progress: END },
    between: [12, 14, 16],
    becomes: at(16),
    unconfirmed: [12, 14, 16],
  },
  {
    title: "those before one that is in doubt alone",
    checkpoint: { ...at(10), done: [14] },
    intent: { seq: 18, progress: END, alone: true },
    between: [12, 14, 16, 18],
    becomes: { ...at(11), done: [14, 18] },
    unconfirmed: [18],
  },
  {
    title: "one in doubt before what an earlier run has sent, all of it and a part",
    checkpoint: { ...at(10, begun(18, p1)), done: [14] },
    intent: { seq: 12, progress: END, alone: true },
    between: [12],
    becomes: { ...at(12, begun(18, p1)), done: [14] },
    unconfirmed: [12],
  },
  {
    title: "a part of one before another of which an earlier run has sent a part",
    checkpoint: at(10, begun(18, p2)),
    intent: { seq: 12, progress: p1, alone: true },
    between: [12],
    becomes: { after: 11, next: resumed(12, p1), later: [begun(18, p2)] },
    unconfirmed: [12],
  },
  {
    title: "the same, and its part was confirmed",
    checkpoint: { ...at(10, begun(12, p1)), later: [begun(18, p2), begun(20, p1)] },
    intent: { seq: 12, progress: END, alone: true },
    between: [12],
    becomes: { after: 12, next: begun(18, p2), later: [begun(20, p1)] },
    unconfirmed: [12],
  },
  {
    title: "one that waits before others that ended or are in doubt",
    checkpoint: { ...at(10), unsent: [12], done: [14] },
    intent: { seq: 18, progress: END },
    between: [12, 14, 16, 18],
    becomes: { ...at(11), done: [14, 16, 18] },
    unconfirmed: [16, 18],
  },
  {
    title: "one that waits before one whose first part is in doubt",
    checkpoint: { ...at(10), unsent: [14] },
    intent: { seq: 18, progress: p1 },
    between: [12, 14, 18],
    becomes: { after: 13, next: resumed(18, p1) },
    unconfirmed: [12, 18],
  },
  {
    title: "the first part in doubt, more follow",
    checkpoint: at(10),
    intent: { seq: 12, progress: p1 },
    between: [12],
    becomes: at(11, resumed(12, p1) as PartlySent),
    unconfirmed: [12],
  },
  {
    title: "parts confirmed up to where something was intended",
    checkpoint: at(10, begun(12, p1)),
    intent: { seq: 12, progress: p1 },
    between: [12],
    becomes: at(11, begun(12, p1)),
    unconfirmed: [],
  },
  {
    title: "the second part in doubt",
    checkpoint: at(10, begun(12, p1)),
    intent: { seq: 12, progress: p2 },
    between: [12],
    becomes: { after: 11, next: { seq: 12, progress: p2, messages: ["m"], unconfirmed: { code: "stopping" } } },
    unconfirmed: [12],
  },
  {
    title: "the last part confirmed, and only its outcome lost",
    checkpoint: at(10, begun(12, END)),
    intent: { seq: 14, progress: p1 },
    between: [12, 14],
    becomes: at(13, resumed(14, p1) as PartlySent),
    unconfirmed: [14],
  },
  {
    title: "all confirmed, and nothing after it",
    checkpoint: at(10, begun(12, END)),
    intent: { seq: 12, progress: END },
    between: [12],
    becomes: at(12),
    unconfirmed: [],
  },
  {
    title: "no entry of it in the log any more",
    checkpoint: at(10),
    intent: { seq: 12, progress: END },
    between: [],
    becomes: at(12),
    unconfirmed: [],
  },
];

test.each(ROWS)("$title", ({ checkpoint, intent, between, becomes, unconfirmed }) => {
  const recovered = recover({ lane: "lane", place: "net.b/#to" }, checkpoint, intent, between);
  expect(recovered.checkpoint).toMatchObject(becomes);
  expect(recovered.receipts.map(({ seq, state }) => [seq, state])).toEqual(
    unconfirmed.map((seq) => [seq, "unconfirmed"]),
  );
});

describe("one that is sent again, of which a part was there", () => {
  const again = { of: 4, from: p1, messages: ["a" as MessageRef] };
  const recovered = (checkpoint: Checkpoint, intent: Intent) =>
    recover({ lane: "lane", place: "net.b/#to", agains: new Map([[14, again]]) }, checkpoint, intent, [12, 14]);

  test("behind another that was begun, with its second part in doubt: its copies stay known", () => {
    const { checkpoint, receipts } = recovered(at(10, begun(12, p1)), { seq: 14, progress: p2 });
    expect(checkpoint).toMatchObject({ after: 13, next: { ...resumed(14, p2), messages: ["a"] } });
    expect(receipts.map(({ seq, state }) => [seq, state])).toEqual([
      [12, "unconfirmed"],
      [4, "unconfirmed"],
    ]);
    expect(JSON.parse(receipts[1]?.detail ?? "")).toMatchObject({ messages: ["a"], from: p1 });
  });

  test("the same, and nothing more of it has left: nothing of it is in doubt", () => {
    const { checkpoint, receipts } = recovered(at(10, begun(12, p1)), { seq: 14, progress: p1 });
    const next = { seq: 14, progress: p1, messages: ["a"], unconfirmed: null };
    expect(checkpoint).toEqual({ after: 13, next, done: undefined });
    expect(receipts.map(({ seq }) => seq)).toEqual([12]);
  });

  test("all of it confirmed but a part: that one stays in doubt", () => {
    const why = { code: "network", message: "lost" } as const;
    const next = { ...begun(14, END), unconfirmed: why };
    const { checkpoint, receipts } = recovered({ ...at(10, next), done: [12] }, { seq: 14, progress: END });
    expect(checkpoint).toEqual(at(14));
    expect(receipts).toMatchObject([{ seq: 4, state: "unconfirmed", copies: { of: 4, refs: ["m"] } }]);
    expect(JSON.parse(receipts[0]?.detail ?? "")).toEqual({ messages: ["m"], why, gap: true });
  });
});

describe("a mark that no lane has written", () => {
  test.each(["null", "{}", "7", '{"after":"7"}'])("%s", (value) => {
    expect(() => decodeCheckpoint(value)).toThrow(/position of a lane/);
  });
});
