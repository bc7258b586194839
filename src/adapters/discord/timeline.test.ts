import { describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import type { OpId, Progress } from "../../contract/ids.ts";
import { rawMessage } from "./message.suite.ts";
import { id, lastCursor, ready, said, texts, timelineOf } from "./timeline.suite.ts";

describe("the events of the gateway", () => {
  test("those of joined channels are told; what comes again is not", async () => {
    const { host, timeline, enter } = timelineOf(null);
    timeline.push(ready("a"));
    enter("5");
    for (const event of [said(2, "one"), said(3, "elsewhere", { channel_id: "6" }), said(2, "one"), said(4, "two")]) {
      timeline.push(event);
    }
    await settled();
    expect(texts(host)).toEqual(["one", "two"]);
    expect(lastCursor(host)).toMatchObject({ session: "a", url: "wss://gateway", seq: 4, at: id(4) });
  });

  test("the cursor is taken up from the disk alone", async () => {
    const { host, timeline, enter, positions } = timelineOf(null);
    timeline.push(ready("a"));
    enter("5");
    await settled();
    timeline.push(said(2, "one"));
    await settled();
    host.hold();
    timeline.push(said(3, "two"));
    await settled();
    expect(positions.durable?.seq).toBe(2);
    host.release();
    await settled();
    expect(positions.durable?.seq).toBe(3);
  });

  test("while one channel waits for its history, the cursor stays before its events, and others go on", async () => {
    const since = { at: id(0), channels: { 5: [id(0)], 6: [id(0)] }, session: "old", url: "", seq: 9 };
    const { host, timeline, enter, history } = timelineOf(since);
    const gate = Promise.withResolvers<void>();
    timeline.push(ready("b"));
    enter("6");
    await settled();
    history.until = gate.promise;
    history.of.set("5", [rawMessage({ id: id(1), content: "missed" })]);
    enter("5");
    timeline.push(said(2, "live"));
    timeline.push(said(3, "elsewhere", { channel_id: "6" }));
    await settled();
    expect(texts(host)).toEqual(["elsewhere"]);
    expect(lastCursor(host)).toMatchObject({ session: "b", seq: 1, channels: { 5: [id(0), id(0)] } });
    gate.resolve();
    await settled();
    expect(texts(host)).toEqual(["elsewhere", "missed", "live"]);
    await timeline.quiesce();
    expect(lastCursor(host)).toMatchObject({ seq: 3, channels: { 5: [id(0)], 6: [id(0)] } });
  });

  test("taken up, what comes before a channel is joined waits for it, and no history is asked for", async () => {
    const since = { at: id(0), channels: { 5: [id(0)] }, session: "a", url: "", seq: 9 };
    const { host, timeline, enter, history } = timelineOf(since, { resumed: true });
    timeline.push(said(8, "of before"));
    timeline.push(said(10, "waits"));
    await settled();
    expect(texts(host)).toEqual([]);
    enter("5");
    timeline.push(said(11, "comes"));
    await settled();
    expect(texts(host)).toEqual(["waits", "comes"]);
    expect(history.asked).toBe(0);
  });

  test("taken up, nothing is lost of what no history has, however much comes before a channel is joined", async () => {
    const since = { at: id(0), channels: { 5: [id(0)] }, session: "a", url: "", seq: 1 };
    const { host, timeline, enter, history } = timelineOf(since, { resumed: true });
    for (let seq = 2; seq <= 500; seq += 1) timeline.push(said(seq, "x"));
    const reaction = { channel_id: "5", message_id: id(2), user_id: "7", emoji: { id: null, name: "👍" } };
    timeline.push({ type: "MESSAGE_REACTION_ADD", data: reaction, seq: 501 });
    enter("5");
    await settled();
    expect(host.events.at(-1)).toMatchObject({ kind: "reacted", message: id(2) });
    expect([host.events.length, history.asked]).toEqual([500, 0]);
  });

  test("what waits for a channel that is not joined for long is dropped: its history is read then", async () => {
    const since = { at: id(0), channels: { 5: [id(0)] }, session: "a", url: "", seq: 1 };
    const { host, clock, timeline, enter, history } = timelineOf(since, { resumed: true });
    timeline.push(said(2, "one"));
    await clock.advance(600_001);
    timeline.push(said(3, "two"));
    history.of.set("5", [rawMessage({ id: id(3), content: "two" }), rawMessage({ id: id(2), content: "one" })]);
    enter("5");
    await settled();
    expect([texts(host), history.asked]).toEqual([["one", "two"], 1]);
  });

  test("an address that is none is not where the gateway can be taken up", async () => {
    const { host, timeline, enter } = timelineOf(null);
    const { type, data, seq } = ready("a");
    timeline.push({ type, data: { ...data, resume_gateway_url: "gateway.example" }, seq });
    enter("5");
    timeline.push(said(2, "one"));
    await settled();
    expect(texts(host)).toEqual(["one"]);
    expect(lastCursor(host)).toMatchObject({ at: id(2) });
    expect(lastCursor(host)).not.toHaveProperty("session");
  });

  test("a gateway session that begins anew has all channels read", async () => {
    const { host, timeline, enter, history } = timelineOf(null);
    timeline.push(ready("a"));
    enter("5");
    timeline.push(said(2, "one"));
    await settled();
    const changed = { edited_timestamp: "2024-05-01T12:00:30.000000+00:00", content: "ONE" };
    history.of.set("5", [rawMessage({ id: id(31), content: "missed" }), rawMessage({ id: id(2), ...changed })]);
    timeline.push(ready("b"));
    await settled();
    expect(host.events.map((event) => ("body" in event ? event.body.source.text : event.kind))).toEqual([
      "one",
      "missed",
      "ONE",
    ]);
    timeline.push(said(2, "first of the new", { id: id(40) }));
    await settled();
    expect(texts(host).at(-1)).toBe("first of the new");
  });
});

describe("a history that cannot be read", () => {
  const since = { at: id(0), channels: { 5: [id(0)] } };

  test("is tried again, said, and told when it can be", async () => {
    const { host, clock, timeline, enter, history } = timelineOf(since);
    history.of.set("5", null);
    timeline.push(ready("a"));
    enter("5");
    await clock.advance(10_000);
    expect(host.doubts.at(-1)?.message).toContain("the history of #5 cannot be read (HTTP 503)");
    history.of.set("5", [rawMessage({ id: id(1), content: "missed" })]);
    timeline.push(said(2, "live"));
    await clock.advance(60_000);
    expect(texts(host)).toEqual(["missed", "live"]);
    expect(host.doubts.at(-1)).toBeNull();
    expect(host.losses).toEqual([]);
  });

  test("does not keep the channel silent for ever", async () => {
    const { host, clock, timeline, enter, history } = timelineOf(since);
    history.of.set("5", null);
    timeline.push(ready("a"));
    enter("5");
    timeline.push(said(2, "live"));
    await clock.advance(3_600_000);
    expect(texts(host)).toEqual(["live"]);
    expect(host.doubts.at(-1)?.message).toContain("is missing");
    expect(history.asked).toBeLessThanOrEqual(20);
  });

  test("ends with the session, and leaves no timer", async () => {
    const { clock, timeline, enter, history } = timelineOf(since);
    history.of.set("5", null);
    timeline.push(ready("a"));
    enter("5");
    await settled();
    expect(clock.waiting).toBeGreaterThan(0);
    timeline.end();
    await settled();
    expect(clock.waiting).toBe(0);
  });
});

describe("what waits", () => {
  test("is bounded: a channel with too much is read again", async () => {
    const since = { at: id(0), channels: { 5: [id(0)] }, session: "a", url: "", seq: 1 };
    const { host, timeline, enter, history } = timelineOf(since, { resumed: true });
    for (let seq = 2; seq <= 2_003; seq += 1) timeline.push(said(seq, `line ${seq}`));
    const all = Array.from({ length: 50 }, (_, index) => 2_003 - index);
    history.of.set(
      "5",
      all.map((seq) => rawMessage({ id: id(seq), content: `line ${seq}` })),
    );
    enter("5");
    await settled();
    expect(texts(host)).toEqual(all.toReversed().map((seq) => `line ${seq}`));
    expect(history.asked).toBe(1);
  });

  test("for the disk pauses the gateway", async () => {
    const { host, timeline, enter, full } = timelineOf(null);
    timeline.push(ready("a"));
    enter("5");
    await settled();
    host.hold();
    for (let seq = 2; seq <= 1_100; seq += 1) timeline.push(said(seq, "x"));
    await settled();
    expect(full).toEqual([true]);
    host.release();
    await settled();
    expect(full).toEqual([true, false]);
  });
});

describe("a post that is about to leave", () => {
  const post = { op: "op" as OpId, upTo: "1" as Progress, channel: "5", floor: "3", digest: "", end: null };
  const NEVER = new AbortController().signal;

  test("is on disk before it does", async () => {
    const { host, timeline, enter } = timelineOf(null);
    enter("5");
    host.hold();
    let isKept: boolean | null = null;
    const announcing = timeline.announce(post, NEVER).then((is) => (isKept = is));
    await settled();
    expect(isKept).toBeNull();
    host.release();
    await announcing;
    expect(isKept).toBe(true);
    expect(lastCursor(host)).toMatchObject({ doing: [post] });
    expect(timeline.announced(post.op, post.upTo)).toEqual(post);
  });

  test("waits for a disk that takes nothing, and for nothing that comes after it", async () => {
    const { host, clock, timeline, enter } = timelineOf(null);
    timeline.push(ready("a"));
    enter("5");
    await settled();
    host.hold();
    const kept: string[] = [];
    const announcing = timeline.announce(post, NEVER).then((is) => kept.push(`first ${is}`));
    await clock.advance(3_600_000);
    // A second try finds the same one, which is not on disk yet.
    const again = timeline.announce(post, NEVER).then((is) => kept.push(`again ${is}`));
    await clock.advance(3_600_000);
    expect(kept).toEqual([]);
    host.release();
    host.hold();
    timeline.push(said(2, "later"));
    await Promise.all([announcing, again]);
    expect(kept).toEqual(["first true", "again true"]);
    host.release();
  });

  test("is given up when it is cancelled, and when the session ends", async () => {
    const { host, timeline } = timelineOf(null);
    host.hold();
    const cancelled = new AbortController();
    const announcing = [timeline.announce(post, cancelled.signal), timeline.announce(post, NEVER)];
    cancelled.abort();
    expect(await announcing[0]).toBe(false);
    expect(await timeline.announce(post, cancelled.signal)).toBe(false);
    timeline.end();
    expect(await announcing[1]).toBe(false);
    host.release();
  });

  test("may still leave when nothing is read any more, and the cursor has nothing else that is new", async () => {
    const { host, timeline, enter } = timelineOf(null);
    timeline.push(ready("a"));
    enter("5");
    timeline.push(said(2, "one"));
    await timeline.quiesce();
    const before = lastCursor(host);
    timeline.push(said(3, "two"));
    expect(await timeline.announce(post, NEVER)).toBe(true);
    expect(lastCursor(host)).toEqual({ ...Object(before), doing: [post] });
    expect(texts(host)).toEqual(["one"]);
  });

  test("leaves no more after the end", async () => {
    const { timeline } = timelineOf(null);
    timeline.end();
    expect(await timeline.announce(post, NEVER)).toBe(false);
  });

  test("is newer than the newest that was heard of", async () => {
    const { timeline, enter } = timelineOf(null);
    expect(timeline.newest("5")).toBe("");
    enter("5", id(1));
    expect(timeline.newest("5")).toBe(id(1));
    timeline.push(ready("a"));
    timeline.push(said(60, "one"));
    await settled();
    expect(timeline.newest("5")).toBe(id(60));
    expect(timeline.newest("a thread that nobody knows")).toBe(id(30));
  });
});

test("what makes no sense is passed over, and what comes behind it is told", async () => {
  const { host, timeline, enter } = timelineOf(null);
  timeline.push(ready("a"));
  enter("5");
  const nonsense = [{}, { id: "../x", channel_id: "5" }, { channel_id: "5", ids: [1, "x/y", null], message_id: 7 }];
  const kinds = ["CREATE", "UPDATE", "DELETE", "DELETE_BULK", "REACTION_ADD", "REACTION_REMOVE_ALL"];
  const types = [...kinds.map((kind) => `MESSAGE_${kind}`), "GUILD_MEMBER_ADD", "THREAD_CREATE", "CHANNEL_UPDATE"];
  let seq = 1;
  for (const type of types) for (const data of nonsense) timeline.push({ type, data, seq: (seq += 1) });
  const far = { ...said(0, "x").data, id: "9".repeat(30) };
  timeline.push({ type: "MESSAGE_CREATE", data: far, seq: (seq += 1) });
  timeline.push({ ...said(1, "sense"), seq: (seq += 1) });
  await settled();
  expect(host.events).toHaveLength(1);
  expect(texts(host)).toEqual(["sense"]);
  expect(lastCursor(host)).toMatchObject({ at: id(1) });
  expect(host.records.filter(({ level }) => level === "warn")).toEqual([]);
});
