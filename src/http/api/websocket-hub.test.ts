import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { MemoryLogger } from "../../delivery/scripted.suite.ts";
import type { View } from "../../gateway/view.ts";
import type { Log } from "../../log/log.ts";
import { GatewayFeed } from "./feed.ts";
import { WebSocketHub } from "./websocket-hub.ts";

const HOUR = 60 * 60 * 1000;
const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => payload,
};

/** A WebSocket and its socket, of which the kernel takes all at once. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly got: string[] = [];
  bufferedAmount = 0;
  readonly tcp = Object.assign(new EventEmitter(), { writable: true, writableLength: 0, bytesWritten: 0 });

  send(frame: Buffer | string): void {
    this.got.push(String(frame));
  }

  ping(): void {
    this.got.push("ping");
  }

  terminate(): void {
    this.leave(false);
  }

  leave(isReset: boolean): void {
    this.readyState = 3;
    this.emit("close");
    this.tcp.emit("close", isReset);
  }
}

function make({ buffer = 100, position = 0 }: { buffer?: number; position?: number | null } = {}) {
  const clock = new FakeClock();
  const feed = new GatewayFeed({ log: {} as Log, view, capacity: buffer, after: 0, onBad: () => undefined });
  const events = { moved: () => undefined, fell: () => undefined, skipped: () => undefined, cut: () => undefined };
  const memory = new MemoryLogger();
  const { logger } = memory;
  const hub = new WebSocketHub({ feed, position, clock, logger, events });
  let seq = 0;
  const say = (...texts: string[]): void => {
    for (const payload of texts) {
      seq += 1;
      feed.push({ entry: { seq, subject: "a/b", at: clock.nowMs(), label: "", payload }, gateway: "g" });
    }
    hub.flush();
    feed.trim();
  };
  const open = async (isLive = false): Promise<FakeSocket> => {
    const socket = new FakeSocket();
    hub.add(socket as unknown as WebSocket, socket.tcp as unknown as Socket, "hello", isLive);
    await clock.advance(100);
    return socket;
  };
  return { clock, hub, memory, say, open };
}

test("the first of an account has no backlog, whoever was there before the start of the program has", async () => {
  const first = make({ position: null });
  first.say("a");
  expect((await first.open()).got).toEqual(["hello"]);
  expect(first.hub.settled).toBe(1);
  const later = make({ position: 0 });
  later.say("a");
  expect((await later.open()).got).toEqual(["hello", "a"]);
});

test("a backlog reaches one hour back", async () => {
  const { clock, say, open } = make();
  say("old");
  await clock.advance(HOUR / 2);
  say("young");
  await clock.advance(HOUR / 2 + 1);
  expect((await open()).got).toEqual(["hello", "young"]);
});

test("a backlog is at most Buffer", async () => {
  const { say, open } = make({ buffer: 2 });
  say("a", "b", "c");
  expect((await open()).got).toEqual(["hello", "b", "c"]);
});

test("a socket that is closing is not open to the next one", async () => {
  const { say, open } = make();
  const first = await open();
  first.readyState = 2;
  say("a");
  expect((await open()).got).toEqual(["hello", "a"]);
  expect(first.got).toEqual(["hello"]);
});

test("one that asks for no backlog leaves it to the next one until it has taken a message", async () => {
  const { say, open } = make();
  say("a");
  const live = await open(true);
  live.leave(false);
  const next = await open();
  expect(next.got).toEqual(["hello", "a"]);
});

test("a reset gives back what was sent within the last second", async () => {
  const { clock, say, open } = make();
  const first = await open();
  say("a");
  await clock.advance(2_000);
  say("b");
  first.leave(true);
  expect((await open()).got).toEqual(["hello", "b"]);
});

test("what another socket said goes to all but that, and is in no backlog", async () => {
  const { hub, open } = make();
  const [one, two] = [await open(), await open()];
  hub.broadcast("from one", one as unknown as WebSocket);
  expect([one.got, two.got]).toEqual([["hello"], ["hello", "from one"]]);
  one.leave(false);
  two.leave(false);
  expect((await open()).got).toEqual(["hello"]);
});

test("what is not of the feed may wait up to 16 MiB; a socket that holds more is closed, which is said once", async () => {
  const { hub, memory, open } = make();
  const [speaker, atLimit, above] = [await open(), await open(), await open()];
  atLimit.bufferedAmount = 16 * 1024 * 1024;
  above.bufferedAmount = 16 * 1024 * 1024 + 1;
  hub.broadcast("said", speaker as unknown as WebSocket);
  hub.send(above as unknown as WebSocket, "an answer");
  expect([atLimit.got, above.got]).toEqual([["hello", "said"], ["hello"]]);
  expect([atLimit.readyState, above.readyState]).toEqual([1, 3]);
  expect(memory.shown()).toEqual([expect.stringContaining("it does not read its messages")]);
});

test("one that does not answer a ping is closed with the next", async () => {
  const { clock, hub, open } = make();
  const socket = await open();
  await clock.advance(54_000);
  hub.sweep();
  expect(socket.got).toEqual(["hello", "ping"]);
  await clock.advance(54_000);
  hub.sweep();
  expect(socket.readyState).toBe(3);
});
