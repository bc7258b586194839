import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { eventually, within } from "../../../test/support/wait.ts";
import type { Ended, Session } from "../../contract/session.ts";
import { discordTown, type DiscordTown, heard, live, stop, toldBy, tryOpen, until } from "./town.suite.ts";

async function endOf({ ended }: Pick<Session, "ended">): Promise<Ended> {
  return await within(ended, () => "the end of the session");
}

/** What clients have asked the gateway for: to begin, or to go on. */
const logins = ({ server }: DiscordTown): readonly string[] =>
  server.sockets.logins.map((said) => said.split(" ")[0] ?? "");

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
    [4014, "config", /Message Content Intent at discord\.com\/developers/u],
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
