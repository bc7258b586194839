import { describe, expect, test } from "vitest";
import { heard, stop, toldBy, until } from "../../../test/contract/life.ts";
import { MessageType } from "discord-api-types/v10";
import { addEmoji, addPerson, giveRole } from "../../../test/servers/discord/people.ts";
import type { Posted } from "../../contract/events.ts";
import { discordTown, live, tryOpen } from "./town.suite.ts";

const never = new AbortController().signal;

describe("what people do", () => {
  test("is told once and in order, whatever it is", async () => {
    const town = await discordTown();
    const { alice, channel, guild, server } = town;
    const { host } = await live(town);
    giveRole(server, guild, alice.user, ["ManageMessages"]);
    const parrot = addEmoji(server, guild, "parrot");

    const first = alice.say(channel, "first");
    alice.edit(first, "first, better");
    alice.unfurl(first, { title: "a page", url: "https://example.org/" });
    alice.react(first, parrot);
    alice.react(first, "👍");
    alice.unreact(first, "👍");
    const second = alice.reply(first, "second");
    alice.say(channel, "_waves_");
    alice.sendSticker(channel, "hello");
    const poll = alice.sendPoll(channel, "Tea?", ["Yes", "No"]);
    alice.endPoll(poll, [3, 1]);
    alice.sendVoice(channel, 5);
    alice.forward(first, channel);
    alice.pin(second);
    alice.eraseMany(channel, [alice.say(channel, "oops"), alice.say(channel, "oops")]);
    alice.say(channel, "last");

    await until(host, "Alice: last");
    expect(toldBy(host)).toEqual([
      "Alice: first",
      "Alice edits: first, better",
      "Alice +:parrot:",
      "Alice +👍",
      "Alice -👍",
      "Alice: second",
      "Alice: waves",
      "Alice: (sticker: hello)",
      "Alice: Poll: Tea?\n1. Yes\n2. No",
      "Alice: The poll “Tea?” has ended: “Yes” has 3 of 4 votes",
      "Alice: (voice message, 0:05)",
      "Alice: forwarded:\n> first, better",
      "Alice: pinned a message",
      "Alice: oops",
      "Alice: oops",
      "deleted",
      "deleted",
      "Alice: last",
    ]);
    const said = host.posted;
    expect(said[1]).toMatchObject({ messages: [second.id], replyTo: first.id, thread: null });
    expect(said[2]?.body.style).toBe("action");
    expect(said[3]?.body.files).toMatchObject([{ name: "hello.png", ref: null }]);
    expect(said[6]?.body.files).toMatchObject([{ name: "voice-message.ogg", url: null }]);
  });

  test("is told in threads as well, whose first message is named", async () => {
    const town = await discordTown();
    const { alice, channel, server } = town;
    const { host } = await live(town);

    const root = alice.say(channel, "root");
    const thread = alice.startThread(root, "talk");
    const inside = alice.say(thread, "inside");
    alice.reply(inside, "answer");
    const own = server.threads.start({ user: alice.user }, channel, "apart");
    const first = alice.say(own, "its first");
    alice.say(own, "its second");

    await until(host, "Alice: its second");
    expect(toldBy(host)).toEqual([
      "Alice: root",
      "Alice: inside",
      "Alice: answer",
      "Alice: started a thread: apart",
      "Alice: its first",
      "Alice: its second",
    ]);
    const begun = `${own.id}/${first.id}`;
    expect(host.posted.map((post) => post.thread)).toEqual([null, root.id, root.id, null, null, begun]);
    expect(host.posted[2]?.replyTo).toBe(`${thread.id}/${inside.id}`);
  });

  test("is told once when the network tells it twice", async () => {
    const town = await discordTown();
    const { host } = await live(town);
    town.server.world.hub.times = 2;
    const row = town.alice.say(town.channel, "one");
    town.alice.edit(row, "two");
    town.alice.erase(row);
    town.alice.say(town.channel, "three");
    await until(host, "Alice: three");
    expect(host.events.map(({ kind }) => kind)).toEqual(["posted", "edited", "deleted", "posted"]);
  });

  test("keeps people behind one webhook apart, and knows what is ours", async () => {
    const town = await discordTown();
    const { server, channel, app, alice } = town;
    const { host } = await live(town);
    const hook = server.webhooks.make(alice.id, channel, "CI", null);
    const ours = server.webhooks.make(app.user.id, channel, "bridge", null);
    const say = (row: typeof hook, username: string): void => {
      const user = { ...alice.user, id: row.id, username, global_name: null, bot: true };
      server.messages.create({ user, hook: row }, channel, { content: `by ${username}` });
    };
    say(hook, "Build");
    say(hook, "Deploy");
    say(ours, "Bob");
    server.messages.post(app.user.id, channel.id, { content: "by the bot" });
    await until(host, () => host.events.length === 4);
    const told = host.events.flatMap((event) => (event.kind === "posted" ? [event] : []));
    expect(told.map(({ author, echoOf }) => [author.name, author.id, echoOf])).toEqual([
      ["Build", `${hook.id}/Build`, null],
      ["Deploy", `${hook.id}/Deploy`, null],
      ["Bob", `${ours.id}/Bob`, "self"],
      ["rialto", app.user.id, "self"],
    ]);
    // Somebody answers the last of them, by mention.
    for (const row of [ours, hook]) alice.say(channel, `<@${row.id}> thanks`);
    await until(host, `Alice: <@${hook.id}|Deploy> thanks`);
    expect(toldBy(host)).toContain(`Alice: <@${ours.id}|Bob> thanks`);
  });
});

describe("after a gap", () => {
  test("a restart goes on with the gateway: nothing is missing, whatever it was", async () => {
    const town = await discordTown();
    const { alice, channel } = town;
    const before = await live(town);
    const rows = [1, 2, 3].map(() => alice.say(channel, "same"));
    await heard(before.host, ["", "", ""]);
    await stop(before);

    const [, second, third] = rows;
    if (second === undefined || third === undefined) throw new Error("three were said");
    alice.edit(second, "other");
    alice.react(third, "👍");
    alice.erase(third);
    alice.reply(second, "missed");
    const { host } = await live(town, before);
    await until(host, "Alice: missed");
    expect(toldBy(host).slice(3)).toEqual(["Alice edits: other", "Alice +👍", "deleted", "Alice: missed"]);
    const changes = host.events.filter(({ kind }) => kind === "edited" || kind === "deleted");
    expect(changes).toMatchObject([{ message: second.id }, { message: third.id }]);
  });

  test("what is not on disk comes again after a kill", async () => {
    const town = await discordTown();
    const before = await live(town);
    town.alice.say(town.channel, "on disk");
    await until(before.host, () => before.host.cursors.some((cursor) => cursor.includes('"session"')));
    const kept = before.host.cursors.at(-1) ?? null;
    before.host.hold();
    for (const words of ["one", "two", "three"]) town.alice.say(town.channel, words);
    await until(before.host, "Alice: three");
    await before.session.close(never);

    const { host, opened } = await tryOpen(town, { since: kept });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    await opened.session.join({ name: "town", options: {} }, never);
    await until(host, "Alice: three");
    expect(toldBy(host).slice(-3)).toEqual(["Alice: one", "Alice: two", "Alice: three"]);
    before.host.release();
  });

  test("without the gateway's memory the channels are read: posts, edits, deletions, threads", async () => {
    const town = await discordTown();
    const { alice, channel, server } = town;
    const before = await live(town);
    const edited = alice.say(channel, "as it was");
    const erased = alice.say(channel, "decoy");
    alice.say(channel, "decoy");
    const thread = alice.startThread(alice.say(channel, "old root"), "old");
    alice.say(thread, "old inside");
    await until(before.host, "Alice: old inside");
    await stop(before);
    server.world.hub.forget();

    alice.edit(edited, "as it is");
    alice.erase(erased);
    alice.say(thread, "inside, missed");
    const root = alice.say(channel, "new root");
    const begun = alice.startThread(root, "new");
    alice.say(begun, "new inside");
    const archived = alice.startThread(alice.say(channel, "third root"), "third");
    alice.say(archived, "put away");
    alice.archive(archived);
    alice.say(channel, "last");
    const { host } = await live(town, before);
    await until(host, () => toldBy(host).includes("deleted"));
    expect(toldBy(host).slice(5)).toEqual([
      "Alice: inside, missed",
      "Alice: new root",
      "Alice: new inside",
      "Alice: third root",
      "Alice: put away",
      "Alice: last",
      "Alice edits: as it is",
      "deleted",
    ]);
    const isInside = ({ body }: Posted): boolean => body.source.text === "new inside";
    expect(host.posted.find(isInside)?.thread).toBe(root.id);
    expect(host.events.find(({ kind }) => kind === "deleted")).toMatchObject({ message: erased.id });
  });

  test("1300 missed messages come once and in order, before what is said next", async () => {
    const town = await discordTown();
    const { alice, channel, server } = town;
    const before = await live(town);
    alice.say(channel, "before");
    await until(before.host, "Alice: before");
    await stop(before);
    server.world.hub.forget();
    const missed = Array.from({ length: 1300 }, (_, at) => `line ${at}`);
    for (const line of missed) alice.say(channel, line);
    const { host } = await live(town, before);
    alice.say(channel, "live");
    await until(host, "Alice: live");
    expect(toldBy(host)).toEqual(["before", ...missed, "live"].map((words) => `Alice: ${words}`));
  });

  test("a channel that was never read brings nothing of its past", async () => {
    const town = await discordTown();
    town.alice.say(town.channel, "long ago");
    const before = await live(town);
    await stop(before);
    town.server.world.hub.forget();
    town.alice.say(town.channel, "missed");
    const { host } = await live(town, before);
    await until(host, "Alice: missed");
    expect(toldBy(host)).toEqual(["Alice: missed"]);
  });

  test("a channel whose history cannot be read for now delays no other, and gets it later", async () => {
    const town = await discordTown();
    const { alice, channel, server, guild } = town;
    const other = server.world.addChannel(guild, "other");
    const before = await live(town);
    await before.session.join({ name: "other", options: {} }, never);
    alice.say(channel, "seen");
    await until(before.host, "Alice: seen");
    await stop(before);
    server.world.hub.forget();
    alice.say(channel, "missed");
    server.faults.fail({ method: "GET", path: `/channels/${channel.id}/messages` }, 503, 2);
    const { host, session } = await live(town, before);
    await session.join({ name: "other", options: {} }, never);
    alice.say(other, "elsewhere");
    await until(host, "Alice: missed");
    expect(toldBy(host).filter((words) => words !== "Alice: elsewhere")).toEqual(["Alice: seen", "Alice: missed"]);
    expect(toldBy(host)).toContain("Alice: elsewhere");
    expect(host.losses).toEqual([]);
  });

  test("a history that we may not read is said, and the channel goes on", async () => {
    const town = await discordTown();
    const before = await live(town);
    town.alice.say(town.channel, "seen");
    await until(before.host, "Alice: seen");
    await stop(before);
    town.server.world.hub.forget();
    const json = { message: "Missing Access", code: 50_001 };
    town.server.faults.answer(
      { method: "GET", path: `/channels/${town.channel.id}/messages` },
      { status: 403, json },
      9,
    );
    const { host } = await live(town, before);
    town.alice.say(town.channel, "on");
    await until(host, "Alice: on");
    expect(host.doubts.map((why) => why?.message ?? "")).toContainEqual(
      expect.stringMatching(/^the history of #town cannot be read .*is missing$/u),
    );
    expect(host.losses).toEqual([]);
  });
});

test("a look-up that hangs delays its own channel alone, and not for ever", async () => {
  const town = await discordTown();
  const { server, guild, alice, channel } = town;
  const other = server.world.addChannel(guild, "other");
  const bob = addPerson(server, guild, "bob", { global_name: "Bob" });
  const { host, session } = await live(town);
  await session.join({ name: "other", options: {} }, never);
  const row = alice.say(channel, "here");
  // Only the id of who takes a reaction back is told.
  server.faults.hold({ method: "GET", path: `/guilds/${guild.id}/members/` }, 9);
  row.reactions.push({ emoji: { id: null, name: "👍" }, users: [bob.id] });
  bob.unreact(row, "👍");
  alice.say(channel, "behind it");
  alice.say(other, "at once");
  await until(host, "Alice: at once");
  expect(toldBy(host)).not.toContain("Alice: behind it");
  await until(host, "Alice: behind it");
  expect(toldBy(host)).toEqual(["Alice: here", "Alice: at once", "somebody -👍", "Alice: behind it"]);
}, 30_000);

test("people who come, take another name and go are told in each joined room, not in threads", async () => {
  const town = await discordTown();
  const { server, guild } = town;
  guild.systemChannel = town.channel.id;
  const { host } = await live(town);
  const bob = addPerson(server, guild, "bob", { global_name: "Bob" });
  bob.setNick("Robert");
  bob.leave();
  await until(host, "Robert leaves");
  expect(toldBy(host)).toEqual(["Bob joins", "Bob is now known as Robert", "Robert leaves"]);
  expect(host.events[1]).toMatchObject({ change: "rename", newName: "Robert" });
  expect(server.world.history.get(town.channel.id)?.map((id) => server.world.messages.get(id)?.wire.type)).toContain(
    MessageType.UserJoin,
  );
});

test("files are opened by their message, also when their address has expired", async () => {
  const town = await discordTown();
  const { host, session } = await live(town);
  const content = new TextEncoder().encode("a map");
  town.alice.sendFile(
    town.channel,
    { name: "map.txt", mime: "text/plain", content, description: "of the harbour" },
    "see",
  );
  await until(host, "Alice: see");
  const [file] = host.posted[0]?.body.files ?? [];
  expect(file).toMatchObject({ name: "map.txt", comment: "of the harbour", mime: "text/plain", bytes: 5, url: null });
  if (file === undefined || file.ref === null || session.openFile === undefined) throw new Error("it has no ref");
  for (const ms of [0, 2 * 24 * 3_600_000]) {
    town.server.world.clock.pass(ms);
    const opened = await session.openFile(file.ref, never);
    if (!opened.ok) throw new Error(opened.why.message);
    expect(await new Response(opened.stream).text()).toBe("a map");
  }
});
