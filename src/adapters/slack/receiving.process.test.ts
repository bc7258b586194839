import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { addEmoji, addPerson, addStranger, hideFile, unfurl } from "../../../test/servers/slack/people.ts";
import type { FileRef } from "../../contract/ids.ts";
import { begin, joinChannel, live, slackTown, stop, toldBy, until } from "./town.suite.ts";

const never = new AbortController().signal;

describe("as it happens", () => {
  test("what people do is told once, in order", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const { host } = await live(town);
    const root = alice.say(channel, "hello");
    await until(host, "Alice: hello");
    alice.edit(root, "hello *there*");
    unfurl(server, root, "A page", "https://example.org/");
    alice.react(root, "thumbsup");
    alice.unreact(root, "thumbsup");
    const reply = alice.say(channel, "an answer", { thread: root });
    alice.say(channel, "for all", { thread: root, broadcast: true });
    alice.act(channel, "waves");
    alice.setTopic(channel, "the topic");
    alice.setPurpose(channel, "the purpose");
    alice.erase(reply);
    alice.erase(root);
    alice.say(channel, "over");
    await until(host, "Alice: over");
    expect(toldBy(host)).toEqual([
      "Alice: hello",
      "Alice edits: hello *there*",
      "Alice +👍",
      "Alice -👍",
      "Alice: an answer",
      "Alice: for all",
      "Alice: waves",
      "Alice changed the topic to: the topic",
      "Alice changed the purpose to: the purpose",
      "deleted",
      "deleted",
      "Alice: over",
    ]);
    const [, answer, , action] = host.posted;
    expect([answer?.thread, answer?.replyTo, action?.body.style]).toEqual([root.wire.ts, root.wire.ts, "action"]);
  });

  test("events that come twice are told once, and are acknowledged", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const { host } = await live(town);
    server.hub.times = 3;
    const row = alice.say(channel, "one");
    alice.react(row, "heart");
    server.hub.times = 1;
    alice.say(channel, "two");
    await until(host, "Alice: two");
    expect(toldBy(host)).toEqual(["Alice: one", "Alice +❤️", "Alice: two"]);
    await until(host, () => server.hub.waiting === 0);
  });

  test.each(["warning", "refresh_requested"] as const)(
    "what Slack sent to no connection that is heard, while it ended one by %s, is read from the history at once",
    async (reason) => {
      const town = await slackTown();
      const { alice, channel, server, app } = town;
      server.sockets.graceMs = 60_000;
      // Nothing else looks at the history: the time of this clock stands still.
      const clock = new FakeClock();
      const { host } = await live(town, { host: new RecordingHost(clock) });
      alice.say(channel, "one");
      await until(host, "Alice: one");
      server.hub.lose = 2;
      const row = alice.say(channel, "two");
      alice.edit(row, "two, better");
      server.sockets.disconnect(reason, app);
      await until(host, "Alice: two, better");
      alice.say(channel, "three");
      await until(host, () => {
        // Two connections at once keep no order, so what comes of them waits for a moment.
        void clock.advance(100);
        return toldBy(host).length === 3;
      });
      expect(toldBy(host)).toEqual(["Alice: one", "Alice: two, better", "Alice: three"]);
    },
  );

  test("who comes, goes, and what they are called", async () => {
    const town = await slackTown();
    const { alice, channel, server, team } = town;
    const { host } = await live(town);
    const bob = addPerson(server, team, "bob", { real_name: "Bob Full" });
    bob.enter(channel);
    bob.say(channel, "hi");
    await until(host, "Bob Full: hi");
    bob.change({ profile: { display_name: "Bobby" } });
    bob.say(channel, "hi again");
    bob.leave(channel);
    bob.enter(channel);
    alice.kick(channel, bob.user);
    alice.say(channel, "over");
    await until(host, "Alice: over");
    expect(toldBy(host)).toEqual([
      "Bob Full joins",
      "Bob Full: hi",
      "Bob Full is now known as Bobby",
      "Bobby: hi again",
      "Bobby leaves",
      "Bobby joins",
      "Bobby leaves",
      "Alice: over",
    ]);
  });

  test("where no messages tell of it, events do", async () => {
    const town = await slackTown();
    const { alice, channel, server, team } = town;
    const first = await live(town);
    const bob = addPerson(server, team, "bob");
    bob.enter(channel);
    alice.say(channel, "one");
    await until(first.host, "Alice: one");
    // The workspace has turned the messages off.
    for (const { wire } of channel.messages.values())
      if (wire.subtype === "channel_join") channel.messages.delete(wire.ts);
    await stop(first);
    const second = await live(town, { before: first });
    server.hub.dropped.add("message");
    bob.leave(channel);
    await until(second.host, "bob leaves");
    server.hub.dropped.clear();
    alice.say(channel, "two");
    await until(second.host, "Alice: two");
    expect(toldBy(second.host)).toEqual(["bob joins", "Alice: one", "bob leaves", "Alice: two"]);
    // The message that was not told is found by the next one.
    await stop(second);
    const third = await live(town, { before: second });
    alice.say(channel, "three");
    await until(third.host, "Alice: three");
    expect(toldBy(third.host).slice(4)).toEqual(["Alice: three"]);
  });

  test("groups of people have their names, asked for once", async () => {
    const town = await slackTown();
    const { alice, channel, server, team } = town;
    team.groups.set("S0CREW", "crew");
    const { host } = await live(town);
    alice.say(channel, "<!subteam^S0CREW> and <!subteam^S0GONE>");
    alice.say(channel, "<!subteam^S0GONE>");
    await until(host, "Alice: @unknown-group");
    expect(toldBy(host)).toEqual(["Alice: @crew and @unknown-group", "Alice: @unknown-group"]);
    expect(server.requests.filter((one) => one.includes("usergroups.list"))).toHaveLength(1);
  });

  test("without the right to it nobody asks for groups, until it is given", async () => {
    const town = await slackTown();
    const { alice, app, channel, server, team } = town;
    app.scopes.delete("usergroups:read");
    const { host } = await live(town);
    alice.say(channel, "<!subteam^S0CREW>");
    await until(host, "Alice: @unknown-group");
    expect(server.requests.some((one) => one.includes("usergroups.list"))).toBe(false);
    team.groups.set("S0CREW", "crew");
    app.scopes.add("usergroups:read");
    // Whatever is asked next says it, such as who somebody is.
    addPerson(server, team, "bob").say(channel, "hello");
    await until(host, "bob: hello");
    alice.say(channel, "<!subteam^S0CREW>");
    await until(host, "Alice: @crew");
  });

  test("files are opened with the token, and those that cannot be are words", async () => {
    const town = await slackTown();
    const { alice, channel, server } = town;
    const { host, session } = await live(town);
    alice.sendFile(channel, { name: "a.txt", content: new TextEncoder().encode("content") }, "look");
    alice.sendExternal(channel, "plan", "https://drive.example.org/plan");
    const hidden = alice.upload({ name: "old.txt", content: new TextEncoder().encode("x") });
    hideFile(hidden);
    alice.say(channel, "old", { files: [hidden] });
    const stranger = addStranger(server, channel, "eve");
    stranger.sendFile(channel, { name: "b.txt", content: new TextEncoder().encode("theirs") });
    await until(host, "eve:  [b.txt]");
    expect(toldBy(host)).toEqual([
      "Alice: look [a.txt]",
      "Alice: (file: <https://drive.example.org/plan|plan>)",
      "Alice: old\n(a file that Slack hides, because the workspace is over the limit of its plan)",
      "eve joins",
      "eve:  [b.txt]",
    ]);
    const ref = host.posted[0]?.body.files[0]?.ref as FileRef;
    const opened = await session.openFile?.(ref, never);
    expect(opened?.ok === true && (await new Response(opened.stream).text())).toBe("content");
  });

  test("custom emoji are their names, or what they are another name for", async () => {
    const town = await slackTown();
    const { alice, channel, server, team } = town;
    addEmoji(server, team, "party", "https://example.org/party.png");
    addEmoji(server, team, "yes", "alias:+1");
    const { host } = await live(town);
    await until(host, () => server.requests.some((one) => one.endsWith("/emoji.list")));
    const row = alice.say(channel, "hello");
    await until(host, "Alice: hello");
    for (const name of ["party", "yes", "+1::skin-tone-3"]) alice.react(row, name);
    await until(host, () => toldBy(host).length === 4);
    expect(toldBy(host)).toEqual(["Alice: hello", "Alice +:party:", "Alice +👍", "Alice +👍🏼"]);
  });

  test("a workspace with many people costs nothing before they speak", async () => {
    const town = await slackTown();
    const { alice, channel, server, team } = town;
    for (let at = 0; at < 20_000; at += 1) addPerson(server, team, `person${at}`);
    const { host } = await live(town);
    alice.say(channel, "hello");
    await until(host, "Alice: hello");
    expect(server.requests.filter((one) => one.includes("/users."))).toEqual([
      "POST /users.conversations",
      "POST /users.info",
    ]);
  });
});

describe("what was missed", () => {
  test("between two lives: what was said, and what became of what was said before", async () => {
    const town = await slackTown();
    const { alice, channel } = town;
    alice.say(channel, "before we came");
    const first = await live(town);
    const [changed, erased, liked, root] = ["one", "two", "three", "root"].map((text) => alice.say(channel, text));
    if (changed === undefined || erased === undefined || liked === undefined || root === undefined) throw new Error();
    await until(first.host, "Alice: root");
    alice.react(liked, "smile");
    await until(first.host, "Alice +😄");
    await stop(first);
    const count = first.host.events.length;
    town.server.world.clock.pass(60_000);
    alice.edit(changed, "one, edited");
    alice.erase(erased);
    alice.react(liked, "heart");
    alice.unreact(liked, "smile");
    const late = alice.say(channel, "four");
    alice.edit(late, "four, edited");
    alice.react(late, "heart");
    alice.erase(alice.say(channel, "five"));
    alice.say(channel, "an answer", { thread: root });
    const second = await live(town, { before: first });
    await until(second.host, () => toldBy(second.host).filter((words) => words === "Alice +❤️").length === 2);
    alice.say(channel, "six");
    await until(second.host, "Alice: six");
    const keys = new Set(second.host.events.slice(0, count).map(({ key }) => key));
    const news = second.host.events.slice(count).filter(({ key }) => key === null || !keys.has(key));
    expect(toldBy({ events: news } as typeof second.host)).toEqual([
      "Alice: four, edited",
      "Alice: an answer",
      "Alice edits: one, edited",
      "Alice +❤️",
      "Alice -😄",
      "deleted",
      "Alice +❤️",
      "Alice: six",
    ]);
    // Nor does a third life tell it again.
    await stop(second);
    const told = toldBy(second.host).length;
    const third = await live(town, { before: second });
    alice.say(channel, "seven");
    await until(third.host, "Alice: seven");
    expect(toldBy(third.host).slice(told)).toEqual(["Alice: seven"]);
  });

  test("an answer in a thread that is far back, in which people have talked lately", async () => {
    const town = await slackTown();
    const { alice, app, channel, server } = town;
    const first = await live(town);
    const root = alice.say(channel, "root");
    alice.say(channel, "an answer", { thread: root });
    server.world.clock.pass(3_600_000);
    for (let at = 1; at <= 250; at += 1) alice.say(channel, String(at));
    server.world.clock.pass(3_600_000);
    alice.say(channel, "later");
    await until(first.host, "Alice: later");
    await stop(first);
    // All of that is read again, and counts as seen.
    const second = await live(town, { before: first });
    alice.say(channel, "again");
    await until(second.host, "Alice: again");
    await stop(second);
    await until(first.host, () => server.sockets.count(app) === 0);
    alice.say(channel, "another answer", { thread: root });
    const third = await live(town, { before: second });
    await until(third.host, "Alice: another answer");
    alice.say(channel, "over");
    await until(third.host, "Alice: over");
    expect(toldBy(third.host).slice(254)).toEqual(["Alice: another answer", "Alice: over"]);
  });

  test("a channel that is joined for the first time brings nothing of its past", async () => {
    const town = await slackTown();
    const { alice, channel } = town;
    alice.say(channel, "past");
    const first = await live(town);
    await stop(first);
    const second = await begin(town, { before: first });
    alice.say(channel, "missed");
    await joinChannel(second);
    await until(second.host, "Alice: missed");
    expect(toldBy(second.host)).toEqual(["Alice: missed"]);
  });
});
