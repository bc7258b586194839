import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import type { View } from "../../gateway/view.ts";
import type { Entry, Log } from "../../log/log.ts";
import { Certainty } from "./certainty.ts";
import type { ReaderConnection } from "./connection.ts";
import { GatewayFeed } from "./feed.ts";
import { ReaderHub } from "./reader-hub.ts";

const BUFFER = 2;
const ASK_MS = 100;
const LARGE = 65 * 1024;
const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

/** A connection of which the kernel takes all at once, or nothing until `drain`; `got` are the beginnings of lines. */
class Connection implements ReaderConnection<readonly string[]> {
  readonly got: string[] = [];
  readonly #isSlow: boolean;
  unsent = 0;
  taken = 0;
  readonly closed = false;
  #onDrain: () => void = () => undefined;

  constructor(isSlow: boolean) {
    this.#isSlow = isSlow;
  }

  write(lines: readonly string[]): void {
    for (const line of lines) {
      this.got.push(line.slice(0, 3).trim());
      if (this.#isSlow) this.unsent += line.length;
    }
  }

  drain(): void {
    this.unsent = 0;
    this.#onDrain();
  }

  whenTaken(listener: () => void): void {
    if (this.unsent === 0) listener();
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onClose = (): void => undefined;
  beat = (): void => undefined;
  end = (): void => undefined;
  destroy = (): void => undefined;
}

/** Readers of an account of which `is.sure` says whether this node certainly runs it; the log answers `is.read`. */
function make() {
  const clock = new FakeClock();
  const is = { sure: true, read: Promise.resolve<readonly Entry[]>([]) };
  const happened: string[] = [];
  const log = { read: async () => await is.read } as unknown as Log;
  const feed = new GatewayFeed({ log, view, capacity: BUFFER, after: 0, onBad: () => undefined });
  const events = {
    moved: () => undefined,
    fell: () => undefined,
    skipped: (count: number) => happened.push(`skipped ${count}`),
    cut: (why: string) => happened.push(`cut: ${why}`),
  };
  const certainty = new Certainty(() => is.sure, clock);
  const hub = new ReaderHub({ feed, position: 0, clock, encode: (lines) => lines, events, certainty });
  const say = (seq: number, payload: string | null = `${seq}`): Entry => {
    const entry = { seq, subject: "a/b", at: 0, label: "", payload };
    feed.push({ entry, gateway: "g" });
    hub.flush();
    feed.trim();
    return entry;
  };
  const open = (isSlow = false): Connection => {
    const connection = new Connection(isSlow);
    hub.add(connection, [], hub.position);
    return connection;
  };
  return { clock, is, happened, say, open };
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

test("open readers are given nothing while it is uncertain who runs the account, and then all, also beyond Buffer", async () => {
  const { clock, is, happened, say, open } = make();
  const readers = [open(), open()];
  say(1);
  is.sure = false;
  for (let seq = 2; seq <= 200; seq += 1) say(seq);
  await clock.advance(60_000);
  expect(readers.map(({ got }) => got)).toEqual([["1"], ["1"]]);
  is.sure = true;
  say(201);
  await clock.advance(ASK_MS);
  say(202);
  expect(readers.map(({ got }) => got)).toEqual([numbered(1, 202), numbered(1, 202)]);
  expect(happened).toEqual([]);
  expect(clock.waiting).toBe(0);
});

test("a reader that takes what was held slowly is not cut meanwhile", async () => {
  const { clock, is, happened, say, open } = make();
  const reader = open(true);
  is.sure = false;
  for (let seq = 1; seq <= 200; seq += 1) say(seq, `${seq}`.padEnd(LARGE, " "));
  is.sure = true;
  await clock.advance(ASK_MS);
  expect(reader.got).toEqual(["1"]);
  for (let seq = 201; seq <= 220; seq += 1) say(seq);
  for (let drained = 0; drained < 220; drained += 1) reader.drain();
  expect(reader.got).toHaveLength(220);
  expect(happened).toEqual([]);
});

test("what was read from the log for a reader is not given when it has become uncertain meanwhile", async () => {
  const { clock, is, say, open } = make();
  const { promise, resolve } = Promise.withResolvers<readonly Entry[]>();
  is.read = promise;
  const entry = say(1, null);
  const reader = open();
  is.sure = false;
  resolve([{ ...entry, payload: "1" }]);
  await settled();
  expect(reader.got).toEqual([]);
  is.sure = true;
  await clock.advance(ASK_MS);
  expect(reader.got).toEqual(["1"]);
});
