import { expect, test } from "vitest";
import { stop, toldBy, until } from "../../../test/contract/life.ts";
import { addBot, addPerson, enter, Folk } from "../../../test/servers/discord/people.ts";
import { showChannel } from "../../../test/servers/discord/show.ts";
import type { DiscordTown } from "./town.suite.ts";
import { discordTown, live } from "./town.suite.ts";

const never = new AbortController().signal;

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

test("what is said in a private thread of a channel is not for all who read the channel", async () => {
  const town = await discordTown({ rights: ["ManageWebhooks", "ManageThreads"] });
  const { alice, channel, server } = town;
  const before = await live(town);
  const thread = alice.startPrivateThread(channel, "apart");
  alice.say(thread, "a secret");
  alice.say(channel, "open");
  await until(before.host, "Alice: open");
  await stop(before);
  server.world.hub.forget();
  alice.say(thread, "a secret in the gap");
  alice.say(channel, "end");
  const { host } = await live(town, before);
  await until(host, "Alice: end");
  expect(toldBy(host)).toEqual(["Alice: open", "Alice: end"]);
});

test("a private thread that is joined by its id is a room like others", async () => {
  const town = await discordTown({ rights: ["ManageWebhooks", "ManageThreads"] });
  const { alice, channel, server, guild } = town;
  const { host, session } = await live(town);
  const thread = alice.startPrivateThread(channel, "apart");
  expect(await session.join({ name: `ID:${thread.id}`, options: {} }, never)).toMatchObject({ ok: true });
  addPerson(server, guild, "bob");
  alice.say(thread, "inside");
  await until(host, "Alice: inside");
  expect(host.events.map((event) => [event.kind, event.channel])).toEqual([
    ["member", channel.id],
    ["posted", thread.id],
  ]);
});

test("files of a channel that only adults may see are hidden, also in its threads", async () => {
  const town = await discordTown();
  const { alice, channel, server, guild } = town;
  const { host } = await live(town);
  const thread = alice.startThread(alice.say(channel, "root"), "talk");
  server.world.hub.tell("CHANNEL_UPDATE", guild.id, { ...showChannel(server.world, channel), nsfw: true });
  for (const place of [channel, thread])
    alice.sendFile(place, { name: "map.png", mime: "image/png", content: new Uint8Array(5) }, `in ${place.name}`);
  await until(host, "Alice: in talk");
  const hidden = host.posted.flatMap(({ body }) => body.files.map(({ spoiler }) => spoiler));
  expect(hidden).toEqual(["age-restricted channel", "age-restricted channel"]);
});

test("what was missed in a thread that is a room of its own is told there, and not in its channel", async () => {
  const town = await discordTown();
  const { alice, channel, server } = town;
  const before = await live(town);
  const thread = alice.startThread(alice.say(channel, "root"), "talk");
  await before.session.join({ name: `ID:${thread.id}`, options: {} }, never);
  alice.say(thread, "inside");
  await until(before.host, "Alice: inside");
  await stop(before);
  server.world.hub.forget();
  alice.say(thread, "in the gap");
  server.faults.fail({ method: "GET", path: `/channels/${thread.id}/messages` }, 503, 1);
  const { host, session } = await live(town, before);
  const joined = session.join({ name: `ID:${thread.id}`, options: {} }, never);
  await until(host, "Alice: in the gap");
  await joined;
  const told = host.posted.filter(({ body }) => body.source.text === "in the gap");
  expect(told.map((post) => post.channel)).toEqual([thread.id]);
});
