import { expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Event } from "../../contract/events.ts";
import type { ChannelRef, Cursor } from "../../contract/ids.ts";
import { EventIntake } from "./intake.ts";

const event = (text: string): Event => ({
  kind: "topic",
  key: null,
  channel: "#a" as ChannelRef,
  atMs: 0,
  echoOf: null,
  author: null,
  topic: text,
  text,
});

/** A cursor that counts how often it moved. */
class Count {
  moved = false;
  #at = 0;

  move(): void {
    this.#at += 1;
    this.moved = true;
  }

  take(): Cursor | null {
    if (!this.moved) return null;
    this.moved = false;
    return String(this.#at) as Cursor;
  }
}

function stage(lateMs: number) {
  const clock = new FakeClock();
  const host = new RecordingHost(clock);
  const cursor = new Count();
  const full: boolean[] = [];
  const onFull = (is: boolean): void => void full.push(is);
  return { clock, host, cursor, full, intake: new EventIntake({ host, cursor, lateMs, waitingMax: 4, onFull }) };
}

const texts = (host: RecordingHost): readonly string[] =>
  host.events.map((one) => (one.kind === "topic" ? one.text : one.kind));

test("what came in one piece is one batch, with the cursor behind it", () => {
  const { intake, host, cursor } = stage(0);
  intake.add([event("a")]);
  cursor.move();
  intake.add([event("b")]);
  expect(host.events).toEqual([]);
  intake.flush();
  intake.flush();
  expect([texts(host), host.cursors]).toEqual([["a", "b"], ["1"]]);
});

test("a cursor alone goes at once, or after a while together with others", async () => {
  const now = stage(0);
  now.cursor.move();
  now.intake.flush();
  expect(now.host.cursors).toEqual(["1"]);
  const { intake, host, cursor, clock } = stage(2_000);
  for (let turn = 0; turn < 3; turn += 1) {
    cursor.move();
    intake.hand([]);
  }
  expect(host.cursors).toEqual([]);
  await clock.advance(2_000);
  expect(host.cursors).toEqual(["3"]);
  cursor.move();
  intake.hand([]);
  intake.hand([event("a")]);
  expect(host.cursors).toEqual(["3", "4"]);
  expect(clock.waiting).toBe(0);
});

test("more than may wait pauses reading, half of it lets it go on", async () => {
  const { intake, host, full, clock } = stage(0);
  host.hold();
  intake.hand([event("a"), event("b")]);
  await intake.low();
  expect(full).toEqual([]);
  intake.hand([event("c"), event("d"), event("e")]);
  let isLow = false;
  const low = intake.low().then(() => (isLow = true));
  await clock.advance(0);
  expect([full, isLow]).toEqual([[true], false]);
  host.release();
  await low;
  expect(full).toEqual([true, false]);
});

test("stopping hands over what there is, and nothing after it", async () => {
  const { intake, host, cursor, clock } = stage(2_000);
  intake.add([event("a")]);
  cursor.move();
  await intake.stop();
  cursor.move();
  intake.hand([event("b")]);
  await intake.stop();
  await clock.advance(10_000);
  expect([texts(host), host.cursors]).toEqual([["a"], ["1"]]);
});

test("an end hands nothing over, and whoever waits goes on", async () => {
  const { intake, host, cursor, clock } = stage(2_000);
  host.hold();
  intake.hand([event("a"), event("b"), event("c"), event("d"), event("e")]);
  const low = intake.low();
  cursor.move();
  intake.hand([]);
  intake.end();
  await low;
  await clock.advance(10_000);
  expect([texts(host).length, host.cursors, clock.waiting]).toEqual([5, [], 0]);
});
