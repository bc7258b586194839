import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { eventually } from "../../../test/support/wait.ts";
import type { View } from "../../gateway/view.ts";
import type { Entry, Log } from "../../log/log.ts";
import { GatewayFeed } from "./feed.ts";
import { greeting } from "./frames.ts";
import { ReaderHub } from "./reader-hub.ts";
import { type Chunk, chunkOf, StreamSocket } from "./stream-socket.ts";

const view: View = {
  admits: () => true,
  show: (message) => message,
  verbatim: () => true,
  wants: () => null,
  line: ({ payload }) => {
    if (payload === NO_LINE) throw new Error("no line of this");
    return payload;
  },
};
const NO_LINE = '{"n":666,"pad":""}';
const payload = (n: number, size = 0): string => JSON.stringify({ n, pad: "x".repeat(size) });

/** A world with one hub over one feed, and readers on real sockets. */
class World {
  readonly clock = new FakeClock();
  readonly happened: string[] = [];
  readonly stored = new Map<number, string>();
  readonly feed: GatewayFeed;
  hub: ReaderHub<Chunk>;
  readonly #server: Server;
  readonly #clients: Socket[] = [];
  start: () => number = () => this.hub.position;

  constructor(buffer: number) {
    const log = {
      read: async ({ after, limit }: { after: number; limit: number }) =>
        [...this.stored]
          .filter(([seq]) => seq > after)
          .slice(0, limit)
          .map(([seq, text]) => ({ seq, subject: "api.a/g", label: "", payload: text })),
    } as unknown as Log;
    this.feed = new GatewayFeed({ log, view, capacity: buffer, after: 0, onBad: () => undefined });
    this.hub = this.#newHub();
    this.#server = createServer((_request, response) =>
      this.hub.add(StreamSocket.open(response), chunkOf([greeting(0)]), this.start()),
    );
  }

  #newHub(): ReaderHub<Chunk> {
    const events = {
      moved: () => undefined,
      fell: () => this.happened.push(`back to ${this.hub.position}`),
      skipped: (count: number) => this.happened.push(`skipped ${count}`),
      cut: (why: string) => this.happened.push(`cut: ${why}`),
    };
    return new ReaderHub({ feed: this.feed, position: 0, clock: this.clock, encode: chunkOf, events });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  say(n: number, options: { size?: number; evicted?: boolean; later?: boolean } = {}): void {
    const text = payload(n, options.size);
    this.stored.set(n, text);
    const entry: Entry = {
      seq: n,
      subject: "api.a/g",
      at: 1,
      label: "",
      payload: options.evicted === true ? null : text,
    };
    this.feed.push({ entry, gateway: "g" });
    if (options.later !== true) this.flush();
  }

  flush(): void {
    this.hub.flush();
    this.feed.trim();
  }

  /** A client; `numbers` are the n of the objects it has got, without the greeting. */
  async reader(options: { http?: string; paused?: boolean } = {}) {
    const socket = connect((this.#server.address() as AddressInfo).port, "127.0.0.1");
    this.#clients.push(socket);
    let raw = "";
    socket.setEncoding("latin1");
    socket.on("error", () => undefined);
    const known = this.hub.readers;
    socket.write(`GET / HTTP/${options.http ?? "1.1"}\r\nHost: x\r\n\r\n`);
    await new Promise<void>((resolve) => {
      socket.once("data", (data) => {
        raw += String(data);
        resolve();
      });
    });
    if (options.paused === true) socket.pause();
    socket.on("data", (data) => (raw += String(data)));
    if (this.hub.readers !== known + 1) throw new Error("the hub does not count the reader");
    const numbers = (): number[] => [...raw.matchAll(/\{"n":(\d+)/g)].map((match) => Number(match[1]));
    return { socket, raw: () => raw, numbers };
  }

  /** The client ends the connection, and the hub has noticed. */
  async leave(client: Socket, how: "in order" | "by a reset" = "in order"): Promise<void> {
    const known = this.hub.readers;
    if (how === "in order") client.destroy();
    else client.resetAndDestroy();
    await until(() => this.hub.readers === known - 1);
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const until = async (condition: () => boolean): Promise<void> => {
  await eventually(
    () => Promise.resolve(condition()),
    (met) => met,
    () => String(condition),
  );
};

let harness: World;
const make = async (buffer: number): Promise<World> => {
  harness = new World(buffer);
  await harness.listen();
  return harness;
};
afterEach(() => harness.close());

test("a message that cannot be shown keeps nobody from the others", async () => {
  const { hub } = await make(10);
  harness.say(666);
  const late = await harness.reader();
  harness.say(1, { later: true });
  harness.say(666, { later: true });
  harness.say(2);
  harness.say(666);
  harness.say(3);
  await until(() => late.numbers().length === 3);
  expect(late.numbers()).toEqual([1, 2, 3]);
  expect(hub.position).toBe(6);
  expect(harness.happened).toEqual([]);
});

test("every live reader gets every message, and the position follows", async () => {
  const { hub } = await make(10);
  const one = await harness.reader();
  const two = await harness.reader();
  for (let n = 1; n <= 5; n += 1) harness.say(n);
  await until(() => one.numbers().length === 5 && two.numbers().length === 5);
  expect(one.numbers()).toEqual([1, 2, 3, 4, 5]);
  expect(hub.position).toBe(5);
  expect(harness.happened).toEqual([]);
});

test("the body is framed for HTTP/1.1 and bare for HTTP/1.0", async () => {
  await make(10);
  const modern = await harness.reader();
  const old = await harness.reader({ http: "1.0" });
  harness.say(1);
  await until(() => modern.numbers().length === 1 && old.numbers().length === 1);
  expect(modern.raw()).toContain("Transfer-Encoding: chunked");
  expect(modern.raw()).toMatch(/\r\n[0-9a-f]+\r\n\{"n":1[^\n]*\n\r\n$/);
  expect(old.raw()).not.toContain("Transfer-Encoding");
  expect(old.raw()).toMatch(/"Extra":null\}\n\{"n":1,"pad":""\}\n$/);
});

test("what a closed stream missed comes first on the next one", async () => {
  await make(10);
  const first = await harness.reader();
  harness.say(1);
  await until(() => first.numbers().length === 1);
  await harness.leave(first.socket);
  expect(harness.hub.position).toBe(1);
  harness.say(2);
  harness.say(3);
  const second = await harness.reader();
  harness.say(4);
  await harness.clock.advance(100);
  await until(() => second.numbers().length === 3);
  expect(second.numbers()).toEqual([2, 3, 4]);
  expect(harness.hub.position).toBe(4);
  expect(harness.happened).toEqual([]);
});

test("a client that takes one message of a backlog and leaves gets the next one the next time", async () => {
  await make(10);
  for (let n = 1; n <= 4; n += 1) harness.say(n);
  for (let n = 1; n <= 3; n += 1) {
    const reader = await harness.reader();
    await until(() => reader.numbers().length === 1);
    await harness.clock.advance(99);
    expect(reader.numbers()).toEqual([n]);
    await harness.leave(reader.socket, n === 2 ? "by a reset" : "in order");
    expect(harness.hub.position).toBe(n);
    // Nothing is left of the pause.
    expect(harness.clock.waiting).toBe(0);
  }
});

test("what comes in the pause after the first message follows the rest of the backlog", async () => {
  await make(10);
  harness.say(1);
  harness.say(2);
  const reader = await harness.reader();
  harness.say(3);
  await harness.clock.advance(100);
  harness.say(4);
  await until(() => reader.numbers().length === 4);
  expect(reader.numbers()).toEqual([1, 2, 3, 4]);
});

test("nothing is lost to the pause when more comes in it than Buffer", async () => {
  await make(3);
  harness.say(1);
  harness.say(2);
  const reader = await harness.reader();
  for (let n = 3; n <= 500; n += 1) harness.say(n);
  await until(() => reader.numbers().length === 500);
  expect(reader.numbers()).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
  expect(harness.happened).toEqual([]);
});

test("what a client had not read when it closed comes again, but for the first message of its backlog", async () => {
  await make(10);
  harness.say(1);
  harness.say(2);
  const first = await harness.reader({ paused: true });
  await harness.clock.advance(100);
  await until(() => harness.hub.position === 2);
  // It closes with unread data: the kernel resets the connection.
  await harness.leave(first.socket, "by a reset");
  expect(harness.happened).toEqual(["back to 1"]);
  const second = await harness.reader();
  await until(() => second.numbers().length === 1);
  expect(second.numbers()).toEqual([2]);
});

test("what was written long before a reset does not come again", async () => {
  await make(10);
  const reader = await harness.reader();
  harness.say(1);
  await harness.clock.advance(2_000);
  harness.say(2);
  await until(() => reader.numbers().length === 2);
  await harness.leave(reader.socket, "by a reset");
  expect(harness.happened).toEqual(["back to 1"]);
});

test("what is written to a client that has just closed in order is not read", async () => {
  await make(10);
  const reader = await harness.reader();
  harness.say(1);
  await until(() => reader.numbers().length === 1);
  await harness.clock.advance(2_000);
  const gone = once(reader.socket, "close");
  reader.socket.destroy();
  await gone;
  // The close has reached our kernel or will in a moment, and nobody has looked.
  harness.say(2);
  await until(() => harness.hub.readers === 0);
  expect(harness.hub.position).toBe(1);
});

test("a new stream starts at most Buffer back, and what fell out is counted", async () => {
  await make(3);
  for (let n = 1; n <= 8; n += 1) harness.say(n);
  const reader = await harness.reader();
  await harness.clock.advance(100);
  await until(() => reader.numbers().length === 3);
  expect(reader.numbers()).toEqual([6, 7, 8]);
  expect(harness.happened).toEqual(["skipped 5"]);
});

test("a backlog whose texts are no longer in memory is read from the log, and what comes meanwhile follows it", async () => {
  await make(100);
  for (let n = 1; n <= 20; n += 1) harness.say(n, { evicted: n <= 15 });
  const reader = await harness.reader();
  harness.say(21);
  await until(() => reader.numbers().length === 1);
  await harness.clock.advance(100);
  await until(() => reader.numbers().length === 21);
  expect(reader.numbers()).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
});

test("a live message that is too large for the memory is read from the log", async () => {
  await make(10);
  const reader = await harness.reader();
  harness.say(1, { evicted: true });
  harness.say(2);
  await until(() => reader.numbers().length === 2);
  expect(reader.numbers()).toEqual([1, 2]);
});

test("a commit of more messages than Buffer reaches live readers whole", async () => {
  await make(10);
  const reader = await harness.reader();
  for (let n = 1; n <= 500; n += 1) harness.say(n, { later: true });
  harness.flush();
  await until(() => reader.numbers().length === 500);
  expect(reader.numbers()).toEqual(Array.from({ length: 500 }, (_, i) => i + 1));
});

test("while the kernel has not taken a message, the position is before it, and another stream gets it too", async () => {
  await make(10);
  const slow = await harness.reader({ paused: true });
  harness.say(1, { size: 15_000_000 });
  expect(harness.hub.position).toBe(0);
  const other = await harness.reader();
  await until(() => other.numbers().length === 1);
  slow.socket.resume();
  await until(() => slow.numbers().length === 1);
  await until(() => harness.hub.position === 1);
});

test("a reader that stalls holds nobody up, is given at most 64 KiB and a chunk, and catches up when it reads again", async () => {
  await make(10_000);
  const slow = await harness.reader({ paused: true });
  const fast = await harness.reader();
  const count = 3000;
  for (let n = 1; n <= count; n += 1) {
    harness.say(n, { size: 2000 });
    if (n % 50 === 0) await until(() => fast.numbers().length === n);
  }
  expect(fast.numbers()).toHaveLength(count);
  expect(slow.numbers().length).toBeLessThan(count);
  slow.socket.resume();
  await until(() => slow.numbers().length === count);
  expect(slow.numbers()).toEqual(fast.numbers());
});

test("a stalled reader is cut when its next message falls out of the buffer; the next one starts where it had taken", async () => {
  await make(200);
  const slow = await harness.reader({ paused: true });
  let said = 0;
  const isCut = (): boolean => harness.happened.some((what) => what.startsWith("cut"));
  while (!isCut() && said < 100_000) harness.say((said += 1), { size: 20_000 });
  await until(() => harness.hub.readers === 0);
  expect(harness.happened).toContain("cut: it lags by more than Buffer");
  const taken = slow.numbers().length;
  expect(harness.hub.position).toBeGreaterThanOrEqual(taken);
  const next = await harness.reader();
  await harness.clock.advance(100);
  await until(() => next.numbers().length === 200);
  expect(next.numbers().at(-1)).toBe(said);
});

test("a reader that takes nothing for a minute is cut; one that takes is not", async () => {
  await make(10_000);
  await harness.reader({ paused: true });
  const fast = await harness.reader();
  for (let n = 1; n <= 2000; n += 1) {
    harness.say(n, { size: 5000 });
    if (n % 20 === 0) await until(() => fast.numbers().length === n);
  }
  harness.hub.sweep();
  await harness.clock.advance(59_000);
  harness.hub.sweep();
  expect(harness.hub.readers).toBe(2);
  await harness.clock.advance(1_000);
  harness.hub.sweep();
  await until(() => harness.hub.readers === 1);
  expect(harness.happened).toContain("cut: it has read nothing for 60 s");
  harness.say(2001);
  await until(() => fast.numbers().length === 2001);
});

test("twenty silent seconds give one space, never a newline", async () => {
  await make(10);
  const reader = await harness.reader();
  const before = reader.raw();
  await harness.clock.advance(19_999);
  harness.hub.sweep();
  await harness.clock.advance(1);
  harness.hub.sweep();
  await until(() => reader.raw() !== before);
  expect(reader.raw().slice(before.length)).toBe("1\r\n \r\n");
});

test("ending gives a proper last chunk", async () => {
  await make(10);
  const reader = await harness.reader();
  harness.hub.end();
  await new Promise((resolve) => reader.socket.once("end", resolve));
  expect(reader.raw().endsWith("0\r\n\r\n")).toBe(true);
  await until(() => harness.hub.readers === 0);
});
