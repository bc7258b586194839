import { expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { Config } from "../config/config.ts";
import type { Member } from "../contract/session.ts";
import type { UserRef } from "../contract/ids.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { LinkedPeople } from "./linked-people.ts";

const member = (name: string): Member => ({ id: name as UserRef, name, bot: false, present: true });

interface Network {
  /** By channel; null: the network does not list them. */
  readonly members?: Readonly<Record<string, readonly string[] | null>>;
  readonly count?: number;
  readonly as?: string;
  readonly ignores?: string;
  /** How long an answer takes. */
  readonly takesMs?: number;
}

/** What `web.a lobby` is linked with, and how often each network was asked. */
function linkedIn(config: Config, networks: Readonly<Record<string, Network>>) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const part = (key: string) => {
    const network = networks[key];
    if (network === undefined) return undefined;
    const { members = {}, count = null, as = "rialto", ignores = "", takesMs = 0 } = network;
    return {
      ignores: (name: string) => name === ignores,
      supervisor: {
        members: async (channel: string) => {
          asked.push(key);
          await clock.advance(takesMs);
          return members[channel]?.map(member) ?? null;
        },
        count: () => Promise.resolve(count),
        downOf: (channel: string) => (channel in members ? null : undefined),
        session: { as },
      },
    };
  };
  const options = { clock, config: () => config, routes: compileRoutes(config), adapters: new Map(), part };
  const people = new LinkedPeople(options);
  return { clock, asked, people, read: async () => await people.of("web.a").read("lobby") };
}

const SHARED = ["inout web.a lobby", "inout net.b #b", "inout net.c #c", "inout api.d api"];

test("people of all channels of the gateways of a channel are listed, each channel once and never its own", async () => {
  const gateways = [aGateway("one", SHARED), aGateway("two", ["inout web.a lobby", "inout net.b #b"])];
  const it = linkedIn(aConfig([...gateways, aGateway("other", ["inout net.e #e"])]), {
    "net.b": { members: { "#b": ["ann", "bob"] } },
    "net.c": { members: { "#c": [] } },
    "net.e": { members: { "#e": ["eve"] } },
    "web.a": { members: { lobby: ["gus"] } },
  });
  const { channels, people } = await it.read();
  expect(channels.map(({ account, members, count }) => [account, members?.map(({ name }) => name), count])).toEqual([
    ["net.b", ["ann", "bob"], 2],
    ["net.c", [], 0],
  ]);
  expect(people).toEqual(["ann", "bob", "rialto", "rialto"]);
});

test("a network without a list has a count, and one that runs on another machine or is down has neither", async () => {
  const lines = ["inout web.a lobby", "inout net.b #b", "inout net.c #c", "inout net.d #d"];
  const it = linkedIn(aConfig([aGateway("one", lines)]), {
    "net.b": { members: { "#b": null }, count: 12 },
    "net.d": {},
  });
  const { channels } = await it.read();
  expect(channels.map(({ members, count, isJoined }) => [members, count, isJoined])).toEqual([
    [null, 12, true],
    [null, null, true],
    [null, null, false],
  ]);
});

test("a person whom the settings keep back is not listed, and a guest cannot take the name", async () => {
  const accounts = [anAccount("net.c", { noSendJoinPart: true })];
  const it = linkedIn(aConfig([aGateway("one", SHARED)], accounts), {
    "net.b": { members: { "#b": ["ann", "spy"] }, ignores: "spy" },
    "net.c": { members: { "#c": ["cyd", "dan"] } },
  });
  const { channels, people } = await it.read();
  expect(channels.map(({ members, count }) => [members?.map(({ name }) => name) ?? null, count])).toEqual([
    [["ann"], 1],
    [null, 2],
  ]);
  expect(people).toEqual(expect.arrayContaining(["ann", "spy", "cyd", "dan"]));
});

test("a channel that only hears the other one is not listed, and its names are taken", async () => {
  const it = linkedIn(aConfig([aGateway("one", ["inout web.a lobby", "out net.b #b", "in net.c #c"])]), {
    "net.b": { members: { "#b": ["ann"] } },
    "net.c": { members: { "#c": ["cyd"] } },
  });
  const { channels, people } = await it.read();
  expect(channels.map(({ account }) => account)).toEqual(["net.c"]);
  expect(people).toEqual(["ann", "rialto", "cyd", "rialto"]);
});

test("labels are what gateways, accounts, networks and Rialto are called", async () => {
  const it = linkedIn(aConfig([aGateway("one", SHARED)], [anAccount("net.b", { label: "Base" })]), {});
  const labels = ["one", "web.a", "a", "web", "net.b", "b", "net", "Base", "api.d", "d", "api", "operator", "Rialto"];
  expect((await it.read()).labels).toEqual(expect.arrayContaining(labels));
});

test("a network whose list takes long is asked less often than the others", async () => {
  const it = linkedIn(aConfig([aGateway("one", SHARED)]), {
    "net.b": { members: { "#b": ["ann"] } },
    "net.c": { members: { "#c": ["cyd"] }, takesMs: 100 },
  });
  await it.read();
  await it.clock.advance(1_000);
  await it.read();
  await it.clock.advance(1_000);
  expect((await it.read()).channels).toHaveLength(2);
  expect(it.asked.filter((key) => key === "net.b")).toHaveLength(3);
  expect(it.asked.filter((key) => key === "net.c")).toHaveLength(2);
});

test("who watches a channel hears of moves in those that it hears, until the watch ends", async () => {
  const it = linkedIn(aConfig([aGateway("one", ["inout web.a lobby", "out net.b #b", "in net.c #c"])]), {});
  let moves = 0;
  let name: string | null = null;
  const end = it.people.of("web.a").watch(
    () => name,
    () => (moves += 1),
  );
  it.people.of("net.c").moved("#c");
  expect(moves).toBe(0);
  name = "lobby";
  it.people.of("net.c").moved("#c");
  it.people.of("net.c").moved("#other");
  it.people.of("net.b").moved("#b");
  expect(moves).toBe(1);
  end();
  it.people.of("net.c").moved("#c");
  expect(moves).toBe(1);
  await Promise.resolve();
});
