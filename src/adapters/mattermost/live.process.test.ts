import { describe, expect, test } from "vitest";
import { heard, stop, toldBy, until } from "../../../test/contract/life.ts";
import { deleteOf, doOp, postOf } from "../../../test/contract/ops.ts";
import { addPerson } from "../../../test/servers/mattermost/people.ts";
import { within } from "../../../test/support/wait.ts";
import type { FileRef, MessageRef } from "../../contract/ids.ts";
import { live, mattermostTown, tryOpen } from "./town.suite.ts";

const signal = new AbortController().signal;

describe("as it happens", () => {
  test("what people do is told once, in order", async () => {
    const town = await mattermostTown();
    const { alice, channel } = town;
    const { host } = await live(town);
    const post = await alice.say(channel, "hello");
    alice.edit(post.id, "hello there");
    alice.pin(post.id);
    alice.react(post.id, "thumbsup");
    alice.unreact(post.id, "thumbsup");
    await alice.reply(post, "an answer");
    alice.setHeader(channel, "the topic");
    // The answer goes with it, of which nobody is told.
    alice.erase(post.id);
    const words = [
      "Alice: hello",
      "Alice edits: hello there",
      "Alice +👍",
      "Alice -👍",
      "Alice: an answer",
      "Alice changed the topic to: the topic",
      "deleted",
      "deleted",
    ];
    await heard(host, words);
    expect(toldBy(host)).toEqual(words);
  });

  test("the answers to a post that we take back go with it, and nobody else took them back", async () => {
    const town = await mattermostTown();
    const { alice, bot, channel, server } = town;
    const life = await live(town);
    const [first, second] = [await bot.say(channel, "of IRC"), await bot.say(channel, "of IRC, too")];
    const [one, two] = [await alice.reply(first, "one"), await alice.reply(second, "two")];
    await heard(life.host, ["", ""]);
    const gone = (id: string) => () =>
      life.host.events.some(({ kind, ...event }) => kind === "deleted" && "message" in event && event.message === id);
    await doOp(life, deleteOf(life.ref, [first.id as MessageRef]));
    await until(life.host, gone(one.id));
    await stop(life);
    // The stop came before the answer of the server.
    server.world.hub.forget();
    bot.erase(second.id);
    const next = await live(town, life);
    await until(next.host, gone(two.id));
    expect(toldBy(next.host)).toEqual(["Alice: one", "Alice: two"]);
  });

  test("events that come twice are told once, and those left out are read from the history", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const { host } = await live(town);
    server.world.hub.times = 2;
    await alice.say(channel, "twice");
    server.world.hub.times = 1;
    await heard(host, ["Alice: twice"]);
    await alice.say(channel, "once");
    await heard(host, ["", ""]);
    expect(toldBy(host)).toEqual(["Alice: twice", "Alice: once"]);
  });

  test("who comes, goes, and what they are called", async () => {
    const town = await mattermostTown();
    const { alice, channel, server, team } = town;
    const { host } = await live(town);
    const bob = addPerson(server, team, "bob");
    alice.add(channel, bob);
    await bob.say(channel, "hi");
    await until(host, "bob: hi");
    bob.change({ nickname: "Bobby" });
    await bob.say(channel, "hi again");
    bob.leave(channel);
    const words = ["bob joins", "bob: hi", "bob is now known as Bobby", "Bobby: hi again", "Bobby leaves"];
    await heard(host, words);
    expect(toldBy(host)).toEqual(words);
  });

  test("files and pictures of people are opened with the token", async () => {
    const town = await mattermostTown();
    const { alice, channel } = town;
    const { host, session } = await live(town);
    await alice.sendFile(channel, "a.txt", new TextEncoder().encode("content"), "look");
    await heard(host, ["Alice: look"]);
    const [event] = host.posted;
    const file = event?.body.files[0];
    expect(file).toMatchObject({ name: "a.txt", bytes: 7, url: null });
    const opened = await session.openFile?.(file?.ref as FileRef, signal);
    expect(opened?.ok === true && (await new Response(opened.stream).text())).toBe("content");
    const picture = await session.openFile?.(event?.author.avatar?.ref as FileRef, signal);
    expect(picture?.ok === true && (await new Response(picture.stream).text())).toBe("PNG of alice");
  });
});

describe("what was missed", () => {
  test("between two lives: posts, and what was done to posts of before, on the right ones", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    const [changed, erased, liked] = [
      await alice.say(channel, "one"),
      await alice.say(channel, "two"),
      await alice.say(channel, "three"),
    ];
    await heard(first.host, ["", "", ""]);
    await stop(first);
    server.world.hub.forget();
    const before = first.host.events.length;
    alice.edit(changed.id, "one, edited");
    alice.erase(erased.id);
    alice.react(liked.id, "heart");
    const late = await alice.say(channel, "four");
    alice.edit(late.id, "four, edited");
    const gone = await alice.say(channel, "five");
    alice.erase(gone.id);
    const second = await live(town, first);
    await heard(
      second.host,
      Array.from({ length: 8 }, () => ""),
    );
    await alice.say(channel, "six");
    await until(second.host, "Alice: six");
    const keys = new Set(second.host.events.slice(0, before).map(({ key }) => key));
    const news = second.host.events.slice(before).filter(({ key }) => !keys.has(key));
    expect(news.map((event) => [event.kind, "message" in event ? event.message : null])).toEqual([
      ["posted", null],
      ["edited", changed.id],
      ["deleted", erased.id],
      ["reacted", liked.id],
      ["deleted", gone.id],
      ["posted", null],
    ]);
    expect(toldBy(second.host)).toContain("Alice: four, edited");
    expect(toldBy(second.host)).not.toContain("Alice edits: four, edited");
    // Nor does a third life tell it again as an edit.
    await stop(second);
    server.world.hub.forget();
    const third = await live(town, second);
    await alice.say(channel, "seven");
    await until(third.host, "Alice: seven");
    expect(toldBy(third.host)).not.toContain("Alice edits: four, edited");
  });

  test("what the edition of the server hides is named once, and the rest comes", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    server.world.hub.forget();
    server.world.clock.pass(1);
    const hidden = await alice.say(channel, "two");
    server.world.clock.pass(1);
    await alice.say(channel, "three");
    server.posts.shelf.hiddenMs = hidden.create_at;
    const second = await live(town, first);
    await until(second.host, "Alice: three");
    expect(toldBy(second.host)).not.toContain("Alice: two");
    const moment = new Date(hidden.create_at).toISOString();
    const named = `the edition of the server hides older posts (in town up to ${moment})`;
    const reports = (): readonly unknown[] => second.host.doubts.filter((why) => why?.message.startsWith(named));
    expect(reports()).toHaveLength(1);
    await doOp(second, postOf(second.ref, "hi"));
    expect(reports()).toHaveLength(1);
  });

  test("a cut connection is taken up where it was, without asking for histories", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "before");
    await heard(first.host, ["Alice: before"]);
    await first.session.quiesce();
    server.wire.cut();
    expect(await within(first.session.ended, () => "the end of the session")).toMatchObject({ cause: "lost" });
    await alice.say(channel, "meanwhile");
    server.requests.length = 0;
    const second = await live(town, first);
    await until(second.host, "Alice: meanwhile");
    await alice.say(channel, "after");
    await until(second.host, "Alice: after");
    expect(toldBy(second.host)).toEqual(["Alice: before", "Alice: meanwhile", "Alice: after"]);
    expect(server.requests.filter((request) => request.endsWith("/posts"))).toEqual([]);
  });

  test("a stream that cannot be taken up is a gap", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "before");
    await heard(first.host, ["Alice: before"]);
    await stop(first);
    server.world.hub.refuseResume = true;
    await alice.say(channel, "meanwhile");
    const second = await live(town, first);
    await until(second.host, "Alice: meanwhile");
    expect(toldBy(second.host)).toEqual(["Alice: before", "Alice: meanwhile"]);
  });

  test("more than one answer holds comes all the same, in order", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "0");
    await heard(first.host, ["Alice: 0"]);
    await stop(first);
    server.world.hub.forget();
    const words = Array.from({ length: 2300 }, (_, index) => `Alice: ${index}`);
    for (const word of words.slice(1)) await alice.say(channel, word.replace("Alice: ", ""));
    const second = await live(town, first);
    await heard(second.host, words);
    expect(toldBy(second.host)).toEqual(words);
  });

  test("while a history is read, others go on, and what comes there waits; none of it twice", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "before");
    await heard(first.host, ["Alice: before"]);
    await stop(first);
    server.world.hub.forget();
    await alice.say(channel, "missed");
    const go = server.faults.hold({ method: "GET", path: /^\/channels\/\w+\/posts/u });
    const second = await live(town, first);
    const root = await alice.say(channel, "root");
    await alice.reply(root, "reply");
    alice.erase(root.id);
    alice.edit(first.host.posted[0]?.messages[0] ?? "", "before, edited");
    alice.edit(first.host.posted[0]?.messages[0] ?? "", "before, edited twice");
    await alice.say(channel, "last");
    go();
    await until(second.host, "Alice edits: before, edited twice");
    const told = toldBy(second.host);
    // What came and went meanwhile was never there.
    expect(told.filter((words) => words !== "deleted")).toEqual([
      "Alice: before",
      "Alice: missed",
      "Alice: last",
      "Alice edits: before, edited twice",
    ]);
  });

  test("a history that cannot be read now loses the channel, which is joined again", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "before");
    await heard(first.host, ["Alice: before"]);
    await stop(first);
    server.world.hub.forget();
    await alice.say(channel, "missed");
    server.faults.fail({ method: "GET", path: /^\/channels\/\w+\/posts/u }, 502);
    const second = await live(town, first);
    await until(second.host, () => second.host.losses.length > 0);
    expect(second.host.losses[0]?.why.message).toMatch(/history cannot be read/u);
    await alice.say(channel, "later");
    await second.session.join({ name: "town", options: {} }, signal);
    await until(second.host, "Alice: later");
    expect(toldBy(second.host)).toEqual(["Alice: before", "Alice: missed", "Alice: later"]);
  });

  test.each([
    ["cannot be told now: the channel is joined again", 503, "Alice: missed"],
    ["will not be told: the posts come without", 403, "somebody: missed"],
  ])("whose posts were missed %s", async (_, status, words) => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    const first = await live(town);
    await alice.say(channel, "before");
    await heard(first.host, ["Alice: before"]);
    await stop(first);
    server.world.hub.forget();
    await alice.say(channel, "missed");
    server.faults.fail({ method: "POST", path: "/users/ids" }, status);
    const second = await live(town, first);
    if (status === 503) {
      await until(second.host, () => second.host.losses.length > 0);
      await second.session.join({ name: "town", options: {} }, signal);
    }
    await until(second.host, words);
    expect(toldBy(second.host)).toEqual(["Alice: before", words]);
  });

  test("a token that is revoked ends the session, and the next try says why", async () => {
    const town = await mattermostTown();
    const { session } = await live(town);
    town.server.world.tokens.delete(town.token);
    town.server.world.hub.revoke(town.token);
    expect(await within(session.ended, () => "the end")).toMatchObject({ cause: "lost" });
    const { opened } = await tryOpen(town);
    expect(opened).toMatchObject({ ok: false, ended: { cause: "auth" } });
  });

  test("a channel that was never read brings nothing of its past", async () => {
    const town = await mattermostTown();
    const { alice, channel, server } = town;
    await alice.say(channel, "long ago");
    const first = await live(town);
    await alice.say(channel, "now");
    await heard(first.host, ["Alice: now"]);
    await stop(first);
    server.world.hub.forget();
    await alice.say(channel, "meanwhile");
    const second = await live(town, first);
    await until(second.host, "Alice: meanwhile");
    expect(toldBy(second.host)).toEqual(["Alice: now", "Alice: meanwhile"]);
  });

  test("while the core takes nothing, the socket is not read, and then all comes", async () => {
    const town = await mattermostTown();
    const { alice, channel } = town;
    const { host } = await live(town);
    await alice.say(channel, "known");
    await until(host, "Alice: known");
    host.hold();
    const words = Array.from({ length: 3000 }, (_, index) => `Alice: ${index}`);
    for (const word of words) await alice.say(channel, word.replace("Alice: ", ""));
    await until(host, () => host.pending >= 1000);
    host.release();
    await heard(host, ["Alice: known", ...words]);
    expect(toldBy(host).slice(1)).toEqual(words);
    expect(host.pendingMost).toBeLessThan(2500);
  });
});

describe("channels", () => {
  test("take what the server says that it takes", async () => {
    const town = await mattermostTown({ config: { maxFileSize: 5_000, maxPostSize: 300 } });
    const { session } = await live(town);
    expect(await session.join({ name: "town", options: {} }, signal)).toMatchObject({
      ok: true,
      limits: { textMax: 300, fileBytesMax: 5_000 },
    });
  });

  test("an archived one is lost, and joined again when it is back", async () => {
    const town = await mattermostTown();
    const { alice, channel } = town;
    const { host, session } = await live(town);
    alice.archive(channel);
    await until(host, () => host.losses.length > 0);
    expect(host.losses[0]?.why.message).toMatch(/archived/u);
    const again = await session.join({ name: "town", options: {} }, signal);
    expect(again).toMatchObject({ ok: false, why: { message: expect.stringMatching(/archived/u) as string } });
    alice.restore(channel);
    await until(host, () => host.losses.length > 1);
    expect(host.losses[1]).toMatchObject({ retryInMs: 0 });
    expect(await session.join({ name: `ID:${channel.id}`, options: {} }, signal)).toMatchObject({ ok: true });
    await alice.say(channel, "back");
    await until(host, "Alice: back");
  });

  test("thrown out is lost; a public one is joined, a private one needs somebody", async () => {
    const town = await mattermostTown();
    const { alice, bot, channel, server, team } = town;
    const { host, session } = await live(town);
    alice.kick(channel, bot.id);
    await until(host, () => host.losses.length > 0);
    expect(host.losses[0]?.why.code).toBe("forbidden");
    expect(await session.join({ name: "town", options: {} }, signal)).toMatchObject({ ok: true });
    const secret = server.world.addChannel(team.id, "secret", { type: "P" });
    alice.enter(secret);
    const refused = await session.join({ name: "secret", options: {} }, signal);
    expect(refused).toMatchObject({ ok: false, why: { message: expect.stringMatching(/add @rialto/u) as string } });
    alice.add(secret, bot);
    await until(host, () => host.losses.some((loss) => loss.channel === secret.id));
    expect(await session.join({ name: "secret", options: {} }, signal)).toMatchObject({ ok: true });
    const missing = await session.join({ name: "nowhere", options: {} }, signal);
    expect(missing).toMatchObject({
      ok: false,
      why: { message: expect.stringMatching(/no channel "nowhere"/u) as string },
    });
  });
});
