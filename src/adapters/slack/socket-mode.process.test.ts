import { describe, expect, test } from "vitest";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { within } from "../../../test/support/wait.ts";
import type { Ended } from "../../contract/session.ts";
import { type Listening, listening, slackGate, type SlackGate, told, tryEvents, until } from "./gate.suite.ts";

async function endOf({ events }: Listening): Promise<Ended> {
  return await within(events.ended, () => "the end of the connections");
}

const words = (text: RegExp): string => expect.stringMatching(text) as string;

const acknowledged = async ({ server }: SlackGate, count: number): Promise<void> =>
  await until(
    () => server.hub.acknowledged.length >= count,
    () => `${count} acknowledgements; had ${server.hub.acknowledged.length}`,
  );

const openings = ({ server }: SlackGate): number =>
  server.requests.filter((one) => one === "POST /apps.connections.open").length;

describe("what happens", () => {
  test("is told in its order, and acknowledged once it is durable", async () => {
    const gate = await slackGate();
    const life = await listening(gate, { acks: false });
    for (const text of ["one", "two", "three"]) gate.alice.say(gate.channel, text);
    await told(life, "three");
    expect(life.told).toEqual(["one", "two", "three"]);
    expect(life.heard[0]).toMatchObject({ type: "message", team: gate.team.id, external: false });
    expect([gate.server.hub.acknowledged, gate.server.hub.waiting]).toEqual([[], 3]);
    life.heard[1]?.done();
    await acknowledged(gate, 1);
    expect(gate.server.hub.acknowledged).toEqual([life.heard[1]?.id]);
    life.heard[0]?.done();
    life.heard[2]?.done();
    await acknowledged(gate, 3);
    expect(gate.server.sockets.strange).toEqual([]);
  });

  test("is told once however often it comes, and each of its envelopes is acknowledged", async () => {
    const gate = await slackGate();
    gate.server.hub.ackMs = 200;
    gate.server.hub.retryMs = [0, 300, 300];
    const life = await listening(gate, { acks: false });
    gate.alice.say(gate.channel, "slowly");
    await told(life, "slowly");
    await until(
      () => gate.server.hub.waiting === 0,
      () => "the server to give up",
    );
    gate.server.hub.times = 3;
    gate.server.hub.ackMs = 60_000;
    gate.alice.say(gate.channel, "often");
    await told(life, "often");
    await until(
      () => gate.server.hub.waiting === 3,
      () => "three envelopes",
    );
    for (const event of life.heard) event.done();
    await acknowledged(gate, 3);
    expect(life.told).toEqual(["slowly", "often"]);
    expect(gate.server.hub.acknowledged).toEqual(Array.from({ length: 3 }, () => life.heard[1]?.id));
  });

  test("is not read while reading pauses", async () => {
    const gate = await slackGate();
    const life = await listening(gate);
    gate.alice.say(gate.channel, "one");
    await told(life, "one");
    life.events.pause(true);
    gate.alice.say(gate.channel, "two");
    await until(
      () => gate.server.hub.waiting === 1,
      () => "an envelope on its way",
    );
    expect(life.told).toEqual(["one"]);
    life.events.pause(false);
    await told(life, "two");
  });
});

describe("a connection that is to end", () => {
  test.each(["warning", "refresh_requested"] as const)(
    "by %s is followed by the next before it does",
    async (reason) => {
      const gate = await slackGate();
      const { server, alice, channel } = gate;
      server.sockets.graceMs = 60_000;
      const life = await listening(gate);
      let said = 0;
      const talk = setInterval(() => void alice.say(channel, String((said += 1))), 3);
      try {
        for (let round = 1; round <= 5; round += 1) {
          const before = life.told.length;
          server.sockets.disconnect(reason, gate.app);
          await until(
            () => server.sockets.greeted === round + 1 && life.told.length > before + 20,
            () => `connection ${round + 1}`,
          );
        }
      } finally {
        clearInterval(talk);
      }
      await told(life, String(said));
      const numbers = life.told.map(Number);
      // Two connections at once keep no order between them.
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: said }, (_, at) => at + 1));
      expect([life.gaps, openings(gate)]).toEqual([0, 6]);
      expect(server.hub.givenUp).toEqual([]);
    },
  );

  test("is heard for some seconds more, and then told goodbye", async () => {
    const gate = await slackGate();
    const { server, app } = gate;
    server.sockets.graceMs = 60_000;
    const clock = new FakeClock();
    const life = await listening(gate, { host: new RecordingHost(clock) });
    server.sockets.disconnect("refresh_requested");
    await until(
      () => server.sockets.count(app) === 2,
      () => "two connections",
    );
    await until(
      () => server.sockets.greeted === 2,
      () => "the second greeting",
    );
    for (let at = 1; at <= 10; at += 1) gate.alice.say(gate.channel, String(at));
    await told(life, "10");
    expect(life.told.length).toBe(10);
    await clock.advance(11_000);
    await until(
      () => server.sockets.count(app) === 1,
      () => "one connection",
    );
    gate.alice.say(gate.channel, "still");
    await told(life, "still");
  });

  test("leaves no timer behind when all ends meanwhile", async () => {
    const gate = await slackGate();
    const { server } = gate;
    server.sockets.graceMs = 60_000;
    const clock = new FakeClock();
    const life = await listening(gate, { host: new RecordingHost(clock) });
    server.sockets.disconnect("warning");
    await until(
      () => server.sockets.greeted === 2,
      () => "the second greeting",
    );
    gate.alice.say(gate.channel, "one");
    await told(life, "one");
    life.events.close();
    await endOf(life);
    await until(
      () => server.sockets.count(gate.app) === 0,
      () => "the end of both connections",
    );
    await until(
      () => clock.waiting === 0,
      () => "the end of all timers",
    );
  });

  test("and does so at once leaves a gap, which is said once the next is open", async () => {
    const gate = await slackGate();
    const { server } = gate;
    const life = await listening(gate);
    const go = server.faults.hold({ path: "/apps.connections.open" });
    server.sockets.graceMs = 0;
    server.sockets.disconnect("refresh_requested");
    await until(
      () => server.sockets.count(gate.app) === 0,
      () => "the end of the first connection",
    );
    server.sockets.graceMs = 60_000;
    go();
    await until(
      () => life.gaps === 1,
      () => "word of the gap",
    );
    gate.alice.say(gate.channel, "after");
    await told(life, "after");
  });

  test("is used while no other can be opened; with its end all ends", async () => {
    const gate = await slackGate();
    const { server, alice, channel } = gate;
    server.sockets.graceMs = 60_000;
    const life = await listening(gate);
    server.faults.fail({ path: "/apps.connections.open" }, 503, 100);
    server.sockets.disconnect("warning");
    await until(
      () => openings(gate) >= 3,
      () => "further tries",
    );
    alice.say(channel, "meanwhile");
    await told(life, "meanwhile");
    server.sockets.terminate();
    expect(await endOf(life)).toMatchObject({ cause: "lost" });
  });

  test("is followed by another try where the next one cannot be opened at once", async () => {
    const gate = await slackGate();
    const { server, alice, channel } = gate;
    server.sockets.graceMs = 60_000;
    const life = await listening(gate);
    server.limit({ path: "/apps.connections.open" }, 1);
    server.faults.fail({ path: "/apps.connections.open" }, 500);
    server.sockets.disconnect("refresh_requested");
    await until(
      () => server.sockets.greeted === 2,
      () => "the next connection",
    );
    expect([server.limits.impatient, life.gaps, openings(gate)]).toEqual([0, 0, 4]);
    alice.say(channel, "after");
    await told(life, "after");
  });
});

describe("the end", () => {
  test("comes with a connection that is cut", async () => {
    const gate = await slackGate();
    const life = await listening(gate);
    gate.server.wire.cut();
    expect(await endOf(life)).toMatchObject({ cause: "lost", why: { code: "network" } });
  });

  test("comes when Socket Mode is turned off, with where to turn it on", async () => {
    const gate = await slackGate();
    const life = await listening(gate);
    gate.server.sockets.disable(gate.app);
    expect(await endOf(life)).toMatchObject({
      cause: "config",
      why: { message: words(/Socket Mode is off: turn it on/u) },
    });
    const opened = await tryEvents(gate, new RecordingHost());
    expect(opened).toMatchObject({ ok: false, ended: { cause: "config", why: { message: words(/turn it on/u) } } });
  });

  test("comes after a silence on a connection that is dead and does not know it", async () => {
    const gate = await slackGate();
    const clock = new FakeClock();
    const life = await listening(gate, { host: new RecordingHost(clock) });
    gate.server.sockets.deaf = true;
    await clock.advance(41_000);
    expect(life.host.doubts.at(-1)).toMatchObject({ code: "timeout" });
    await clock.advance(20_000);
    expect(await endOf(life)).toMatchObject({ cause: "lost", why: { code: "timeout" } });
    expect(life.host.doubts.at(-1)).toBeNull();
  });

  test("is a goodbye where we want it", async () => {
    const gate = await slackGate();
    const life = await listening(gate);
    life.events.close();
    expect(await endOf(life)).toMatchObject({ cause: "asked" });
    await until(
      () => gate.server.sockets.count(gate.app) === 0,
      () => "the end of the connection",
    );
    gate.alice.say(gate.channel, "unheard");
    expect(life.told).toEqual([]);
  });
});

describe("no connection", () => {
  test.each([
    ["a token that is not good", { appToken: "xapp-wrong" }, "auth", /does not accept AppToken \(invalid_auth/u],
    ["the token of the bot", "bot", "config", /does not take AppToken for Socket Mode/u],
  ] as const)("with %s: it says what to do", async (_, given, cause, message) => {
    const gate = await slackGate();
    const appToken = given === "bot" ? gate.app.token : given.appToken;
    const opened = await tryEvents(gate, new RecordingHost(), { appToken });
    expect(opened).toMatchObject({ ok: false, ended: { cause, why: { message: words(message) } } });
  });

  test("without the scope for it: it is named, and where it is", async () => {
    const gate = await slackGate();
    gate.app.appScopes.clear();
    const message = words(/^AppToken: .*lacks the scope connections:write; add it at .*App-Level Tokens/u);
    expect(await tryEvents(gate, new RecordingHost())).toMatchObject({
      ok: false,
      ended: { cause: "config", why: { message } },
    });
  });

  test("where there are too many: it says so", async () => {
    const gate = await slackGate();
    const others = Array.from({ length: 10 }, async () => await listening(gate));
    await Promise.all(others);
    const opened = await tryEvents(gate, new RecordingHost());
    expect(opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { message: words(/ten programs/u) } } });
  });

  test("that greets: it is given up", async () => {
    const gate = await slackGate();
    gate.server.sockets.silent = true;
    const clock = new FakeClock();
    const opening = tryEvents(gate, new RecordingHost(clock));
    await until(
      () => gate.server.sockets.count(gate.app) === 1,
      () => "a connection",
    );
    await clock.advance(11_000);
    const opened = await within(opening, () => "the end of the try");
    expect(opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "timeout" } } });
    await until(
      () => gate.server.sockets.count(gate.app) === 0,
      () => "the end of the connection",
    );
  });

  test("at an address that has expired: another one is asked for", async () => {
    const gate = await slackGate();
    const { server } = gate;
    const stale = {
      ok: true,
      url: `${server.world.site.replace("http", "ws")}/link/?ticket=old&app_id=${gate.app.id}`,
    };
    server.faults.answer({ path: "/apps.connections.open" }, { json: stale });
    await listening(gate);
    expect([server.sockets.greeted, openings(gate)]).toEqual([1, 2]);
  });

  test("while Slack does not want to be asked: it waits, and asks once", async () => {
    const gate = await slackGate();
    gate.server.limit({ path: "/apps.connections.open" }, 1);
    await listening(gate);
    expect([gate.server.limits.impatient, openings(gate)]).toEqual([0, 2]);
  });

  test("when we are to stop while it waits", async () => {
    const gate = await slackGate();
    gate.server.limit({ path: "/apps.connections.open" }, 20);
    const stop = new AbortController();
    const opening = tryEvents(gate, new RecordingHost(), { signal: stop.signal });
    await until(
      () => openings(gate) === 1,
      () => "the first try",
    );
    stop.abort();
    expect(await within(opening, () => "the end of the try")).toMatchObject({ ok: false, ended: { cause: "lost" } });
  });

  test("while Slack does not want to be asked for long: nobody asks before, in no session", async () => {
    const gate = await slackGate();
    const host = new RecordingHost();
    gate.server.limit({ path: "/apps.connections.open" }, 600);
    for (const _ of [1, 2, 3]) {
      const opened = await tryEvents(gate, host);
      expect(opened).toMatchObject({ ok: false, ended: { cause: "lost", why: { code: "rate_limited" } } });
    }
    expect(openings(gate)).toBe(1);
  });

  test.each([
    ["no address", { ok: true }],
    ["what is none", { ok: true, url: "https://slack.example.org/" }],
  ])("where Slack gives %s", async (_, json) => {
    const gate = await slackGate();
    gate.server.faults.answer({ path: "/apps.connections.open" }, { json });
    const opened = await tryEvents(gate, new RecordingHost());
    expect(opened).toMatchObject({ ok: false, ended: { why: { code: "remote_error" } } });
  });
});

test("another program with the same token is noticed", async () => {
  const gate = await slackGate();
  const first = await listening(gate);
  const second = await listening(gate);
  const warnings = ({ host }: Listening) => host.records.filter(({ level }) => level === "warn").length;
  expect([warnings(first), warnings(second)]).toEqual([0, 1]);
});
