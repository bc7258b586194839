import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { EventLabel } from "../contract/message.ts";
import { encode } from "../gateway/codec.ts";
import { aMessage } from "../gateway/samples.suite.ts";
import type { Entry } from "../log/log.ts";
import { LoopWatch } from "./loop-watch.ts";
import { MemoryLogger } from "./scripted.suite.ts";
import { connected, delivered } from "./stage.suite.ts";

const WHY = { code: "config", message: "withheld: a loop" } as const;

describe("a lane", () => {
  test("does not write what is withheld, and says why; what acts on that goes with it, and what follows is written", async () => {
    const written: number[] = [];
    const loops = { wrote: (seq: number) => void written.push(seq), why: (seq: number) => (seq === 2 ? WHY : null) };
    const stage = await connected({ loops });
    await stage.say("round");
    await stage.act("edit", 2, "rounder");
    await stage.act("reaction", 2);
    await stage.act("delete", 2);
    await stage.say("on");
    await stage.end(1, delivered);
    expect([stage.texts, written]).toEqual([["on"], [10]]);
    const receipts = await stage.receipts();
    expect(receipts.map(({ seq, state }) => [seq, state])).toEqual([
      [2, "withheld"],
      [4, "omitted"],
      [6, "omitted"],
      [8, "omitted"],
    ]);
    expect(JSON.parse(receipts[0]?.detail ?? "{}")).toEqual({ why: WHY });
    expect(stage.lane.cursor).toBe(10);
  });

  test("finishes what it has begun", async () => {
    let why: typeof WHY | null = null;
    const stage = await connected({ loops: { wrote: () => undefined, why: () => why } });
    await stage.say("one");
    await stage.end(1, { is: "unknown", why: { code: "network", message: "gone" } });
    why = WHY;
    await stage.clock.advance(60_000);
    await stage.end(2, delivered);
    expect(await stage.receipts()).toEqual([]);
  });
});

describe("the watch", () => {
  const clock = new FakeClock();
  const memory = new MemoryLogger();
  const watch = new LoopWatch(clock, memory.logger);
  const entry = (seq: number, username: string, text: string, label = ""): Entry => {
    const payload = encode(aMessage({ username, text }));
    return { seq, subject: `net.${seq % 2 === 0 ? "a" : "b"}/#x`, at: 0, label, payload };
  };
  const author = { id: "x", name: "x", shown: "<x> ", avatar: null, account: "net.a" };
  const post = (text: string) =>
    ({
      kind: "post",
      author,
      body: {
        style: "normal",
        source: { format: "plain", text },
        blocks: [{ t: "para", of: [{ t: "text", text }] }],
        files: [],
      },
      reply: null,
      thread: null,
      mayPing: { users: false, everyone: false },
    }) as const;

  test("sees what is committed and what is written, and tells a loop once, with its moments by the calendar", () => {
    for (let seq = 1, text = "hello"; seq <= 12; seq += 1, text = `<x> ${text}`) {
      watch.heard([entry(seq, "other", text)]);
      if (watch.why(seq) === null) watch.wrote(seq, "net.a/#x", post(text));
    }
    expect(watch.loops).toEqual([
      {
        place: "net.a/#x",
        through: "other",
        withheld: 7,
        remedy: expect.stringContaining("IgnoreNicks") as string,
        sinceMs: clock.nowMs(),
        untilMs: clock.nowMs() + 600_000,
      },
    ]);
    expect(watch.why(6)?.message).toMatch(/^withheld: a loop; "other" in net.a #x repeats what Rialto wrote/u);
    expect(memory.shown()).toEqual(["warn a loop through another bridge was found: its messages are withheld"]);
  });

  test("passes over what is no message", () => {
    watch.heard([entry(100, "ann", "joins", EventLabel.join), { ...entry(101, "ann", "x"), payload: null }]);
    watch.heard([{ ...entry(102, "ann", "x"), payload: "{}" }]);
    expect([100, 101, 102].map((seq) => watch.why(seq))).toEqual([null, null, null]);
  });
});
