import { expect, test } from "vitest";
import { addBot, addPerson, enter, Folk } from "../../../test/servers/discord/people.ts";
import type { DiscordTown } from "./town.suite.ts";
import { discordTown, live, toldBy, until } from "./town.suite.ts";

/** Another guild that our bot is in. */
function otherGuild({ server, app }: DiscordTown) {
  const other = server.world.addGuild("Other", server.world.addUser("somebody"));
  addBot(server, other, app);
  return other;
}

test("who comes to another server and leaves it does so there alone", async () => {
  const town = await discordTown();
  const { server, alice, channel } = town;
  const other = otherGuild(town);
  const { host } = await live(town);
  alice.say(channel, "one");
  await until(host, "Alice: one");
  addPerson(server, other, "bob").leave();
  enter(server, other, alice.user);
  alice.say(channel, "two");
  await until(host, "Alice: two");
  expect(toldBy(host)).toEqual(["Alice: one", "Alice: two"]);
});

test("a name on another server is none here", async () => {
  const town = await discordTown();
  const { server, alice, channel } = town;
  const other = otherGuild(town);
  const { host } = await live(town);
  enter(server, other, alice.user);
  const row = alice.say(channel, "one");
  await until(host, "Alice: one");
  new Folk(server, other, alice.user).setNick("Secret");
  alice.react(row, "👍");
  alice.say(channel, "two");
  await until(host, "Alice: two");
  expect(toldBy(host)).toEqual(["Alice: one", "Alice +👍", "Alice: two"]);
});
