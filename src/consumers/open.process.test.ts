import { expect, onTestFinished, test } from "vitest";
import { FakeClock, settled } from "../../test/support/fake-clock.ts";
import type { Access } from "../access/access.ts";
import { LogError } from "../log/errors.ts";
import type { Mark } from "../log/log.ts";
import { type Consumer, ConsumerError, type Consumers, type ConsumerSpec, type Pulled } from "./consumers.ts";
import { feedStage, OWN, seqsOf } from "./feed-stage.suite.ts";
import type { Feed } from "./feed.ts";
import { CONSUMERS_STEM } from "./marks.ts";
import { openConsumers } from "./open.ts";
import { specOf } from "./spec.ts";

const access = (...gateways: readonly string[]): Access => ({
  account: OWN,
  scopes: new Set(["read"]),
  gateways: gateways.length === 0 ? null : new Set(gateways),
  by: "configuration",
  token: null,
  name: "",
  ended: new AbortController().signal,
});
const ALL = access();
const QUOTA = { of: "consumers", setting: "ConsumersPerToken" } as const;
const never = new AbortController().signal;
const DAY_MS = 86_400_000;

function spec(changes: Partial<ConsumerSpec> = {}): ConsumerSpec {
  const read = specOf({});
  if ("flaws" in read) throw new Error("the defaults are wrong");
  return { ...read.spec, backoffMs: [], ...changes };
}

async function stage({ count = 5000, ...options }: Parameters<typeof feedStage>[0] & { readonly count?: number } = {}) {
  const feeds = await feedStage(options);
  const clock = new FakeClock();
  const disk = { refuses: false, writes: 0 };
  const log = {
    marks: async (prefix: string) => await feeds.log.marks(prefix),
    unmark: async (names: readonly string[]) => {
      if (disk.refuses) throw new LogError("disk_full", "no");
      await feeds.log.unmark(names);
    },
    mark: async (marks: readonly Mark[], how?: { readonly rides: boolean }) => {
      disk.writes += 1;
      if (disk.refuses) throw new LogError("disk_full", "no");
      await feeds.log.mark(marks, how);
    },
  };
  const open = async (feed: Feed = feeds.feed): Promise<Consumers> => {
    const opened = await openConsumers({
      accountKey: OWN,
      stem: CONSUMERS_STEM,
      quota: { ...QUOTA, count },
      feed,
      log,
      clock,
    });
    onTestFinished(async () => await opened.close());
    return opened;
  };
  const consumers = await open();
  const put = async (name: string, changes: Partial<ConsumerSpec> = {}, who = ALL): Promise<Consumer> =>
    (await consumers.put(name, spec(changes), { access: who, ifMatch: null })).consumer;
  return { ...feeds, clock, disk, open, consumers, put };
}

const pull = async (consumer: Consumer, waitMs = 0, max = 100, signal = never): Promise<Pulled> =>
  await consumer.pull({ max, waitMs, bytes: 1024 * 1024, signal });
const seqs = async (consumer: Consumer, waitMs = 0, max = 100) =>
  seqsOf((await pull(consumer, waitMs, max)).events.map(({ item }) => item));
const codeOf = async (asked: Promise<unknown>): Promise<unknown> =>
  await asked.then(
    () => "no refusal",
    (error: unknown) => (error instanceof ConsumerError ? error.code : error),
  );

test("a filter opens no gateway that its maker does not see, neither when it is made nor when it is changed", async () => {
  const { consumers, put } = await stage();
  const filter = { gateways: ["lobby", "den"], types: [], accounts: [], mine: false };
  expect(await codeOf(put("bot", { filter }, access("lobby")))).toBe("forbidden");
  const made = await put("bot", {}, access("lobby"));
  const { etag } = await made.view();
  const changed = consumers.put("bot", spec({ filter }), { access: access("lobby"), ifMatch: etag });
  expect(await codeOf(changed)).toBe("forbidden");
  expect((await made.view()).etag).toBe(etag);
});

test("what is acknowledged is gone after a restart, and all else comes again", async () => {
  const { put, text, open } = await stage();
  const consumer = await put("bot", { ordered: false });
  const said = [await text("net.a/#x", "1"), await text("net.a/#x", "2"), await text("net.a/#x", "3")];
  expect(await seqs(consumer)).toEqual(said);
  expect(await consumer.ack({ ack: [said[1] ?? 0] })).toEqual({ floor: 0, inFlight: 2 });
  const again = await (await open()).get("bot", ALL);
  expect(await seqs(again)).toEqual([said[0], said[2]]);
  expect(await again.ack({ upto: said[2] ?? 0 })).toEqual({ floor: said[2], inFlight: 0 });
  const last = await (await open()).get("bot", ALL);
  expect(await seqs(last)).toEqual([]);
});

test("an ack that the disk refuses is not taken for done when it is repeated", async () => {
  const { put, text, disk, open } = await stage();
  const consumer = await put("bot");
  const seq = await text("net.a/#x", "1");
  await pull(consumer);
  disk.refuses = true;
  await expect(consumer.ack({ ack: [seq] })).rejects.toThrow(LogError);
  await expect(consumer.ack({ ack: [seq] })).rejects.toThrow(LogError);
  disk.refuses = false;
  expect(await consumer.ack({ ack: [seq] })).toEqual({ floor: seq, inFlight: 0 });
  expect(await seqs(await (await open()).get("bot", ALL))).toEqual([]);
});

test("acks at once share their writes", async () => {
  const { put, text, disk } = await stage();
  const consumer = await put("bot");
  const said = await Promise.all(Array.from({ length: 50 }, async (_, index) => await text("net.a/#x", `${index}`)));
  await pull(consumer);
  const { writes } = disk;
  await Promise.all(said.map(async (seq) => await consumer.ack({ ack: [seq] })));
  expect(disk.writes - writes).toBeLessThanOrEqual(2);
});

test("two pulls at once share what there is", async () => {
  const { put, text } = await stage();
  const consumer = await put("bot");
  const said = [await text("net.a/#x", "1"), await text("net.a/#x", "2"), await text("net.a/#x", "3")];
  const both = await Promise.all([seqs(consumer, 0, 2), seqs(consumer, 0, 2)]);
  expect(both).toEqual([said.slice(0, 2), said.slice(2)]);
});

test("a pull waits for an event, for a delivery that is due, for room, or until it is over", async () => {
  const { put, text, clock } = await stage();
  const consumer = await put("bot", { maxInFlight: 1, ackWaitMs: 10_000 });
  let waiting = seqs(consumer, 60_000);
  const one = await text("net.a/#x", "1");
  expect(await waiting).toEqual([one]);
  waiting = seqs(consumer, 60_000);
  await clock.advance(10_000);
  expect(await waiting).toEqual([one]);
  const two = await text("net.a/#x", "2");
  waiting = seqs(consumer, 60_000);
  await settled();
  await consumer.ack({ ack: [one] });
  expect(await waiting).toEqual([two]);
  await consumer.ack({ ack: [two] });
  waiting = seqs(consumer, 600_000);
  await clock.advance(54_999);
  const soon = await Promise.race([waiting, settled().then(() => "waits")]);
  expect(soon).toBe("waits");
  await clock.advance(1);
  expect(await waiting).toEqual([]);
  const end = new AbortController();
  const cut = pull(consumer, 60_000, 100, end.signal);
  end.abort();
  expect((await cut).events).toEqual([]);
});

test("what is for nobody wakes nobody, and many who wait read once", async () => {
  const stand = await stage();
  let reads = 0;
  const feed: Feed = new Proxy(stand.feed, {
    get: (target, key): unknown => {
      if (key === "read") reads += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const consumers = await stand.open(feed);
  const filter = { gateways: ["games"], types: [], accounts: [], mine: false };
  const all = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const made = await consumers.put(`c${index}`, spec({ filter }), { access: ALL, ifMatch: null });
      return made.consumer;
    }),
  );
  const end = new AbortController();
  const waiting = all.map(async (consumer) => await pull(consumer, 50_000, 100, end.signal));
  await settled();
  reads = 0;
  await stand.text("net.a/#x", "not for them");
  await settled();
  expect(reads).toBe(1);
  const seq = await stand.text("net.a/#g", "for them");
  const pulled = await Promise.all(waiting);
  expect(new Set(pulled.map(({ events }) => events[0]?.item.seq))).toEqual(new Set([seq]));
  end.abort();
});

test("one that never acknowledges holds nobody else up", async () => {
  const { put, text } = await stage();
  const [stuck, other] = [await put("stuck", { maxInFlight: 1 }), await put("other")];
  for (let count = 0; count < 10; count++) await text("net.a/#x", "x");
  expect(await seqs(stuck)).toHaveLength(1);
  expect(await seqs(stuck)).toHaveLength(0);
  expect(await seqs(other)).toHaveLength(10);
  expect(await stuck.view()).toMatchObject({ pending: 9, inFlight: 1, redelivered: 0, dead: 0 });
});

test("an idle one ends, and whoever comes back is told; a deleted one never was", async () => {
  const { put, consumers, clock, open } = await stage();
  await put("idle", { idleMs: DAY_MS });
  await put("of-lobby", { idleMs: DAY_MS }, access("lobby"));
  const busy = await put("busy", { idleMs: DAY_MS });
  await clock.advance(DAY_MS - 1);
  await busy.pull({ max: 1, waitMs: 0, bytes: 1, signal: never });
  await clock.advance(1);
  expect(await codeOf(consumers.get("idle", ALL))).toBe("consumer_gone");
  expect(await codeOf(consumers.get("idle", access("lobby")))).toBe("not_found");
  expect((await consumers.get("busy", ALL)).name).toBe("busy");
  expect((await consumers.list(ALL)).map(({ name }) => name)).toEqual(["busy"]);
  const reopened = await open();
  expect(await codeOf(reopened.get("idle", ALL))).toBe("consumer_gone");
  expect(await codeOf(reopened.get("of-lobby", access("lobby")))).toBe("consumer_gone");
  expect(await codeOf(reopened.get("of-lobby", access("games")))).toBe("not_found");
  await reopened.put("idle", spec(), { access: ALL, ifMatch: null });
  expect(await reopened.remove("idle", ALL)).toBe(true);
  expect(await codeOf(reopened.get("idle", ALL))).toBe("not_found");
  expect(await codeOf((await open()).get("idle", ALL))).toBe("not_found");
});

test("the time in which the program did not run leaves an hour", async () => {
  const { put, clock, open } = await stage();
  await put("bot", { idleMs: DAY_MS });
  await clock.advance(30 * DAY_MS);
  const reopened = await open();
  await clock.advance(3_599_999);
  expect(await codeOf(reopened.get("bot", ALL))).toBe("no refusal");
  await clock.advance(1);
  expect(await codeOf(reopened.get("bot", ALL))).toBe("consumer_gone");
});

test("a calendar that is set ahead ends no consumer, and neither does one that was wrong at the start", async () => {
  const { put, consumers, clock, open } = await stage();
  await put("bot", { idleMs: 30 * DAY_MS });
  clock.jump(40 * DAY_MS);
  expect(await codeOf(consumers.get("bot", ALL))).toBe("no refusal");
  const reopened = await open();
  clock.jump(-40 * DAY_MS);
  await clock.advance(DAY_MS);
  expect(await codeOf(reopened.get("bot", ALL))).toBe("no refusal");
  await clock.advance(30 * DAY_MS);
  expect(await codeOf(reopened.get("bot", ALL))).toBe("consumer_gone");
});

test("a token of some gateways makes consumers of those, and sees no others", async () => {
  const { put, consumers, text } = await stage();
  const lobby = access("lobby");
  const own = await put("own", {}, lobby);
  await put("whole");
  await put("games", { filter: { ...spec().filter, gateways: ["games"] } });
  const seq = await text("net.a/#x", "1");
  await text("net.a/#g", "2");
  expect(await seqs(own)).toEqual([seq]);
  expect((await consumers.list(lobby)).map(({ name }) => name)).toEqual(["own"]);
  expect((await consumers.list(ALL)).map(({ name }) => name)).toEqual(["games", "own", "whole"]);
  expect(await codeOf(consumers.get("whole", lobby))).toBe("not_found");
  expect(await consumers.remove("games", lobby)).toBe(false);
  expect(await codeOf(consumers.put("whole", spec(), { access: lobby, ifMatch: null }))).toBe("not_found");
});

test("a token has as many consumers as its quota allows, whatever others have, also after a restart", async () => {
  const { consumers, open } = await stage({ count: 5 });
  const one: Access = { ...ALL, by: "token", token: "aaaaaaaa" };
  const other: Access = { ...ALL, by: "token", token: "bbbbbbbb" };
  const make = async (name: string, who: Access, among = consumers): Promise<unknown> =>
    await among.put(name, spec(), { access: who, ifMatch: null });
  for (const name of ["a", "b", "c", "d", "e"]) await make(name, one);
  const refusal = { code: "unprocessable", message: expect.stringContaining("ConsumersPerToken") as unknown };
  await expect(make("f", one)).rejects.toMatchObject(refusal);
  for (const who of [other, ALL]) await make(`of ${who.token}`, who);
  await consumers.close();
  const again = await open();
  await expect(make("f", one, again)).rejects.toMatchObject(refusal);
  for (const who of [other, ALL]) await make(`more of ${who.token}`, who, again);
  await again.remove("a", one);
  await make("f", one, again);
});

test("those who wait for one that is deleted are told", async () => {
  const { put, consumers } = await stage();
  const waiting = codeOf(pull(await put("bot"), 50_000));
  await settled();
  await consumers.remove("bot", ALL);
  expect(await waiting).toBe("not_found");
});

test("one that the disk refuses to forget can be deleted once more", async () => {
  const { consumers, disk, open, put } = await stage();
  await put("bot");
  disk.refuses = true;
  await expect(consumers.remove("bot", ALL)).rejects.toThrow(LogError);
  disk.refuses = false;
  expect(await consumers.remove("bot", ALL)).toBe(true);
  expect(await codeOf(consumers.get("bot", ALL))).toBe("not_found");
  expect(await (await open()).list(ALL)).toEqual([]);
});

test.each<[string, ConsumerSpec["start"], readonly number[]]>([
  ["new", "new", []],
  ["all", "all", [0, 1, 2, 3]],
  ["the last two that pass", { last: 2 }, [1, 3]],
  ["none of the last", { last: 0 }, []],
])("it begins with %s", async (_, start, wanted) => {
  const { put, text } = await stage();
  const said: number[] = [];
  for (const room of ["#x", "#x", "#g", "#x"]) said.push(await text(`net.a/${room}`, "x"));
  const isLast = typeof start === "object" && "last" in start;
  const filter = { ...spec().filter, gateways: isLast ? ["lobby"] : [] };
  expect(await seqs(await put("bot", { start, filter }))).toEqual(wanted.map((index) => said[index]));
});

test("a seek hands out again what was acknowledged", async () => {
  const { put, text } = await stage();
  const consumer = await put("bot");
  const said = [await text("net.a/#x", "1"), await text("net.a/#x", "2")];
  await pull(consumer);
  await consumer.ack({ upto: said[1] ?? 0 });
  expect(await consumer.seek({ after: said[0] ?? 0 })).toMatchObject({ floor: said[0], pending: 1 });
  expect(await seqs(consumer)).toEqual(said.slice(1));
  expect(await codeOf(consumer.seek({ after: 10_000 }))).toBe("position_unknown");
});

test("a seek that the disk refuses moves nothing", async () => {
  const { put, text, disk } = await stage();
  const bot = await put("bot");
  const said = [await text("net.a/#x", "1"), await text("net.a/#x", "2")];
  disk.refuses = true;
  await expect(bot.seek("new")).rejects.toThrow(LogError);
  expect(await seqs(bot)).toEqual(said);
});
