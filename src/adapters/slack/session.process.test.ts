import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { install } from "../../../test/servers/slack/people.ts";
import { within } from "../../../test/support/wait.ts";
import { open } from "./session.ts";
import { slackSettings } from "./settings.suite.ts";
import { begin, live, slackTown, type SlackTown, toldBy, until } from "./town.suite.ts";

const signal = new AbortController().signal;
const words = (text: RegExp): string => expect.stringMatching(text) as string;

const settingsOf = ({ server, app }: SlackTown) =>
  slackSettings({ ApiURL: server.url, Token: app.token, AppToken: app.appToken });

test("tokens of two apps are refused, and the connection is closed again", async () => {
  const town = await slackTown();
  const other = install(town.server, town.team, "other", [town.channel]);
  const settings = { ...settingsOf(town), AppToken: other.appToken };
  const host = new RecordingHost();
  const opened = await open({ settings, host, since: null, signal });
  expect(opened).toMatchObject({ ok: false, ended: { cause: "config", why: { message: words(/are of two apps/u) } } });
  await until(host, () => town.server.sockets.count(other) === 0);
});

test("without the right to ask which app we are, its greeting says it", async () => {
  const town = await slackTown();
  town.app.scopes.delete("users:read");
  expect((await begin(town)).session.as).toBe("rialto");
});

test("scopes that the app is given later are used, and the advice to add them is taken back", async () => {
  const town = await slackTown();
  const { alice, app, channel } = town;
  for (const scope of ["reactions:write", "chat:write.customize", "files:write"]) app.scopes.delete(scope);
  const life = await begin(town);
  const join = async () => await life.session.join({ name: "town", options: {} }, signal);
  expect(await join()).toMatchObject({ ok: true, without: ["react"] });
  const said = life.host.doubts.filter((one) => one !== null);
  expect(said).toMatchObject([{ message: words(/files:write.*reactions:write/u) }, { code: "unsupported" }]);
  const count = life.host.doubts.length;
  for (const scope of ["reactions:write", "chat:write.customize", "files:write"]) app.scopes.add(scope);
  // Whatever is asked next says it, such as who somebody is.
  alice.say(channel, "hello");
  await until(life.host, () => life.host.losses.length === 1);
  expect(life.host.doubts.slice(count)).toEqual([null, null]);
  expect(await join()).toMatchObject({ ok: true, without: [] });
  await until(life.host, "Alice: hello");
});

test("an account with a webhook alone is up without asking anybody", async () => {
  const town = await slackTown();
  const hook = town.server.world.addHook(town.app, town.channel);
  const settings = slackSettings({ WebhookURL: `${town.server.world.site}${hook.path}` });
  const opened = await open({ settings, host: new RecordingHost(), since: null, signal });
  expect([opened.ok, town.server.requests]).toEqual([true, []]);
  if (opened.ok) await opened.session.close(signal);
});

test("what is told is acknowledged once it is on the disk, and not before", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  const { host } = await live(town);
  host.hold();
  alice.say(channel, "one");
  await until(host, "Alice: one");
  const other = alice.say(channel, "two");
  await until(host, () => server.hub.waiting === 2);
  alice.edit(other, "three");
  await until(host, () => host.pending > 0 && server.hub.waiting === 3);
  expect(server.hub.acknowledged).toEqual([]);
  host.release();
  await until(host, () => server.hub.waiting === 0);
  expect(toldBy(host)).toEqual(["Alice: one", "Alice: two", "Alice edits: three"]);
});

describe("connections that are refreshed while people talk", () => {
  test.each(["warning", "refresh_requested"] as const)("by %s: all is told once", async (reason) => {
    const town = await slackTown();
    const { alice, channel, server, app } = town;
    server.sockets.graceMs = 300;
    const { host } = await live(town);
    const all: string[] = [];
    const talk = setInterval(() => {
      all.push(`Alice: ${all.length}`);
      alice.say(channel, String(all.length - 1));
    }, 5);
    try {
      for (let round = 1; round <= 3; round += 1) {
        const before = all.length;
        server.sockets.disconnect(reason, app);
        await until(host, () => server.sockets.greeted > round && all.length > before + 60);
      }
    } finally {
      clearInterval(talk);
    }
    await until(host, () => toldBy(host).length >= all.length);
    // Two connections at once keep no order between them, but for what comes of both within a moment.
    expect(toldBy(host).toSorted()).toEqual(all.toSorted());
    expect([server.hub.givenUp, server.sockets.strange]).toEqual([[], []]);
  });

  test("with a moment without any: what was said in it is read from the history", async () => {
    const town = await slackTown();
    const { alice, channel, server, app } = town;
    const { host } = await live(town);
    alice.say(channel, "before");
    await until(host, "Alice: before");
    const go = server.faults.hold({ path: "/apps.connections.open" });
    server.sockets.graceMs = 0;
    server.sockets.disconnect("refresh_requested");
    await until(host, () => server.sockets.count(app) === 0);
    server.sockets.graceMs = 60_000;
    alice.say(channel, "meanwhile");
    go();
    await until(host, "Alice: meanwhile");
    alice.say(channel, "after");
    await until(host, "Alice: after");
    expect(toldBy(host)).toEqual(["Alice: before", "Alice: meanwhile", "Alice: after"]);
  });
});

test("while Slack does not want to be asked for a connection for long, the next session asks nothing at all", async () => {
  const town = await slackTown();
  const { server } = town;
  const host = new RecordingHost();
  const attempt = async () => await open({ settings: settingsOf(town), host, since: null, signal });
  server.limit({ path: "/apps.connections.open" }, 600);
  const refused = { ok: false, ended: { cause: "lost", why: { code: "rate_limited" } } };
  expect(await attempt()).toMatchObject(refused);
  const count = server.requests.length;
  expect(await attempt()).toMatchObject(refused);
  expect(server.requests).toHaveLength(count);
});

test("a connection that is to end is used while no other may be asked for, and with it the session ends", async () => {
  const town = await slackTown();
  const { alice, channel, server } = town;
  server.sockets.graceMs = 60_000;
  const { host, session } = await live(town);
  server.limit({ path: "/apps.connections.open" }, 600);
  server.sockets.disconnect("refresh_requested");
  const openings = (): number => server.requests.filter((one) => one.endsWith("/apps.connections.open")).length;
  await until(host, () => openings() === 2);
  alice.say(channel, "still");
  await until(host, "Alice: still");
  server.sockets.terminate();
  const ended = await within(session.ended, () => "the end of the session");
  expect(ended).toMatchObject({ cause: "lost", why: { code: "rate_limited" } });
  expect(openings()).toBe(2);
});

test("Socket Mode that is turned off ends the session, with what to do", async () => {
  const town = await slackTown();
  const { session } = await live(town);
  town.server.sockets.disable(town.app);
  const ended = await within(session.ended, () => "the end of the session");
  expect(ended).toMatchObject({ cause: "config", why: { message: words(/Socket Mode is off/u) } });
});
