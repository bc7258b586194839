import { describe, expect, onTestFinished, test } from "vitest";
import { heard, type Life, stop, toldBy, until } from "../../../test/contract/life.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { eventually, within } from "../../../test/support/wait.ts";
import { openGateway } from "./gateway.ts";
import type { Cursor } from "../../contract/ids.ts";
import type { Ended, Session } from "../../contract/session.ts";
import { discordTown, type DiscordTown, live, tryOpen } from "./town.suite.ts";

async function endOf({ ended }: Pick<Session, "ended">): Promise<Ended> {
  return await within(ended, () => "the end of the session");
}

/** What clients have asked the gateway for: to begin, or to go on. */
const logins = ({ server }: DiscordTown): readonly string[] =>
  server.sockets.logins.map((said) => said.split(" ")[0] ?? "");

/** The cursor of a life whose session is to be taken up at that address. */
function elsewhere({ host }: Life, url: string): Cursor {
  const cursor = JSON.parse(host.cursors.at(-1) ?? "{}") as Record<string, unknown>;
  return JSON.stringify({ ...cursor, url }) as Cursor;
}

function wanted({ server, app, guild }: DiscordTown, host: RecordingHost): Parameters<typeof openGateway>[0] {
  const url = `${server.url.replace("http", "ws").replace(/\/api$/u, "")}/gateway`;
  const login = { url, version: "10", token: app.token, intents: (1 << 0) | (1 << 9) | (1 << 15) };
  return { host, ...login, guild: guild.id, portal: "the portal", full: null, signal: new AbortController().signal };
}

const timersNow = (): number => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;

describe("a session of the gateway", () => {
  test("goes on in the next life where the disk is, and nothing is missing or told twice", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    town.alice.say(town.channel, "two");
    const second = await live(town, first);
    town.alice.say(town.channel, "three");
    await heard(second.host, ["Alice: one", "Alice: two", "Alice: three"]);
    expect(toldBy(second.host)).toEqual(["Alice: one", "Alice: two", "Alice: three"]);
    expect(logins(town)).toEqual(["IDENTIFY", "RESUME"]);
    expect(town.server.sockets.logins[1]).toBe("RESUME /gateway/resume");
  });

  test("that is refused begins anew, and the gap is filled", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    town.alice.say(town.channel, "two");
    town.server.world.hub.refuseResume = true;
    const second = await live(town, first);
    town.alice.say(town.channel, "three");
    await heard(second.host, ["Alice: one", "Alice: two", "Alice: three"]);
    expect(toldBy(second.host)).toEqual(["Alice: one", "Alice: two", "Alice: three"]);
    expect(logins(town)).toEqual(["IDENTIFY", "RESUME", "IDENTIFY"]);
  });

  test.each([
    ["asks to connect anew (op 7)", ({ server }: DiscordTown) => server.sockets.askReconnect(), "RESUME"],
    ["may go on (op 9, true)", ({ server }: DiscordTown) => server.sockets.invalidate(true), "RESUME"],
    ["is over (op 9, false)", ({ server }: DiscordTown) => server.sockets.invalidate(false), "RESUME"],
    ["is closed for an unknown reason", ({ server }: DiscordTown) => server.sockets.close(4000), "RESUME"],
    ["is closed by the server's end", ({ server }: DiscordTown) => server.sockets.close(1001), "RESUME"],
    ["is cut", ({ server }: DiscordTown) => server.wire.cut(), "RESUME"],
  ])("that %s ends as lost, and the next loses nothing", async (_, happen, next) => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await first.session.quiesce();
    happen(town);
    expect(await endOf(first.session)).toMatchObject({ cause: "lost" });
    town.alice.say(town.channel, "two");
    const second = await live(town, first);
    await heard(second.host, ["Alice: one", "Alice: two"]);
    expect(toldBy(second.host)).toEqual(["Alice: one", "Alice: two"]);
    expect(logins(town)[1]).toBe(next);
  });

  test.each([
    ["where nothing listens any more", "ws://127.0.0.1:1/gone"],
    ["that is none", "gateway.example"],
  ])("that was to be taken up at an address %s goes on at the gateway's own", async (_, url) => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    const row = town.alice.say(town.channel, "two");
    town.alice.react(row, "👍");
    const { opened, host } = await tryOpen(town, { since: elsewhere(first, url) });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    await opened.session.join({ name: "town", options: {} }, new AbortController().signal);
    await until(host, "Alice +👍");
    expect(town.server.sockets.logins).toEqual(["IDENTIFY /gateway", "RESUME /gateway"]);
  });

  test("that can be taken up nowhere begins anew, and the gap is filled", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    town.alice.say(town.channel, "two");
    town.server.sockets.closesResumes = 4000;
    const second = await live(town, first);
    await until(second.host, "Alice: two");
    expect(logins(town)).toEqual(["IDENTIFY", "RESUME", "RESUME", "IDENTIFY"]);
  });

  test("that the network keeps from us is taken up once it no longer does", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    const { faults } = town.server;
    faults.break({ method: "GET", path: /^\/gateway(?:\/resume)?$/ }, Infinity);
    const { opened } = await tryOpen(town, { since: first.host.cursors.at(-1) ?? null });
    expect(opened).toMatchObject({ ok: false, ended: { cause: "lost" } });
    faults.clear();
    await live(town, first);
    expect(logins(town)).toEqual(["IDENTIFY", "RESUME"]);
  });

  test("that is taken up is no new one, of which there are none left today", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    town.server.world.hub.starts = 0;
    town.alice.say(town.channel, "two");
    const second = await live(town, first);
    await until(second.host, "Alice: two");
    await stop(second);
    town.server.world.hub.forget();
    const { opened } = await tryOpen(town, { since: second.host.cursors.at(-1) ?? null });
    expect(opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "rate_limited" } } });
  });

  test("that greets again and again leaves nothing behind", async () => {
    const faults: unknown[] = [];
    const listener = (error: unknown): void => void faults.push(error);
    process.on("unhandledRejection", listener);
    onTestFinished(() => void process.off("unhandledRejection", listener));
    const town = await discordTown();
    town.server.sockets.heartbeatMs = 200;
    const before = timersNow();
    const { session } = await live(town);
    const hello = JSON.stringify({ op: 10, d: { heartbeat_interval: 20 }, s: null, t: null });
    for (let time = 0; time < 3; time += 1) town.server.sockets.babble(hello);
    const end = session.ended.then(() => Infinity);
    await eventually(
      async () => await Promise.race([end, Promise.resolve(town.server.sockets.beats)]),
      (beats) => beats >= 6,
      () => "heartbeats",
    );
    await session.close(new AbortController().signal);
    await eventually(
      async () => await Promise.resolve(timersNow()),
      (now) => now <= before,
      () => "no timer to be left",
    );
    expect(faults).toEqual([]);
  });

  test("whose events are larger than any is left", async () => {
    const town = await discordTown();
    const { session } = await live(town);
    town.server.sockets.babble(JSON.stringify({ op: 0, t: "X", s: 9, d: { text: "x".repeat(17 << 20) } }));
    expect(await endOf(session)).toMatchObject({
      cause: "lost",
      why: { message: expect.stringMatching(/payload/iu) as string },
    });
  });

  test("whose heartbeats nobody answers ends as lost", async () => {
    const town = await discordTown();
    town.server.sockets.heartbeatMs = 300;
    town.server.sockets.deaf = true;
    const { session } = await live(town);
    expect(await endOf(session)).toMatchObject({ cause: "lost" });
  });

  test("answers a heartbeat that the server wants at once, and stays", async () => {
    const town = await discordTown();
    const life = await live(town);
    town.server.sockets.askHeartbeat();
    town.alice.say(town.channel, "still here");
    await until(life.host, "Alice: still here");
  });

  test.each([
    [4004, "auth", /Reset Token/u],
    [4014, "config", /Message Content Intent at 127\.0\.0\.1:\d+ > /u],
    [4013, "config", /newer Rialto/u],
    [4011, "config", /a bot of its own/u],
  ])("that is closed with %d ends with what a person has to do", async (code, cause, words) => {
    const town = await discordTown();
    const { session } = await live(town);
    town.server.sockets.close(code);
    expect(await endOf(session)).toMatchObject({ cause, why: { message: expect.stringMatching(words) as string } });
  });

  test("that says what is none of its language goes on", async () => {
    const town = await discordTown();
    const life = await live(town);
    const strange = ["", "null", "[]", "{", '{"op":0}', '{"op":0,"t":"READY","s":9,"d":null}', '{"op":10,"d":null}'];
    const more = [
      '{"op":9000}',
      '{"op":0,"t":"MESSAGE_CREATE","s":1,"d":{"id":5}}',
      '{"op":11}',
      '{"op":1,"d":{}}',
      '{"op":0,"t":"X","s":1e300}',
    ];
    for (const text of [...strange, ...more]) town.server.sockets.babble(text);
    town.alice.say(town.channel, "still here");
    await until(life.host, "Alice: still here");
  });

  test("is not resumed from what the disk does not have", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await eventually(
      async () => await Promise.resolve(first.host.pending),
      (pending) => pending === 0,
      () => "the first to be on disk",
    );
    const durable = first.host.cursors.length;
    first.host.hold();
    town.alice.say(town.channel, "two");
    await until(first.host, "Alice: two");
    town.server.wire.cut();
    await endOf(first.session);
    // A kill: what was not on disk never was.
    const host = new RecordingHost();
    const { opened } = await tryOpen(town, { host, since: first.host.cursors[durable - 1] ?? null });
    if (!opened.ok) throw new Error(opened.ended.why.message);
    await opened.session.join({ name: "town", options: {} }, new AbortController().signal);
    await until(host, "Alice: two");
    first.host.release();
  });

  test("is taken up with the first event that was missed, however long the rest takes", async () => {
    const town = await discordTown();
    const first = await live(town);
    town.alice.say(town.channel, "one");
    await until(first.host, "Alice: one");
    await stop(first);
    town.alice.say(town.channel, "two");
    const { hub } = town.server.world;
    const put = hub.put.bind(hub);
    hub.put = (session, event, data) => void (event === "RESUMED" || put(session, event, data));
    const second = await live(town, first);
    await until(second.host, "Alice: two");
    expect(logins(town)).toEqual(["IDENTIFY", "RESUME"]);
  });

  test.each([
    [
      "the server's record comes",
      ({ server, guild, app }: DiscordTown) => server.world.hub.tellGuild(guild, app.user.id),
    ],
    ["Discord has trouble with the server", ({ server, guild }: DiscordTown) => server.world.hub.tellOutage(guild)],
  ])("that is new is ready when %s, and not before: Discord may leave out what is said until then", async (_, tell) => {
    const town = await discordTown();
    const { sockets, world } = town.server;
    const put = world.hub.put.bind(world.hub);
    world.hub.put = (session, event, data) => void (event === "GUILD_CREATE" || put(session, event, data));
    const order: string[] = [];
    const opening = openGateway(wanted(town, new RecordingHost()), null).then((opened) => {
      order.push("open");
      return opened;
    });
    await eventually(
      async () => await Promise.resolve(world.hub.sessions.size),
      (count) => count === 1,
      () => "the login",
    );
    // The answer to this comes when all that was said before has been read.
    const { beats } = sockets;
    sockets.askHeartbeat();
    await eventually(
      async () => await Promise.resolve(sockets.beats),
      (count) => count > beats,
      () => "a heartbeat",
    );
    order.push("told");
    world.hub.put = put;
    tell(town);
    const opened = await within(opening, () => "the gateway");
    if (opened.ok) onTestFinished(() => opened.gateway.end());
    expect([opened.ok, ...order]).toEqual([true, "told", "open"]);
  });

  test("is left and taken up again and again, and stays", async () => {
    const town = await discordTown();
    const { alice, channel } = town;
    const host = new RecordingHost();
    const opened = await openGateway(wanted(town, host), null);
    if (!opened.ok) throw new Error(opened.ended.why.message);
    const { gateway } = opened;
    onTestFinished(() => gateway.end());
    const types: string[] = [];
    gateway.listen(({ type }) => types.push(type));
    for (let time = 0; time < 3; time += 1) {
      gateway.pause();
      void gateway.resume();
    }
    await until(host, () => types.includes("RESUMED"));
    alice.say(channel, "still here");
    await until(host, () => types.includes("MESSAGE_CREATE"));
    expect(await Promise.race([gateway.ended, Promise.resolve("goes on")])).toBe("goes on");
  });

  test("is left while the disk takes nothing, and taken up again", async () => {
    const town = await discordTown();
    const life = await live(town);
    life.host.hold();
    for (let count = 0; count < 2_400; count += 1) town.alice.say(town.channel, `line ${count}`);
    await eventually(
      async () => await Promise.resolve(town.server.sockets.count),
      (count) => count === 0,
      () => "the socket to be closed",
    );
    expect(life.host.pendingMost).toBeLessThanOrEqual(2_500);
    life.host.release();
    await until(life.host, "Alice: line 2399");
    expect(toldBy(life.host)).toEqual(Array.from({ length: 2_400 }, (_, count) => `Alice: line ${count}`));
    expect(logins(town)).toEqual(["IDENTIFY", "RESUME"]);
  });
});
