import { expect, test } from "vitest";
import { stop, toldBy, until } from "../../../test/contract/life.ts";
import { addPerson } from "../../../test/servers/discord/people.ts";
import { discordTown, live } from "./town.suite.ts";

test("a message that comes behind its own edit is told, as it is after that", async () => {
  const { alice, channel, ...town } = await discordTown();
  const { host } = await live({ alice, channel, ...town });
  const { hub } = town.server.world;
  const put = hub.put.bind(hub);
  const late: (() => void)[] = [];
  hub.put = (session, event, data) => {
    if (event === "MESSAGE_CREATE") late.push(() => put(session, event, data));
    else put(session, event, data);
  };
  alice.edit(alice.say(channel, "first"), "better");
  hub.put = put;
  for (const one of late) one();
  alice.say(channel, "end");
  await until(host, "Alice: end");
  expect(toldBy(host)).toEqual(["Alice edits: better", "Alice: better", "Alice: end"]);
});

test("a reaction, which nothing tells from a later one, is told once over restarts", async () => {
  const town = await discordTown();
  const { alice, channel } = town;
  const before = await live(town);
  const row = alice.say(channel, "one");
  await until(before.host, "Alice: one");
  alice.react(row, "👍");
  await until(before.host, "Alice +👍");
  await stop(before);
  const { host } = await live(town, before);
  alice.say(channel, "two");
  await until(host, "Alice: two");
  expect(toldBy(host)).toEqual(["Alice: one", "Alice +👍", "Alice: two"]);
});

test("who came while Rialto was away is told", async () => {
  const town = await discordTown();
  const { server, alice, channel, guild } = town;
  const before = await live(town);
  alice.say(channel, "one");
  await until(before.host, "Alice: one");
  await stop(before);
  addPerson(server, guild, "bob");
  alice.say(channel, "two");
  const { host } = await live(town, before);
  await until(host, "Alice: two");
  expect(toldBy(host)).toEqual(["Alice: one", "bob joins", "Alice: two"]);
});
