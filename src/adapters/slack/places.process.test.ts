import { describe, expect, test } from "vitest";
import { addPerson, addStranger } from "../../../test/servers/slack/people.ts";
import { begin, joinChannel, live, slackTown, stop, toldBy, until } from "./town.suite.ts";

const never = new AbortController().signal;

describe("channels", () => {
  test("a public one is entered; a private one waits for an invitation, which is heard", async () => {
    const town = await slackTown();
    const { alice, app, server, team } = town;
    const open = server.world.addChannel(team.id, "open", alice.id);
    const shut = server.world.addChannel(team.id, "shut", alice.id, true);
    const life = await begin(town);
    await joinChannel(life, "#open");
    expect(open.members.has(app.user.id)).toBe(true);
    const refused = await life.session.join({ name: "shut", options: {} }, never);
    expect(refused).toMatchObject({ ok: false, why: { code: "not_found" } });
    expect(JSON.stringify(refused)).toContain("/invite @rialto");
    alice.invite(shut, app.user);
    await until(life.host, () => life.host.losses.length === 1);
    expect(life.host.losses).toMatchObject([{ channel: shut.id, retryInMs: 0 }]);
    await joinChannel(life, "shut");
    alice.say(shut, "welcome");
    await until(life.host, "Alice: welcome");
    await joinChannel(life, `ID:${shut.id}`);
    expect(toldBy(life.host)).toEqual(["Alice: welcome"]);
  });

  test("without the right to enter, it is said who has to do what", async () => {
    const town = await slackTown();
    const { alice, app, server, team } = town;
    server.world.addChannel(team.id, "open", alice.id);
    app.scopes.delete("channels:join");
    const life = await begin(town);
    const refused = await life.session.join({ name: "open", options: {} }, never);
    expect(JSON.stringify(refused)).toContain("the app lacks the scope channels:join: write /invite @rialto there");
  });

  test("an archived one is lost, and joined again when it is back, with what was said until then", async () => {
    const town = await slackTown();
    const { alice, channel } = town;
    const life = await live(town);
    alice.say(channel, "one");
    await until(life.host, "Alice: one");
    alice.archive(channel);
    await until(life.host, () => life.host.losses.length === 1);
    expect(life.host.losses[0]?.why.message).toContain("archived");
    expect(await life.session.join({ name: "town", options: {} }, never)).toMatchObject({ ok: false });
    alice.unarchive(channel);
    alice.say(channel, "two");
    await until(life.host, () => life.host.losses.length === 2);
    await joinChannel(life);
    await until(life.host, "Alice: two");
    alice.say(channel, "three");
    await until(life.host, "Alice: three");
    expect(toldBy(life.host)).toEqual(["Alice: one", "Alice: two", "Alice: three"]);
  });

  test("whoever is removed and invited again misses nothing", async () => {
    const town = await slackTown();
    const { alice, app, channel } = town;
    const life = await live(town);
    alice.say(channel, "one");
    await until(life.host, "Alice: one");
    alice.kick(channel, app.user);
    await until(life.host, () => life.host.losses.length === 1);
    expect(life.host.losses[0]).toMatchObject({ why: { code: "forbidden" }, retryInMs: 60_000 });
    alice.say(channel, "two");
    alice.invite(channel, app.user);
    await joinChannel(life);
    await until(life.host, "Alice: two");
    expect(toldBy(life.host)).toEqual(["Alice: one", "Alice: two"]);
  });

  test("one that has another name goes on, is told so, and is found by that name", async () => {
    const town = await slackTown();
    const { alice, channel } = town;
    const life = await live(town);
    alice.rename(channel, "city");
    alice.say(channel, "hello");
    await until(life.host, "Alice: hello");
    expect(toldBy(life.host)).toEqual(["Alice: renamed the channel from town to city", "Alice: hello"]);
    await stop(life);
    const next = await begin(town, { before: life });
    expect(await next.session.join({ name: "town", options: {} }, never)).toMatchObject({ ok: false });
    await joinChannel(next, "city");
    alice.say(channel, "over");
    await until(next.host, "Alice: over");
  });

  test("one that is left and joined again brings nothing of the time between", async () => {
    const town = await slackTown();
    const { alice, channel } = town;
    const life = await begin(town);
    const ref = await joinChannel(life);
    alice.say(channel, "one");
    await until(life.host, "Alice: one");
    await life.session.leave?.(ref, never);
    alice.say(channel, "two");
    await joinChannel(life);
    alice.say(channel, "three");
    await until(life.host, "Alice: three");
    expect(toldBy(life.host)).toEqual(["Alice: one", "Alice: three"]);
  });
});

describe("people and programs", () => {
  test("strangers have their names; programs the ones that they give themselves", async () => {
    const town = await slackTown();
    const { alice, app, channel, server } = town;
    const { host } = await live(town);
    const eve = addStranger(server, channel, "eve");
    eve.say(channel, `hi <@${alice.id}>`);
    const said = { bot_id: "B0OTHER", subtype: "bot_message", username: "Deploys" };
    server.messages.post(channel, { text: "done", more: said });
    server.messages.post(channel, { text: "mine", more: server.messages.signed(app) });
    alice.say(channel, "over");
    await until(host, "Alice: over");
    expect(toldBy(host)).toEqual(["eve joins", `eve: hi <@${alice.id}|Alice>`, "Deploys: done", "Alice: over"]);
    expect(host.events.filter(({ echoOf }) => echoOf === "self")).toHaveLength(1);
  });

  test("who cannot be looked up now is told by the name in the message, or by the id", async () => {
    const town = await slackTown();
    const { channel, server, team } = town;
    const { host } = await live(town);
    const bob = addPerson(server, team, "bob");
    server.refuse("users.info", "internal_error", 50);
    bob.say(channel, "one");
    const profile = { user_profile: { display_name: "Bobby" } };
    bob.say(channel, "two", { more: profile as object });
    await until(host, () => toldBy(host).length === 2);
    expect(toldBy(host)).toEqual([`${bob.id}: one`, "Bobby: two"]);
  });

  test("what is said waits a moment for a name, once", async () => {
    const town = await slackTown();
    const { channel, server, team } = town;
    const { host } = await live(town);
    const bob = addPerson(server, team, "bob");
    const release = server.faults.hold({ path: "/users.info" });
    const numbers = Array.from({ length: 50 }, (_, at) => String(at));
    for (const text of numbers) bob.say(channel, text);
    await until(host, `${bob.id}: 49`);
    expect(toldBy(host)).toEqual(numbers.map((text) => `${bob.id}: ${text}`));
    release();
    await until(host, () => {
      bob.say(channel, "more");
      return toldBy(host).includes("bob: more");
    });
  });

  test("channels that are mentioned have their names, those of the list, and those that are not in it", async () => {
    const town = await slackTown();
    const { alice, app, channel, server, team } = town;
    const { host } = await live(town);
    const open = Array.from({ length: 20 }, (_, at) => server.world.addChannel(team.id, `open${at}`, alice.id));
    const shut = server.world.addChannel(team.id, "shut", alice.id, true);
    alice.invite(shut, app.user);
    const count = server.requests.length;
    alice.say(channel, [...open, shut].map(({ id }) => `<#${id}>`).join(" "));
    await until(host, `Alice: ${open.map(({ name }) => `#${name}`).join(" ")} #shut`);
    const asked = server.requests.slice(count).filter((one) => one.includes("/conversations."));
    expect(asked).toEqual(["POST /conversations.list", "POST /conversations.info"]);
  });
});
