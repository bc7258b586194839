import { MessageFlags } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { type Life, stop, toldBy, until } from "../../../test/contract/life.ts";
import { addPerson, furnish, giveRole } from "../../../test/servers/discord/people.ts";
import type { Session } from "../../contract/session.ts";
import { discordTown, live, tryOpen } from "./town.suite.ts";

const never = new AbortController().signal;

async function enter(session: Session, name: string): Promise<void> {
  const joined = await session.join({ name, options: {} }, never);
  if (!joined.ok) throw new Error(joined.why.message);
}

/** Where messages are, and the first message of their thread. */
const placesOf = ({ host }: Pick<Life, "host">): readonly unknown[] =>
  host.posted.map(({ channel, messages, thread }) => [channel, messages[0], thread]);

test("a forum's posts are its threads, also those of a gap", async () => {
  const town = await discordTown();
  const { server, guild, alice } = town;
  const { forum } = furnish(server, guild);
  const before = await live(town);
  await enter(before.session, "questions");
  const { thread, first } = alice.postInForum(forum, "Where is the dock?", "I cannot find it");
  const answer = alice.say(thread, "behind the mill");
  await until(before.host, "Alice: behind the mill");
  expect(placesOf(before)).toEqual([
    [forum.id, `${thread.id}/${first.id}`, null],
    [forum.id, `${thread.id}/${answer.id}`, `${thread.id}/${first.id}`],
  ]);
  await stop(before);
  server.world.hub.forget();

  const missed = alice.postInForum(forum, "And the bridge?", "missed");
  alice.say(thread, "thanks");
  const { host, session } = await live(town, before);
  await enter(session, "questions");
  await until(host, "Alice: thanks");
  expect(toldBy(host).slice(2)).toEqual(["Alice: missed", "Alice: thanks"]);
  expect(placesOf({ host }).slice(-2)).toMatchObject([
    [forum.id, `${missed.thread.id}/${missed.first.id}`, null],
    [forum.id, expect.anything(), `${thread.id}/${first.id}`],
  ]);
});

test("a thread that is a room of its own has plain messages, and its channel does not have them as well", async () => {
  const town = await discordTown();
  const { channel, alice } = town;
  const thread = alice.startThread(alice.say(channel, "root"), "talk");
  const life = await live(town);
  await enter(life.session, `ID:${thread.id}`);
  const inside = alice.say(thread, "inside");
  const outside = alice.say(channel, "outside");
  await until(life.host, "Alice: outside");
  expect(placesOf(life)).toEqual([
    [thread.id, inside.id, null],
    [channel.id, outside.id, null],
  ]);
});

test("a thread of an earlier life is known by its first message", async () => {
  const town = await discordTown();
  const { server, channel, alice } = town;
  const root = alice.say(channel, "root");
  const begun = alice.startThread(root, "begun");
  const apart = server.threads.start({ user: alice.user }, channel, "apart");
  const first = alice.say(apart, "first");
  const life = await live(town);
  const inside = [alice.say(begun, "one"), alice.say(apart, "two")];
  await until(life.host, "Alice: two");
  expect(placesOf(life)).toEqual([
    [channel.id, `${begun.id}/${inside[0]?.id}`, root.id],
    [channel.id, `${apart.id}/${inside[1]?.id}`, `${apart.id}/${first.id}`],
  ]);
});

test("what a program says later is told then, and once; what one person alone sees is not", async () => {
  const town = await discordTown();
  const { server, channel, alice } = town;
  const { host } = await live(town);
  const user = { user: alice.user };
  const later = server.messages.create(user, channel, { content: "…", more: { flags: MessageFlags.Loading } });
  server.messages.create(user, channel, { content: "secret", more: { flags: MessageFlags.Ephemeral } });
  alice.say(channel, "meanwhile");
  server.messages.change(later, { content: "the answer", flags: 0 }, user);
  server.messages.change(later, { content: "the answer, better" }, user);
  await until(host, "Alice edits: the answer, better");
  expect(toldBy(host)).toEqual(["Alice: meanwhile", "Alice: the answer", "Alice edits: the answer, better"]);
});

test("reactions that a moderator takes away are taken from who gave them", async () => {
  const town = await discordTown();
  const { guild, channel, alice, server } = town;
  giveRole(server, guild, alice.user, ["ManageMessages"]);
  const { host } = await live(town);
  const row = alice.say(channel, "hello");
  for (const emoji of ["👍", "🎉"]) alice.react(row, emoji);
  server.messages.clear(alice.id, channel.id, row.id, { id: null, name: "🎉" });
  alice.clearReactions(row);
  await until(host, "Alice -👍");
  expect(toldBy(host)).toEqual(["Alice: hello", "Alice +👍", "Alice +🎉", "Alice -🎉", "Alice -👍"]);
});

test("a burst comes in order, and a disk that takes nothing for a while loses nothing", async () => {
  const town = await discordTown();
  const { host } = await live(town);
  const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}`);
  host.hold();
  for (const line of lines.slice(0, 1_500)) town.alice.say(town.channel, line);
  await until(host, () => host.posted.length > 500);
  for (const line of lines.slice(1_500)) town.alice.say(town.channel, line);
  host.release();
  await until(host, () => toldBy(host).length >= lines.length);
  expect(toldBy(host)).toEqual(lines.map((line) => `Alice: ${line}`));
});

test("an account without the switch for members hears of joins by the network's greeting", async () => {
  const town = await discordTown();
  const { guild, channel, app, server } = town;
  guild.systemChannel = channel.id;
  app.portal.members = false;
  const { host, opened } = await tryOpen(town);
  if (!opened.ok) throw new Error(opened.ended.why.message);
  await enter(opened.session, "town");
  addPerson(server, guild, "bob", { global_name: "Bob" });
  town.alice.say(channel, "welcome");
  await until(host, "Alice: welcome");
  expect(toldBy(host)).toEqual(["Bob joins", "Alice: welcome"]);
});
