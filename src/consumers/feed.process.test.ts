import { expect, test } from "vitest";
import type { FileId } from "../contract/ids.ts";
import { encode } from "../gateway/codec.ts";
import { aFile, aGateway, aMessage } from "../gateway/samples.suite.ts";
import { outageSubject } from "../gateway/outages.ts";
import type { EventFilter } from "./feed.ts";
import { ALL, feedStage, GATEWAYS, readAll, seqsOf } from "./feed-stage.suite.ts";

const X = "net.a/#x";
const Y = "net.b/#y";
const GAMES = "net.a/#g";
const MINE = "api.own/lobby";
const DAY = 24 * 60 * 60 * 1000;

test("one event for one entry, whatever number of gateways; what is said elsewhere is not seen", async () => {
  const stage = await feedStage({
    gateways: [...GATEWAYS, aGateway("second", ["inout net.a #x", "inout api.own api"])],
  });
  const seqs = [await stage.text(X, "a"), await stage.text(GAMES, "b")];
  await stage.text("net.a/#away", "not here");
  const items = await readAll(stage.feed);
  expect(seqsOf(items)).toEqual(seqs);
  expect(items.map(({ event }) => event.gateways)).toEqual([["lobby", "second"], ["games"]]);
  expect(items.map(({ json }): unknown => JSON.parse(json))).toEqual(items.map(({ event }) => event));
});

test("its own words only with `mine`", async () => {
  const { feed, text } = await feedStage();
  const [own, other] = [await text(MINE, "mine"), await text("api.other/games", "theirs")];
  expect(seqsOf(await readAll(feed))).toEqual([other]);
  const both = await readAll(feed, { ...ALL, mine: true });
  expect(seqsOf(both)).toEqual([own, other]);
  expect(both.map(({ event }) => "author" in event && event.author.mine)).toEqual([true, false]);
});

test("filters: gateways, accounts, types", async () => {
  const { feed, text, say } = await feedStage();
  const [x, y, g] = [await text(X, "a"), await text(Y, "b"), await text(GAMES, "c")];
  const join = await say(X, { message: aMessage({ event: "join", text: "ann joins" }) });
  const lost = await say(outageSubject(X), {
    message: aMessage({ account: "rialto.outage", event: "rialto_outage", text: "net.a #x is out of reach" }),
  });
  const pass = async (filter: Partial<typeof ALL>) => seqsOf(await readAll(feed, { ...ALL, ...filter }));
  expect(await pass({})).toEqual([x, y, g, join, lost]);
  expect(await pass({ gateways: ["games"] })).toEqual([g]);
  expect(await pass({ gateways: ["nowhere"] })).toEqual([]);
  expect(await pass({ accounts: ["NET.B"] })).toEqual([y]);
  expect(await pass({ types: ["message.*"] })).toEqual([x, y, g]);
  expect(await pass({ types: ["member.joined", "place.*"] })).toEqual([join, lost]);
});

test("a reader of some gateways is not told the names of others", async () => {
  const { feed, text } = await feedStage({
    gateways: [...GATEWAYS, aGateway("secret", ["inout net.a #x", "inout api.own api"])],
  });
  await text(X, "a");
  const [item] = await readAll(feed, { ...ALL, gateways: ["lobby"] });
  expect(item?.event.gateways).toEqual(["lobby"]);
  expect(item?.json).not.toContain("secret");
  const [again] = await readAll(feed, { ...ALL, gateways: ["lobby"] });
  expect(again).toBe(item);
});

test("the same from the tail and from the disk, and made once for all who read it", async () => {
  const { feed, open, text } = await feedStage({ tailBytes: 0 });
  for (let count = 0; count < 1200; count += 1) await text([X, Y, GAMES, MINE][count % 4] ?? X, `n${count}`);
  const live = await readAll(feed, { ...ALL, mine: true }, { limit: 7 });
  expect(live.map(({ event }) => "message" in event && "text" in event.message && event.message.text)).toEqual(
    Array.from({ length: 1200 }, (_, count) => `n${count}`),
  );
  const disk = open();
  expect(await readAll(disk, { ...ALL, mine: true }, { limit: 100 })).toEqual(live);
  const [one, two] = await Promise.all([1, 2].map(async () => await readAll(disk, ALL, { after: 600 })));
  expect(one?.length).toBe(450);
  for (const [at, item] of (one ?? []).entries()) expect(two?.[at]).toBe(item);
});

test("1000 readers that keep up cost one decoding of each event and no reading of the log", async () => {
  const { feed, text, log } = await feedStage();
  let reads = 0;
  const read = log.read.bind(log);
  log.read = async (query) => {
    reads += 1;
    return await read(query);
  };
  const filters = Array.from({ length: 1000 }, () => ({ ...ALL }));
  const { head } = feed;
  for (let count = 0; count < 10; count += 1) await text(X, `n${count}`);
  const pages = await Promise.all(
    filters.map(async (filter) => await feed.read({ after: head, filter, limit: 100, bytes: 1e6 })),
  );
  for (const { items } of pages) expect(items).toEqual(pages[0]?.items);
  for (const { items } of pages) for (const [at, item] of items.entries()) expect(item).toBe(pages[0]?.items[at]);
  expect(pages[0]?.items.length).toBe(10);
  expect(reads).toBe(0);
});

test("a page ends at its limit or its bytes, but holds one event; a call looks at a bounded part", async () => {
  const { feed, text, open } = await feedStage();
  for (let count = 0; count < 5000; count += 1) void text(Y, "x".repeat(100));
  const last = await text(X, "y");
  for (const one of [feed, open()]) {
    const few = await one.read({ after: 0, filter: ALL, limit: 3, bytes: 1e6 });
    expect([few.items.length, few.next]).toEqual([3, 3]);
    const small = await one.read({ after: 0, filter: ALL, limit: 100, bytes: 10 });
    expect([small.items.length, small.next]).toEqual([1, 1]);
    const rare = { ...ALL, types: ["topic.changed"] };
    const none = await one.read({ after: 0, filter: rare, limit: 1, bytes: 1e6 });
    expect(none.items).toEqual([]);
    expect(none.next).toBeGreaterThan(500);
    expect(none.next).toBeLessThan(last);
  }
});

test("of many readers with a backlog one reads in each turn of the event loop, and readers of what is new do not wait", async () => {
  const { feed, text } = await feedStage();
  for (let count = 0; count < 200; count += 1) void text(X, `n${count}`);
  await text(X, "last");
  let [reads, isOver] = [0, false];
  const turns: number[] = [];
  const watch = (): void => {
    turns.push(reads);
    reads = 0;
    if (!isOver) setImmediate(watch);
  };
  const readers = Array.from({ length: 50 }, async () => {
    await feed.read({ after: 0, filter: ALL, limit: 100, bytes: 1e6 });
    reads += 1;
  });
  watch();
  await feed.read({ after: feed.head - 1, filter: ALL, limit: 100, bytes: 1e6 });
  expect(reads).toBeLessThan(2);
  await Promise.all(readers);
  isOver = true;
  expect(Math.max(...turns)).toBe(1);
});

test("what was said before a bridge joined is never seen, also over a reload", async () => {
  const { feed, text, reload, open } = await feedStage({ gateways: GATEWAYS.slice(0, 1) });
  await text(GAMES, "before");
  const x = await text(X, "a");
  expect(seqsOf(await readAll(feed))).toEqual([x]);
  await reload(GATEWAYS);
  const g = await text(GAMES, "after");
  expect(seqsOf(await readAll(feed))).toEqual([x, g]);
  expect(seqsOf(await readAll(open()))).toEqual([x, g]);
  await reload(GATEWAYS.slice(1));
  expect(seqsOf(await readAll(feed))).toEqual([g]);
  await reload(GATEWAYS);
  const back = await text(X, "back");
  expect(seqsOf(await readAll(feed))).toEqual([g, back]);
});

test("an entry that is none is left out and told of once; what is momentary is left out", async () => {
  const { feed, text, say, log, lines } = await feedStage();
  await log.append({ account: "a", entries: [{ subject: X, key: null, label: "", payload: "[]" }] });
  await say(X, { message: aMessage({ event: "user_typing" }) });
  const good = await text(X, "good");
  expect(seqsOf(await readAll(feed))).toEqual([good]);
  expect(seqsOf(await readAll(feed))).toEqual([good]);
  expect(lines.filter(({ message }) => message.includes("left out")).length).toBe(1);
});

test("what retention took is a gap, counted from where the reader and the account begin", async () => {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const stage = await feedStage({ clock: () => clock.now, retentionDays: 1, tailBytes: 0 });
  for (let count = 0; count < 10; count += 1) await stage.text(X, "old");
  clock.now += 2 * DAY;
  await stage.log.sweep();
  const young = await stage.text(X, "young");
  await stage.log.sweep();
  const feed = stage.open();
  expect(await feed.gap(0)).toEqual({ from: 1, to: 10, count: 10 });
  expect(await feed.gap(4)).toEqual({ from: 5, to: 10, count: 6 });
  expect(await feed.gap(10)).toBeNull();
  expect(seqsOf(await readAll(feed))).toEqual([young]);
  await stage.reload([]);
  await stage.reload(GATEWAYS);
  expect(await stage.open().gap(0)).toBeNull();
});

test("a hole in the numbers is no gap, and does not count in one", async () => {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const stage = await feedStage({ clock: () => clock.now, retentionDays: 1, tailBytes: 0, hole: 8191 });
  const old = await stage.text(X, "old");
  expect(old).toBe(8192);
  const read = async () => await stage.open().read({ after: 0, filter: ALL, limit: 100, bytes: 1_000_000 });
  expect(await stage.open().gap(0)).toBeNull();
  expect(await read()).toMatchObject({ gap: null, items: [{ seq: old }] });
  clock.now += 2 * DAY;
  const young = await stage.text(X, "young");
  await stage.log.sweep();
  expect(await stage.open().gap(0)).toEqual({ from: 1, to: old, count: 1 });
  expect(await read()).toMatchObject({ gap: { from: 1, to: old, count: 1 }, items: [{ seq: young }] });
});

test("a gap is told however much is left behind it, and by each reader that begins before it", async () => {
  const stage = await feedStage({ retentionBytes: 1024 * 1024, tailBytes: 0 });
  // What is left is more than one page.
  for (let count = 0; count < 150; count += 1) await stage.text(X, "x".repeat(20_000));
  await stage.log.sweep();
  const first = await stage.log.first();
  const wanted = { from: 1, to: first - 1, count: first - 1 };
  for (const limit of [1, 1000]) {
    // As after a restart: nothing is in memory.
    const feed = stage.open();
    const page = await feed.read({ after: 0, filter: ALL, limit, bytes: 1_000_000 });
    expect([page.gap, page.items[0]?.seq]).toEqual([wanted, first]);
    const nothing: EventFilter = { ...ALL, types: ["topic.changed"] };
    expect(await feed.read({ after: 0, filter: nothing, limit, bytes: 1 })).toMatchObject({ items: [], gap: wanted });
    expect(await feed.read({ after: first - 1, filter: ALL, limit, bytes: 1 })).toMatchObject({ gap: null });
  }
});

test("a moment before what is left begins with a gap", async () => {
  const clock = { now: Date.parse("2026-01-01T00:00:00Z") };
  const stage = await feedStage({ clock: () => clock.now, retentionDays: 1, tailBytes: 0 });
  for (let hour = 0; hour < 3; hour += 1) {
    await stage.text(X, "old");
    clock.now += 3_600_000;
  }
  clock.now += 2 * DAY;
  await stage.text(X, "young");
  await stage.log.sweep();
  const feed = stage.open();
  const gapFrom = async (ms: number) => (await feed.gap(await feed.since(ms)))?.count ?? 0;
  const began = Date.parse("2026-01-01T00:00:00Z");
  expect(await gapFrom(0)).toBe(3);
  expect(await gapFrom(began + 3_600_000)).toBe(2);
  expect(await gapFrom(clock.now)).toBe(0);
});

test("positions: the last n that pass, a moment, and how many come after", async () => {
  const clock = { now: 1_000_000 };
  const { text, open, feed: live } = await feedStage({ clock: () => clock.now });
  const seqs: number[] = [];
  for (let count = 0; count < 30; count += 1) {
    clock.now += 1000;
    seqs.push(await text(count % 3 === 0 ? Y : X, "t"));
    await text("net.a/#away", "elsewhere");
  }
  const onlyY = { ...ALL, accounts: ["net.b"] };
  for (const feed of [live, open()]) {
    expect(await feed.last(0, ALL)).toBe(feed.head);
    expect(seqsOf(await readAll(feed, ALL, { after: await feed.last(4, ALL) }))).toEqual(seqs.slice(-4));
    expect(await feed.last(4, onlyY)).toBe((seqs[18] ?? 0) - 1);
    expect(seqsOf(await readAll(feed, ALL, { after: await feed.last(1000, ALL) }))).toEqual(seqs);
    const at = await feed.since(1_000_000 + 21 * 1000);
    expect(seqsOf(await readAll(feed, ALL, { after: at }))).toEqual(seqs.slice(20));
    expect(seqsOf(await readAll(feed, ALL, { after: await feed.since(0) }))).toEqual(seqs);
    expect(await readAll(feed, ALL, { after: await feed.since(clock.now + 1) })).toEqual([]);
    expect(await feed.count(0, ALL, 1000)).toBe(30);
    expect(await feed.count(0, ALL, 7)).toBe(7);
    expect(await feed.count(seqs[9] ?? 0, onlyY, 1000)).toBe(6);
  }
});

test("what is far behind is not decoded to be counted by its types", async () => {
  const { log, open } = await feedStage();
  const payload = encode(aMessage({ text: "t" }));
  const entry = { subject: X, key: null, label: "", payload };
  const add = async (count: number) =>
    await log.append({ account: "net.a", entries: Array.from({ length: count }, () => entry) });
  const topics = { ...ALL, types: ["topic.changed"] };
  await add(900);
  expect(await open().count(0, topics, 10_000)).toBe(0);
  await add(600);
  const feed = open();
  expect(await feed.count(0, topics, 10_000)).toBe(1500);
  expect(await feed.count(600, topics, 10_000)).toBe(0);
});

test("commits with something for the account are told, others are not", async () => {
  const { feed, text } = await feedStage();
  let told = 0;
  const end = feed.onCommit(() => (told += 1));
  await text("net.a/#away", "elsewhere");
  expect(told).toBe(0);
  await text(X, "here");
  expect(told).toBe(1);
  end();
  await text(X, "here");
  expect(told).toBe(1);
});

test("links are made anew when they no longer hold for long", async () => {
  const { say, links, open, feed } = await feedStage();
  const item = aFile({ Name: "a.png", Data: "" });
  const id = JSON.stringify({ is: "url", url: "https://a/b" }) as FileId;
  links.until = 5000;
  await say(X, { message: aMessage({ Extra: { file: [item] } }), files: [id] });
  const urlOf = async (from: typeof feed) => {
    const [one] = await readAll(from);
    return one?.event.type === "message.posted" ? one.event.message.files[0] : null;
  };
  const disk = open();
  for (const one of [feed, disk]) expect(await urlOf(one)).toMatchObject({ url: "https://files/5000/a.png" });
  links.until = 9000;
  for (const one of [feed, disk])
    expect(await urlOf(one)).toMatchObject({ url: "https://files/9000/a.png", expires: "1970-01-01T00:00:09.000Z" });
});
