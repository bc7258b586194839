import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { View } from "../../gateway/view.ts";
import type { Log } from "../../log/log.ts";
import type { ReaderConnection } from "./connection.ts";
import { GatewayFeed } from "./feed.ts";
import { ReaderHub } from "./reader-hub.ts";

const KIB = 1024;
const PAUSE_MS = 100;
const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

/** A connection of which the kernel takes nothing until `drain`; `got` are the first characters of the lines. */
class SlowConnection implements ReaderConnection<readonly string[]> {
  readonly got: string[] = [];
  unsent = 0;
  taken = 0;
  readonly closed = false;
  #onDrain: () => void = () => undefined;
  #whenTaken: (() => void)[] = [];

  write(lines: readonly string[]): void {
    for (const line of lines) {
      this.got.push(line.slice(0, 1));
      this.unsent += line.length;
    }
  }

  drain(): void {
    this.taken += this.unsent;
    this.unsent = 0;
    for (const listener of this.#whenTaken.splice(0)) listener();
    this.#onDrain();
  }

  whenTaken(listener: () => void): void {
    this.#whenTaken.push(listener);
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onClose = (): void => undefined;
  beat = (): void => undefined;
  end = (): void => undefined;
  destroy = (): void => undefined;
}

function make() {
  const clock = new FakeClock();
  const feed = new GatewayFeed({ log: {} as Log, view, capacity: 100, after: 0, onBad: () => undefined });
  const events = { moved: () => undefined, fell: () => undefined, skipped: () => undefined, cut: () => undefined };
  let encoded = 0;
  const encode = (lines: readonly string[]): readonly string[] => {
    encoded += 1;
    return lines;
  };
  const hub = new ReaderHub({ feed, position: 0, clock, encode, events });
  let seq = 0;
  /** A message of so many characters. */
  const say = (first: string, chars = 1): void => {
    seq += 1;
    feed.push({ entry: { seq, subject: "a/b", at: 0, label: "", payload: first.padEnd(chars, ".") }, gateway: "g" });
    hub.flush();
  };
  const open = (): SlowConnection => {
    const connection = new SlowConnection();
    hub.add(connection, [], hub.position);
    return connection;
  };
  return { clock, hub, encoded: () => encoded, say, open };
}

test("a live reader may have 64 KiB unsent; with more it waits until it drains, and then gets the rest in order", () => {
  const { hub, say, open } = make();
  const [slow, quick] = [open(), open()];
  say("a", 64 * KIB);
  quick.drain();
  say("b");
  for (const first of ["c", "d"]) say(first);
  expect([slow.got, quick.got]).toEqual([
    ["a", "b"],
    ["a", "b", "c", "d"],
  ]);
  slow.drain();
  expect(slow.got).toEqual(["a", "b", "c", "d"]);
  expect(hub.readers).toBe(2);
});

test("a reader that catches up gets no more while it has more than 64 KiB unsent", async () => {
  const { clock, say, open } = make();
  say("a", 64 * KIB);
  for (const first of ["b", "c", "d"]) say(first, 32 * KIB);
  const reader = open();
  await clock.advance(PAUSE_MS);
  expect(reader.got).toEqual(["a", "b", "c"]);
  reader.drain();
  expect(reader.got).toEqual(["a", "b", "c", "d"]);
});

test.each([
  ["one of more than 64 KiB is encoded once and held", 64 * KIB + 1, 1],
  ["a smaller one is encoded for each, and not held", 64 * KIB, 3],
])("of the messages that several readers catch up on, %s", (_what, chars, times) => {
  const { encoded, say, open } = make();
  say("a", chars);
  const readers = [open(), open(), open()];
  expect(readers.map(({ got }) => got)).toEqual([["a"], ["a"], ["a"]]);
  expect(encoded()).toBe(times);
});
