import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { View } from "../../gateway/view.ts";
import type { Log } from "../../log/log.ts";
import type { ReaderConnection } from "./connection.ts";
import { GatewayFeed } from "./feed.ts";
import { ReaderHub } from "./reader-hub.ts";
import { type Chunk, chunkOf } from "./stream-socket.ts";

const MESSAGES = 200;
/** So large that four of them are a write. */
const TEXT = JSON.stringify({ text: "x".repeat(16 * 1024) });

const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

test("a reader that takes everything at once catches up over several turns of the event loop", async () => {
  const clock = new FakeClock();
  const log: Pick<Log, "read"> = { read: () => Promise.resolve([]) };
  const feed = new GatewayFeed({ log: log as Log, view, capacity: 1000, after: 0, onBad: () => undefined });
  const none = (): void => undefined;
  const events = { moved: none, fell: none, skipped: none, cut: none };
  const hub = new ReaderHub<Chunk>({ feed, position: 0, clock, encode: chunkOf, events });
  for (let seq = 1; seq <= MESSAGES; seq += 1) {
    feed.push({ entry: { seq, subject: "api.a/g", at: 1, label: "", payload: TEXT }, gateway: "g" });
  }
  let [writes, most, received] = [0, 0, 0];
  const watch = (): void => {
    most = Math.max(most, writes);
    writes = 0;
    if (received < MESSAGES) setImmediate(watch);
  };
  const connection: ReaderConnection<Chunk> = {
    unsent: 0,
    taken: 0,
    closed: false,
    write: ({ bare }) => {
      writes += 1;
      received += bare.toString().split('"text":').length - 1;
    },
    whenTaken: (listener) => listener(),
    onDrain: none,
    onClose: none,
    beat: none,
    end: none,
    destroy: none,
  };
  watch();
  hub.add(connection, chunkOf(["{}"]), 0);
  await clock.advance(100);
  const isAll = (count: number): boolean => count === MESSAGES;
  await eventually(
    () => Promise.resolve(received),
    isAll,
    () => "the whole backlog",
  );
  expect(most).toBeLessThan(10);
});
