import { expect, test } from "vitest";
import type { Cursor } from "../../../contract/ids.ts";
import { settled } from "../../../../test/support/fake-clock.ts";
import { HistoryMarks } from "./history-marks.ts";
import type { Peer } from "../scripted-server.suite.ts";
import { session } from "../scripted-server.suite.ts";

const CAPS = "message-tags server-time batch labeled-response echo-message draft/chathistory";
/** Where the clock of the tests stands. */
const NOW = Date.UTC(2026, 0, 1);
const time = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();
const cursor = (at: Readonly<Record<string, number>>, nicks: readonly string[] = ["rialto"]) =>
  JSON.stringify({ at, nicks }) as Cursor;
const SINCE = cursor({ "#a": NOW - 600_000 });

/** Answers the next request with these lines, inside the batch that the server makes of them. */
async function answer(peer: Peer, lines: readonly string[]): Promise<string> {
  const request = await peer.until(/CHATHISTORY/);
  const [label = ""] = /(?<=^@label=)\S+/u.exec(request) ?? [];
  const [channel = ""] = /#\S+/u.exec(request) ?? [];
  peer.send(
    `@label=${label} :irc.test BATCH +h chathistory ${channel}`,
    ...lines.map((line) => line.replace(/^@/u, "@batch=h;")),
    ":irc.test BATCH -h",
  );
  return request;
}

const old = (id: string, secondsAgo: number, text: string, from = ":alice!a@host") =>
  `@msgid=${id};time=${time(secondsAgo)} ${from} PRIVMSG #a :${text}`;

async function read(peer: Peer): Promise<void> {
  peer.send("PING done");
  await peer.until(/^PONG done/);
}

test("what was said while we were away comes once, in order, and before what is said now", async () => {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a"], since: SINCE });
  peer.send(`@msgid=m4;time=${time(0)} :alice!a@host PRIVMSG #a :now`);
  const request = await answer(peer, [
    old("m1", 400, "one"),
    old("m2", 300, "two"),
    `@time=${time(200)} :alice!a@host PRIVMSG #a :without an id`,
    `@msgid=j;time=${time(150)} :bob!b@host JOIN #a`,
    old("m4", 0, "now"),
  ]);
  await answer(peer, [old("m4", 0, "now")]);
  // Ten seconds of overlap: clocks of servers differ, and what comes twice has the same key.
  expect(request).toMatch(/^@label=h1 CHATHISTORY AFTER #a timestamp=2025-12-31T23:49:50.000Z 100$/);
  await read(peer);
  expect(host.posted.map(({ key, atMs }) => [key, atMs])).toEqual([
    ["m1 #a", NOW - 400_000],
    ["m2 #a", NOW - 300_000],
    // With the next page, and when it was said: the log keeps one of each key.
    ["m4 #a", NOW],
    ["m4 #a", NOW],
    ["m4 #a", NOW],
  ]);
  expect(JSON.parse(host.cursors.at(-1) ?? "")).toEqual({ at: { "#a": NOW }, nicks: ["rialto"] });
});

test("page by page, and no more than there is", async () => {
  const isupport = "CHATHISTORY=2";
  const { peer, host } = await session({ caps: CAPS, isupport, channels: ["#a"], since: SINCE });
  await answer(peer, [old("m1", 400, "1"), old("m2", 300, "2")]);
  const second = await answer(peer, [old("m2", 300, "2"), old("m3", 200, "3")]);
  expect(second).toContain(`timestamp=${new Date(NOW - 300_001).toISOString()} 2`);
  await answer(peer, [old("m3", 200, "3")]);
  await read(peer);
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["1", "2", "2", "3", "3"]);
  expect(peer.waiting).toEqual([]);
});

test("a server whose pages do not continue is not asked forever", async () => {
  const { peer } = await session({ caps: CAPS, isupport: "CHATHISTORY=1", channels: ["#a"], since: SINCE });
  for (let page = 0; page < 20; page++) await answer(peer, [old(`m${page}`, 400 - page, "x")]);
  await read(peer);
  expect(peer.waiting).toEqual([]);
});

test("what we have said ourselves is no news, under any name we had", async () => {
  const { peer, host } = await session({
    caps: `${CAPS} draft/relaymsg=/`,
    channels: ["#a"],
    since: cursor({ "#a": NOW - 600_000 }, ["rialto_", "rialto"]),
    settings: { UseRelayMsg: true },
  });
  await answer(peer, [
    old("m1", 400, "ours", ":rialto!~rialto@client.test"),
    old("m2", 390, "ours", ":Rialto_!~rialto@client.test"),
    old("m3", 380, "ours", ":bob/x!r@relay"),
    old("m4", 370, "theirs"),
  ]);
  await read(peer);
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["theirs"]);
});

test("a message of several lines, a reaction and a deletion are there as well", async () => {
  const { peer, host } = await session({
    caps: `${CAPS} draft/multiline=max-bytes=4096`,
    channels: ["#a"],
    since: SINCE,
  });
  const request = await peer.until(/CHATHISTORY/);
  peer.send(
    `@label=${/(?<=^@label=)\S+/u.exec(request)?.[0]} :irc.test BATCH +h chathistory #a`,
    `@batch=h;msgid=m1;time=${time(400)} :alice!a@host BATCH +i draft/multiline #a`,
    "@batch=i :alice!a@host PRIVMSG #a one",
    "@batch=i :alice!a@host PRIVMSG #a two",
    ":irc.test BATCH -i",
    `@batch=h;msgid=m2;time=${time(300)};+draft/reply=m1;+draft/react=x :bob!b@host TAGMSG #a`,
    `@batch=h;msgid=m3;time=${time(200)} :alice!a@host REDACT #a m1`,
    ":irc.test BATCH -h",
  );
  await read(peer);
  expect(host.events).toMatchObject([
    { kind: "posted", messages: ["m1"], body: { source: { text: "one\ntwo" } } },
    { kind: "reacted", message: "m1" },
    { kind: "deleted", message: "m1" },
  ]);
});

test.each([
  ["refused", (peer: Peer) => peer.send(":irc.test FAIL CHATHISTORY INVALID_TARGET AFTER #a :No")],
  ["not known", (peer: Peer) => peer.send(":irc.test 421 rialto CHATHISTORY :Unknown command")],
])("what waits continues when the request is %s", async (_, refuse) => {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a"], since: SINCE });
  peer.send(`@msgid=m4;time=${time(0)} :alice!a@host PRIVMSG #a :now`);
  await peer.until(/CHATHISTORY/);
  refuse(peer);
  await read(peer);
  expect(host.posted.map(({ key }) => key)).toEqual(["m4 #a"]);
});

test("no answer is waited for 15 s; the other channels do not wait for it", async () => {
  const since = cursor({ "#a": NOW - 600_000, "#b": NOW - 600_000 });
  const { peer, clock, host } = await session({ caps: CAPS, channels: ["#a", "#b", "#c"], since });
  peer.send(
    `@msgid=m1;time=${time(0)} :alice!a@host PRIVMSG #a :a`,
    `@msgid=m2;time=${time(0)} :alice!a@host PRIVMSG #b :b`,
    `@msgid=m3;time=${time(0)} :alice!a@host PRIVMSG #c :c`,
  );
  await read(peer);
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["c"]);
  await clock.advance(15_000);
  await settled();
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["c", "a"]);
  const request = await answer(peer, [old("x", 1, "elsewhere")]);
  expect(request).toContain("AFTER #b ");
  await answer(peer, []);
  await read(peer);
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["c", "a", "b"]);
});

test("a channel that was never heard has no history, but is remembered from now on", async () => {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a"] });
  await read(peer);
  expect(peer.waiting).toEqual([]);
  expect(JSON.parse(host.cursors.at(-1) ?? "")).toEqual({ at: { "#a": NOW }, nicks: ["rialto"] });
});

test("without the capability nothing is asked for or remembered, and what is played back is no news", async () => {
  const { peer, host } = await session({ caps: "message-tags server-time batch", channels: ["#a"], since: SINCE });
  peer.send(
    ":irc.test BATCH +h chathistory #a",
    old("m1", 400, "old").replace(/^@/u, "@batch=h;"),
    ":irc.test BATCH -h",
  );
  await read(peer);
  expect([peer.waiting, host.events, host.cursors]).toEqual([[], [], []]);
});

test("marks: the newest of each channel, at most 500; what cannot be read is as good as none", () => {
  const marks = new HistoryMarks(null);
  for (let at = 0; at < 600; at++) marks.move(`#${at}`, at);
  marks.move("#599", 1);
  const read = JSON.parse(marks.takeCursor() ?? "") as { readonly at: Readonly<Record<string, number>> };
  expect([Object.keys(read.at).length, read.at["#599"], read.at["#99"]]).toEqual([500, 599, undefined]);
  expect(marks.takeCursor()).toBeNull();
  for (const broken of ["", "null", "[]", '{"at":1,"nicks":2}', '{"at":{"#a":"x"}}']) {
    expect(new HistoryMarks(broken as Cursor).at("#a")).toBeNull();
  }
});

test("a page that is shorter than it might be is not the last one, and joins take their place in it", async () => {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a"], since: SINCE });
  await answer(peer, [old("m1", 400, "1"), `@msgid=j;time=${time(350)} :bob!b@host QUIT :bye`]);
  const second = await answer(peer, [`@msgid=k;time=${time(300)} :bob!b@host JOIN #a`]);
  expect(second).toContain(`timestamp=${new Date(NOW - 350_001).toISOString()} 100`);
  await answer(peer, [`@msgid=k;time=${time(300)} :bob!b@host JOIN #a`, old("m2", 200, "2")]);
  await answer(peer, [old("m2", 200, "2")]);
  await read(peer);
  expect(host.posted.map(({ body }) => body.source.text)).toEqual(["1", "2", "2"]);
  expect(peer.waiting).toEqual([]);
});

test("a server that never answers does not hold up one channel after the other", async () => {
  const channels = ["#a", "#b", "#c", "#d"];
  const since = cursor(Object.fromEntries(channels.map((channel) => [channel, NOW - 600_000])));
  const { peer, clock, host, session: live } = await session({ caps: CAPS, channels, since });
  peer.send(...channels.map((channel, at) => `@msgid=m${at};time=${time(0)} :alice!a@host PRIVMSG ${channel} :x`));
  await read(peer);
  await clock.advance(15_000);
  await clock.advance(15_000);
  await settled();
  expect(new Set(host.posted.map(({ channel }) => String(channel)))).toEqual(new Set(channels));
  const again = live.join({ name: "#e", options: {} }, new AbortController().signal);
  await peer.enter("#e");
  await again;
  peer.send("PING after");
  expect((await peer.until(/CHATHISTORY|^PONG after/)).includes("#e")).toBe(false);
});

test("a time that is far ahead does not hide what is said before it", async () => {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a"] });
  peer.send(`@msgid=m1;time=${time(-86_400)} :alice!a@host PRIVMSG #a :tomorrow`);
  await read(peer);
  expect(JSON.parse(host.cursors.at(-1) ?? "")).toMatchObject({ at: { "#a": NOW + 300_000 } });
});

test("what waits is bounded: too much of it ends the asking, and the log says so", async () => {
  const { peer, host } = await session({ caps: CAPS, channels: ["#a"], since: SINCE });
  await peer.until(/CHATHISTORY/);
  peer.send(
    ...Array.from({ length: 1000 }, (_, at) => `@msgid=n${at};time=${time(0)} :alice!a@host PRIVMSG #a :${at}`),
  );
  await read(peer);
  expect(host.posted.map(({ body }) => Number(body.source.text))).toEqual(Array.from({ length: 1000 }, (_, at) => at));
  expect(host.records.filter(({ level }) => level === "warn")).toMatchObject([{ fields: { channel: "#a" } }]);
});
