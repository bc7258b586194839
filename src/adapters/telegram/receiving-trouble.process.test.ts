import { expect, test } from "vitest";
import { addPerson } from "../../../test/servers/telegram/people.ts";
import { live, stop, telegramTown, toldBy, until } from "./town.suite.ts";

const PICTURES = { path: "/getUserProfilePhotos" };
const POLLS = { path: "/getUpdates" };

const asked = (requests: readonly string[], method: string): number =>
  requests.filter((one) => one.endsWith(`/${method}`)).length;

test("pictures that never come keep nobody waiting for long, and are not asked for again", async () => {
  const town = await telegramTown();
  const { alice, chat, server } = town;
  const free = server.faults.hold(PICTURES, 10);
  const life = await live(town);
  alice.say(chat, "one");
  alice.say(chat, "two");
  await until(life, town, "Alice: two");
  alice.say(chat, "three");
  await until(life, town, "Alice: three");
  expect(asked(server.requests, "getUserProfilePhotos")).toBeLessThan(2);
  expect(toldBy(life.host, chat)).toEqual(["Alice: one", "Alice: two", "Alice: three"]);
  free();
});

test("while the server wants no questions about pictures, none is asked", async () => {
  const town = await telegramTown();
  const { alice, chat, server } = town;
  server.limit(PICTURES, 3_600);
  const life = await live(town);
  alice.say(chat, "one");
  await until(life, town, "Alice: one");
  const folk = ["Bob", "Eve"].map((name) => addPerson(server, name));
  for (const one of folk) {
    one.enter(chat);
    one.say(chat, "hi");
  }
  await until(life, town, "Eve: hi");
  expect(asked(server.requests, "getUserProfilePhotos")).toBe(1);
});

test("a server in trouble loses and doubles nothing", async () => {
  const town = await telegramTown();
  const { alice, chat, server, bot } = town;
  const life = await live(town);
  const said: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    if (at % 2 === 0) server.faults.fail(POLLS, 502);
    for (let line = 0; line < 60; line += 1) {
      alice.say(chat, `${at}/${line}`);
      said.push(`Alice: ${at}/${line}`);
    }
    await until(life, town, `Alice: ${at}/59`);
  }
  expect(toldBy(life.host, chat)).toEqual(said);
  expect(life.host.events).toHaveLength(said.length);
  await until(life, town, () => server.updates.waiting(bot) === 0);
});

test.each([1_000, 2_000_000_000])(
  "a server of one's own, which counts updates from %i on, is listened to",
  async (from) => {
    const town = await telegramTown();
    const { alice, chat, server, bot } = town;
    const before = await live(town);
    alice.say(chat, "one");
    await until(before, town, "Alice: one");
    await stop(before);
    server.updates.forget(bot);
    server.updates.count(bot, from);
    const life = await live(town, { before });
    for (const words of ["two", "three"]) {
      alice.say(chat, words);
      await until(life, town, `Alice: ${words}`);
    }
    await until(life, town, () => server.updates.waiting(bot) === 0);
    expect(toldBy(life.host, chat)).toEqual(["Alice: one", "Alice: two", "Alice: three"]);
  },
);

test("what many people say at once is told in order, once", async () => {
  const town = await telegramTown();
  const { chat, server, bot } = town;
  const life = await live(town);
  const folk = Array.from({ length: 60 }, (_, at) => addPerson(server, `person${at}`));
  for (const one of folk) one.enter(chat);
  const said: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const one of folk) {
      one.say(chat, `line ${round}`);
      said.push(`${one.user.first_name}: line ${round}`);
    }
  }
  await until(life, town, () => life.host.posted.length >= said.length);
  expect(toldBy(life.host, chat).filter((words) => words.includes(": line"))).toEqual(said);
  expect(life.host.events).toHaveLength(said.length + folk.length);
  await until(life, town, () => server.updates.waiting(bot) === 0);
});

test("what comes in a topic that nobody wants, or in another chat, is confirmed and told to nobody", async () => {
  const town = await telegramTown({ is_forum: true });
  const { alice, chat, server, bot } = town;
  const tea = alice.createTopic(chat, "Tea");
  const life = await live(town);
  const other = server.world.addSupergroup("Other", alice.user);
  alice.add(other, bot);
  alice.promote(other, bot);
  alice.say(other, "elsewhere");
  alice.say(chat, "in Tea", { topic: tea });
  alice.start(bot);
  await until(life, town, () => server.updates.waiting(bot) === 0);
  expect(toldBy(life.host, chat)).toEqual([]);
});

test("what was said before the bot is thrown out is told, also an album that is waited for", async () => {
  const town = await telegramTown();
  const { alice, chat, server } = town;
  const bob = addPerson(server, "Bob");
  bob.enter(chat);
  const life = await live(town);
  const free = server.faults.hold(PICTURES, 10);
  bob.say(chat, "last words");
  const file = (name: string) => ({ kind: "document" as const, file: { name, content: Buffer.from("x") } });
  bob.album(chat, [{ ...file("1.txt"), caption: "look" }, file("2.txt")]);
  alice.kick(chat, town.bot);
  await until(life, town, () => life.host.losses.length > 0);
  await until(life, town, "Bob: look [1.txt] [2.txt]");
  expect(toldBy(life.host, chat)).toEqual(["Bob: last words", "Bob: look [1.txt] [2.txt]"]);
  free();
});
