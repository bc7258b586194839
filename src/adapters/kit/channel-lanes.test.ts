import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { ChannelLanes } from "./channel-lanes.ts";

interface Failure {
  readonly why: "refused" | "timeout";
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly forGood?: boolean;
}

const BUSY: Failure = { why: "refused", message: "HTTP 503", retryAfterMs: null };

/** Items are texts; one that begins with "?" has to be looked up first. */
function stage() {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  /** What happened, in its order. */
  const seen: string[] = [];
  const behind = new Set<string>();
  const dropped: string[] = [];
  /** Channels whose history cannot be read. */
  const failing = new Map<string, Failure>();
  /** Histories and look-ups that are held back, oldest first. */
  const held: (() => void)[] = [];
  let holding = false;
  const wait = async (): Promise<void> => {
    if (holding) await new Promise<void>((resolve) => held.push(resolve));
  };
  const lanes = new ChannelLanes<string, Failure>({
    host,
    intake: { low: async () => await Promise.resolve() },
    positions: {
      fallBack: (channel) => void behind.add(channel),
      caughtUp: (channel) => void behind.delete(channel),
    },
    fill: async (channel, isOver) => {
      seen.push(`history of ${channel}`);
      await wait();
      if (channel === "faulty") throw new Error("what somebody said");
      return isOver() ? null : (failing.get(channel) ?? null);
    },
    isForGood: ({ forGood }) => forGood === true,
    prepare: (item) => {
      if (item === "bad look-up") throw new Error("what somebody said");
      if (item === "?bad") return Promise.reject(new Error("what somebody said"));
      return item.startsWith("?") ? wait() : null;
    },
    read: (item) => {
      if (item === "bad") throw new Error("what somebody said");
      seen.push(item);
    },
    onDropped: (items) => void dropped.push(...items),
    onSettled: () => undefined,
    nameOf: (channel) => `#${channel}`,
  });
  const settle = async (): Promise<void> => await clock.advance(0);
  /** From now on they are held back, until that is over. */
  const hold = (): void => void (holding = true);
  const release = async (): Promise<void> => {
    holding = false;
    for (const go of held.splice(0)) go();
    await settle();
  };
  return { clock, host, seen, behind, dropped, failing, held, lanes, settle, hold, release };
}

describe("in its turn", () => {
  test("what comes of a channel that was never read is read at once, and of another not at all", () => {
    const { lanes, seen, behind } = stage();
    lanes.open("a");
    lanes.push("a", "one");
    lanes.push("b", "two");
    expect([seen, [...behind], lanes.ids, lanes.has("b")]).toEqual([["one"], [], ["a"], false]);
  });

  test("what comes waits for the history, and the other channels do not", async () => {
    const { lanes, seen, behind, settle, hold, release } = stage();
    hold();
    lanes.fill("a");
    lanes.open("b");
    lanes.push("a", "one");
    lanes.push("b", "two");
    await settle();
    expect([seen, [...behind], [...lanes.oldest()]]).toEqual([["history of a", "two"], ["a"], ["one"]]);
    await release();
    lanes.push("a", "three");
    expect([seen.slice(2), [...behind], [...lanes.oldest()]]).toEqual([["one", "three"], [], []]);
  });

  test("what comes behind a look-up waits for it", async () => {
    const { lanes, seen, behind, settle, hold, release } = stage();
    lanes.open("a");
    hold();
    lanes.push("a", "?one");
    lanes.push("a", "two");
    await settle();
    expect([seen, [...behind]]).toEqual([[], ["a"]]);
    await release();
    expect([seen, [...behind]]).toEqual([["?one", "two"], []]);
  });

  test("a history that is asked for while it is read is read once more", async () => {
    const { lanes, seen, settle, hold, release } = stage();
    hold();
    lanes.fill("a");
    await settle();
    lanes.fillAll();
    lanes.fill("a");
    lanes.push("a", "one");
    await release();
    expect(seen).toEqual(["history of a", "history of a", "one"]);
  });

  test("the history of a channel that is joined once more is read", async () => {
    const { lanes, seen, settle } = stage();
    lanes.open("a");
    lanes.fill("a");
    lanes.push("a", "one");
    await settle();
    expect(seen).toEqual(["history of a", "one"]);
  });

  test.each(["bad", "?bad", "bad look-up"])("a fault of ours with one item (%s) keeps up no other", async (bad) => {
    const { lanes, seen, behind, host, settle } = stage();
    lanes.open("a");
    for (const item of [bad, "?one", bad, "two"]) lanes.push("a", item);
    await settle();
    lanes.push("a", "three");
    expect(seen.filter((item) => item !== bad)).toEqual(["?one", "two", "three"]);
    expect([...behind]).toEqual([]);
    expect(host.records[0]).toMatchObject({ level: "warn", fields: { channel: "a", error: "Error" } });
    expect(JSON.stringify(host.records)).not.toContain("somebody");
  });

  test("four histories are read at once", async () => {
    const { lanes, seen, settle, hold, held, release } = stage();
    hold();
    for (const channel of "abcdef") lanes.fill(channel);
    await settle();
    expect(seen).toHaveLength(4);
    held.shift()?.();
    await settle();
    expect(seen).toHaveLength(5);
    await release();
    expect(seen).toHaveLength(6);
  });
});

describe("before it is joined", () => {
  test.each([
    [true, ["one"]],
    [false, ["history of a", "one"]],
  ])("its items are kept; nothing is missing before them: %j", async (whole, expected) => {
    const { lanes, seen, settle } = stage();
    lanes.await("a", whole);
    lanes.push("a", "one");
    await settle();
    expect([seen, [...lanes.oldest()]]).toEqual([[], []]);
    lanes.fill("a");
    await settle();
    expect(seen).toEqual(expected);
  });

  test("they are kept for ten minutes", async () => {
    const { lanes, seen, clock, settle } = stage();
    lanes.await("a", true);
    lanes.push("a", "one");
    await clock.advance(600_001);
    lanes.push("a", "two");
    expect(lanes.has("a")).toBe(false);
    lanes.fill("a");
    await settle();
    expect(seen).toEqual(["history of a"]);
  });
});

describe("what waits is bounded", () => {
  test("for one channel: its history is read again", async () => {
    const { lanes, seen, dropped, settle, hold, release } = stage();
    hold();
    lanes.fill("a");
    await settle();
    for (let count = 0; count < 2_000; count += 1) lanes.push("a", `${count}`);
    expect(dropped).toEqual([]);
    lanes.push("a", "2000");
    expect(dropped).toEqual(Array.from({ length: 2_001 }, (_, at) => `${at}`));
    lanes.push("a", "later");
    await release();
    expect(seen).toEqual(["history of a", "history of a", "later"]);
  });

  test("for all channels together, and room comes back", async () => {
    const { lanes, seen, behind, settle, hold, release } = stage();
    hold();
    for (const channel of "abcdef") {
      lanes.open(channel);
      lanes.push(channel, `?${channel}`);
      for (let count = 1; count < 2_000; count += 1) lanes.push(channel, `${count}`);
    }
    await settle();
    await release();
    expect(seen.filter((one) => one.startsWith("history"))).toContain("history of f");
    expect([...behind]).toEqual([]);
    const before = seen.length;
    lanes.push("f", "?live");
    await settle();
    expect(seen.slice(before)).toEqual(["?live"]);
  });
});

describe("a history that cannot be read", () => {
  test("is tried again, said, and taken back when it can be", async () => {
    const { lanes, seen, host, failing, clock } = stage();
    failing.set("a", BUSY);
    lanes.fill("a");
    lanes.push("a", "one");
    await clock.advance(2_000);
    expect(host.doubts).toEqual([]);
    await clock.advance(8_000);
    const [doubt] = host.doubts;
    expect(doubt).toMatchObject({ code: "remote_error" });
    expect(doubt?.message).toBe("the history of #a cannot be read (HTTP 503); what was missed comes once it can be");
    failing.clear();
    await clock.advance(60_000);
    expect([seen.at(-1), host.doubts.at(-1)]).toEqual(["one", null]);
  });

  test("waits as long as the server says", async () => {
    const { lanes, seen, failing, clock } = stage();
    failing.set("a", { ...BUSY, retryAfterMs: 300_000 });
    lanes.fill("a");
    await clock.advance(299_999);
    expect(seen).toHaveLength(1);
    await clock.advance(1);
    expect(seen).toHaveLength(2);
  });

  test.each([
    ["is passed over when that never changes", { ...BUSY, forGood: true }, 1],
    ["does not keep the channel silent for ever", { ...BUSY, why: "timeout" as const }, 20],
  ])("%s", async (_, failure, tries) => {
    const { lanes, seen, behind, host, failing, clock } = stage();
    failing.set("a", failure);
    lanes.fill("a");
    lanes.push("a", "one");
    await clock.advance(3_600_000);
    expect(seen).toEqual([...Array.from({ length: tries }, () => "history of a"), "one"]);
    expect(host.doubts.at(-1)?.message).toContain("is missing");
    expect([...behind]).toEqual([]);
    lanes.drop("a");
    expect(host.doubts.at(-1), "of a channel that we are out of nothing is said").toBeNull();
  });

  test("by a fault of ours, is passed over", async () => {
    const { lanes, seen, host, settle } = stage();
    lanes.fill("faulty");
    lanes.push("faulty", "one");
    await settle();
    expect(seen).toEqual(["history of faulty", "one"]);
    expect(host.records.map(({ message }) => message)).toEqual([
      "the history of a channel is passed over: this is a bug",
    ]);
    expect(JSON.stringify(host.records)).not.toContain("somebody");
  });
});

describe("the end", () => {
  test.each(["drop", "stop"])("%s: nothing is told any more, and no timer is left", async (how) => {
    const { lanes, seen, behind, failing, clock, settle, hold, release } = stage();
    failing.set("broken", BUSY);
    lanes.fill("broken");
    await settle();
    hold();
    lanes.fill("a");
    lanes.push("a", "one");
    await settle();
    const before = seen.length;
    if (how === "stop") lanes.stop();
    else for (const channel of ["a", "broken"]) lanes.drop(channel);
    await release();
    expect([seen.length, clock.waiting, [...behind]]).toEqual([before, 0, ["broken", "a"]]);
  });

  test("who waits for a turn does not get one", async () => {
    const { lanes, seen, settle, hold, release } = stage();
    hold();
    for (const channel of "abcdef") lanes.fill(channel);
    await settle();
    lanes.stop();
    await release();
    expect(seen).toHaveLength(4);
  });
});
