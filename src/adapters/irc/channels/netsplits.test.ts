import { expect, test } from "vitest";
import type { Peer } from "../scripted-server.suite.ts";
import { session } from "../scripted-server.suite.ts";
import { isSplit } from "./netsplits.ts";

test.each([
  ["hub.example.net leaf.example.net", true],
  ["*.net *.split", true],
  ["irc.a.b irc.a.b", false],
  ["Quit: hub.example.net leaf.example.net", false],
  ["see you at example.net tomorrow", false],
  ["Ping timeout: 120 seconds", false],
  ["bye bye", false],
  ["", false],
])("the reason %j is a split: %j", (reason, split) => {
  expect(isSplit(reason)).toBe(split);
});

const PEOPLE = ["alice", "bob", "carol", "dave", "erin", "frank", "grace"];

async function enter(peer: Peer, channel: string, people: readonly string[]): Promise<void> {
  peer.send(`:irc.test 353 rialto = ${channel} :rialto ${people.join(" ")}`, "PING x");
  await peer.until(/^PONG/);
}

async function read(peer: Peer): Promise<void> {
  peer.send("PING done");
  await peer.until(/^PONG done/);
}

const SPLIT = "hub.example.net leaf.example.net";

test("people who leave together by a split are one line for each channel, and so is their return", async () => {
  const { peer, clock, host } = await session({ channels: ["#a", "#b"] });
  await enter(peer, "#a", PEOPLE);
  await enter(peer, "#b", ["alice", "bob"]);
  peer.send(...PEOPLE.map((nick) => `:${nick}!u@host QUIT :${SPLIT}`));
  await read(peer);
  expect(host.events).toEqual([]);
  await clock.advance(3000);
  expect(host.events).toMatchObject([
    {
      kind: "member",
      change: "leave",
      channel: "#a",
      key: null,
      text: "netsplit: alice, bob, carol, dave, erin and 2 more left",
    },
    { kind: "member", change: "leave", channel: "#b", text: "netsplit: alice and bob left" },
  ]);
  peer.send(...PEOPLE.slice(0, 3).map((nick) => `:${nick}!u@host JOIN #a`), ":new!u@host JOIN #a");
  await read(peer);
  expect(host.events.slice(2)).toMatchObject([{ change: "join", text: "new joins" }]);
  await clock.advance(3000);
  expect(host.events.slice(3)).toMatchObject([
    { change: "join", channel: "#a", text: "netsplit over: alice, bob and carol are back" },
  ]);
  peer.send(":alice!u@host JOIN #a");
  await read(peer);
  expect(host.events.slice(4)).toMatchObject([{ text: "alice joins" }]);
  expect(clock.waiting).toBeGreaterThan(0);
});

test("batches of the server say it as well, whatever the reason", async () => {
  const { peer, clock, host } = await session({ caps: "batch", channels: ["#a"] });
  await enter(peer, "#a", ["alice", "bob"]);
  peer.send(
    ":irc.test BATCH +s NETSPLIT irc.hub other.host",
    "@batch=s :alice!u@host QUIT :gone",
    ":irc.test BATCH -s",
    ":bob!u@host QUIT :Quit: bye",
  );
  await read(peer);
  expect(host.events).toMatchObject([{ text: "bob quits" }]);
  await clock.advance(3000);
  expect(host.events.slice(1)).toMatchObject([{ text: "netsplit: alice left" }]);
  peer.send(":irc.test BATCH +j netjoin irc.hub other.host", "@batch=j :zoe!u@host JOIN #a", ":irc.test BATCH -j");
  await read(peer);
  await clock.advance(3000);
  expect(host.events.slice(2)).toMatchObject([{ text: "netsplit over: zoe is back" }]);
});

test("a split that continues is told after 15 s, and the rest of it later", async () => {
  const { peer, clock, host } = await session({ channels: ["#a"] });
  await enter(peer, "#a", PEOPLE);
  for (const nick of PEOPLE) {
    peer.send(`:${nick}!u@host QUIT :${SPLIT}`);
    await read(peer);
    await clock.advance(2900);
  }
  expect(host.events).toHaveLength(1);
  await clock.advance(3000);
  expect(host.events).toHaveLength(2);
});

test("who stays away for an hour just joins; what waits is told before the session stops", async () => {
  const { peer, clock, host, session: live } = await session({ channels: ["#a"] });
  await enter(peer, "#a", PEOPLE);
  peer.send(`:alice!u@host QUIT :${SPLIT}`);
  await read(peer);
  for (let minute = 0; minute < 61; minute++) {
    await clock.advance(60_000);
    while (peer.waiting.length > 0) peer.pong(await peer.next());
    await read(peer);
  }
  peer.send(":alice!u@host JOIN #a", `:bob!u@host QUIT :${SPLIT}`);
  await read(peer);
  await live.quiesce();
  expect(host.events.map((event) => ("text" in event ? event.text : ""))).toEqual([
    "netsplit: alice left",
    "alice joins",
    "netsplit: bob left",
  ]);
});
