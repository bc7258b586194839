import { beforeEach, describe, expect, test } from "vitest";
import { settled } from "../../../test/support/fake-clock.ts";
import { END } from "../../contract/ids.ts";
import type { Op } from "../../contract/ops.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { Attempt, Ended } from "../../contract/session.ts";
import { perform } from "./channel-sink.ts";
import { MemoryLane, NETWORK_DOWN, refOf, ScriptedSession } from "../scripted.suite.ts";
import { MINUTE, Supervised } from "./supervised.suite.ts";

const LOST: Ended = { cause: "lost", why: NETWORK_DOWN };
const WRONG_PASSWORD: Ended = { cause: "auth", why: { code: "auth", message: "wrong password" } };
const BANNED: Reason = { code: "forbidden", message: "banned" };
const STRING: unknown = expect.any(String);

let it: Supervised;
let startMs: number;

beforeEach(() => {
  it = new Supervised();
  startMs = it.clock.nowMs();
});

describe("an account", () => {
  test("that is online and joined has nothing to say", async () => {
    const lane = new MemoryLane();
    await it.change(it.channel("#a", [lane]));
    await it.start();
    expect(await it.status()).toEqual({
      account: "net.Here",
      key: "net.here",
      protocol: "net",
      state: "online",
      sinceMs: startMs,
      downSinceMs: null,
      as: "rialto",
      heardMs: startMs,
      why: null,
      remedy: null,
      retryMs: null,
      reconnects: 0,
      accepted: 0,
      dropped: {},
      channels: [
        {
          channel: "#a",
          state: "joined",
          sinceMs: startMs,
          downSinceMs: null,
          heardMs: startMs,
          why: null,
          remedy: null,
          retryMs: null,
          lanes: [await lane.status()],
        },
      ],
    });
  });

  test("before its start is connecting, and so is its channel offline", async () => {
    expect(await it.status()).toMatchObject({ state: "connecting", as: null, heardMs: null, why: null });
    expect(await it.channelStatus()).toMatchObject({ state: "offline", heardMs: null, why: null });
  });

  test("that opens and opens says so after a while", async () => {
    it.network.plans.push(() => new Promise(() => undefined));
    await it.start();
    expect(it.memory.lines.filter(({ message }) => message === "connecting").map(({ fields }) => fields)).toEqual([
      { account: "net.Here", to: "net.example:1 (TLS)" },
    ]);
    await it.clock.advance(9_000);
    const connecting = { code: "network", message: "connecting to net.example:1 (TLS)" };
    expect(await it.status()).toMatchObject({ state: "connecting", why: connecting, remedy: null });
    expect(await it.channelStatus()).toMatchObject({ state: "offline", why: connecting, remedy: null });
    await it.clock.advance(14_000);
    const why = { code: "timeout", message: "net.example:1 (TLS) has not let Rialto in for 23 s" };
    expect(await it.status()).toMatchObject({ state: "connecting", why, remedy: STRING });
    expect(await it.channelStatus()).toMatchObject({ state: "offline", why, remedy: STRING });
  });

  test("that is lost says why, since when, and when it is tried again, until it is online", async () => {
    await it.start();
    await it.clock.advance(MINUTE);
    it.network.refuse(LOST, 2);
    it.network.session.end();
    await settled();
    const downSinceMs = it.clock.nowMs();
    const offline = { why: NETWORK_DOWN, remedy: STRING, downSinceMs };
    expect(await it.status()).toMatchObject({ ...offline, state: "waiting", as: null, retryMs: downSinceMs + 500 });
    expect(await it.channelStatus()).toMatchObject({ ...offline, state: "offline", retryMs: downSinceMs + 500 });
    await it.clock.advance(1_400);
    expect(await it.status()).toMatchObject({ ...offline, state: "waiting", sinceMs: downSinceMs + 500 });
    expect(await it.channelStatus()).toMatchObject({ ...offline, state: "offline", sinceMs: downSinceMs });
    await it.clock.advance(10_000);
    expect(await it.status()).toMatchObject({ state: "online", why: null, downSinceMs: null, reconnects: 1 });
    expect(await it.channelStatus()).toMatchObject({ state: "joined", why: null, downSinceMs: null });
    expect(it.reconnected).toEqual(["net.Here"]);
  });

  test("keeps its reason while it is tried again", async () => {
    it.network.refuse(LOST);
    it.network.plans.push(() => new Promise(() => undefined));
    await it.start();
    await it.clock.advance(500);
    expect(await it.status()).toMatchObject({ state: "connecting", why: NETWORK_DOWN, retryMs: null });
  });

  test("with a wrong password needs somebody to act, and is told what to do", async () => {
    it.network.refuse(WRONG_PASSWORD);
    await it.start();
    const status = await it.status();
    expect(status).toMatchObject({ state: "action-needed", why: WRONG_PASSWORD.why, retryMs: startMs + 45 * MINUTE });
    expect(status.remedy).toContain("credentials");
    expect((await it.channelStatus()).remedy).toContain("credentials");
  });

  test("that holds back what it was given says so of the lanes that send", async () => {
    const [busy, quiet] = [new MemoryLane("busy"), new MemoryLane("quiet")];
    busy.state = "sending";
    await it.change(it.channel("#a", [busy, quiet]));
    await it.start();
    const why = { code: "rate_limited", message: "one line leaves per second" } as const;
    it.network.session.paced = why;
    const { lanes } = await it.channelStatus();
    expect(lanes).toMatchObject([
      { gateway: "busy", state: "sending", why, remedy: STRING },
      { gateway: "quiet", state: "idle", why: null, remedy: null },
    ]);
    it.network.session.paced = null;
    expect((await it.channelStatus()).lanes[0]).toMatchObject({ state: "sending", why: null });
  });

  test("in doubt says why", async () => {
    await it.start();
    it.host.degraded({ code: "timeout", message: "silent" });
    expect(await it.status()).toMatchObject({ state: "degraded", downSinceMs: null, why: { code: "timeout" } });
    await it.clock.advance(5_000);
    it.host.degraded(null);
    expect(await it.status()).toMatchObject({ state: "online", why: null, heardMs: startMs + 5_000 });
  });

  test("counts what was stored and what was not", async () => {
    await it.start();
    await it.say("#a");
    await it.say("#elsewhere");
    expect(await it.status()).toMatchObject({ accepted: 1, dropped: { unknown_channel: 1 } });
  });
});

describe("a channel", () => {
  /** All joins of the next session go so. */
  const joins = (answer: ScriptedSession["answer"]): void => {
    it.network.plans.push(() =>
      Promise.resolve({ ok: true, session: Object.assign(new ScriptedSession(), { answer }) }),
    );
  };

  test("that may not be entered says why, what to do, and when it is tried again", async () => {
    joins(() => Promise.resolve({ ok: false, why: BANNED, retryInMs: 300_000 }));
    await it.start();
    const remedy: unknown = expect.stringContaining("ban");
    const retryMs = startMs + 300_000;
    expect(await it.channelStatus()).toMatchObject({ state: "waiting", why: BANNED, remedy, retryMs });
    expect(await it.status()).toMatchObject({ state: "online", why: null });
  });

  test("whose join hangs says so, before and after it is given up", async () => {
    joins(() => new Promise(() => undefined));
    await it.start();
    expect(await it.channelStatus()).toMatchObject({ state: "joining", why: null });
    await it.clock.advance(12_000);
    const message = "the channel has not let Rialto in for 12 s";
    expect(await it.channelStatus()).toMatchObject({ state: "joining", why: { message }, downSinceMs: startMs });
    await it.clock.advance(49_000);
    expect(await it.channelStatus()).toMatchObject({
      state: "waiting",
      why: { code: "timeout" },
      downSinceMs: startMs,
    });
  });

  test("that waits keeps its reason while it is joined again, and its start over the end of the session", async () => {
    await it.start();
    await it.clock.advance(MINUTE);
    const downSinceMs = it.clock.nowMs();
    it.host.lost(refOf("#a"), BANNED, 0);
    it.network.session.answer = () => new Promise(() => undefined);
    await it.clock.advance(3_000);
    expect(await it.channelStatus()).toMatchObject({ state: "joining", why: BANNED, downSinceMs });
    it.network.session.end();
    await settled();
    expect(await it.channelStatus()).toMatchObject({ state: "offline", why: NETWORK_DOWN, downSinceMs });
    await it.clock.advance(MINUTE);
    expect(await it.channelStatus()).toMatchObject({ state: "joined", why: null, downSinceMs: null });
  });
});

describe("something is heard", () => {
  test("when the network tells something", async () => {
    await it.start();
    await it.clock.advance(MINUTE);
    await it.host.accept({ events: [], cursor: null });
    expect((await it.status()).heardMs).toBe(startMs);
    await it.say("#a");
    expect((await it.status()).heardMs).toBe(startMs + MINUTE);
    expect((await it.channelStatus()).heardMs).toBe(startMs + MINUTE);
    await it.clock.advance(MINUTE);
    await it.say("#elsewhere");
    expect((await it.status()).heardMs).toBe(startMs + 2 * MINUTE);
    expect((await it.channelStatus()).heardMs).toBe(startMs + MINUTE);
  });

  test.each([
    ["delivered", MINUTE],
    ["rejected", 0],
  ] as const)("when something that was sent is confirmed: %s", async (is, heardMs) => {
    const lane = new MemoryLane();
    await it.change(it.channel("#a", [lane]));
    await it.start();
    await it.clock.advance(MINUTE);
    const receipt = { messages: [], losses: [] };
    const handlers = { post: () => Promise.resolve(is === "delivered" ? { is, receipt } : { is, why: BANNED }) };
    await perform(
      { ...lane.sink!, handlers },
      { op: { kind: "post" } as Op, answers: [] },
      { signal: AbortSignal.timeout(0) } as Attempt,
      () => undefined,
    );
    expect((await it.channelStatus()).heardMs).toBe(startMs + heardMs);
    expect((await it.status()).heardMs).toBe(startMs + heardMs);
  });

  test("when a part that was sent is confirmed, whatever becomes of the rest", async () => {
    const lane = new MemoryLane();
    await it.change(it.channel("#a", [lane]));
    await it.start();
    await it.clock.advance(MINUTE);
    const told: unknown[] = [];
    const attempt: Attempt = {
      signal: AbortSignal.timeout(0),
      sending: () => Promise.resolve(true),
      sent: (...of) => void told.push(of),
    };
    const post = (_: Op, given: Attempt): Promise<never> => {
      given.sent(END, []);
      return new Promise(() => undefined);
    };
    void perform(
      { ...lane.sink!, handlers: { post } },
      { op: { kind: "post" } as Op, answers: [] },
      attempt,
      () => undefined,
    );
    expect(told).toEqual([[END, []]]);
    expect((await it.channelStatus()).heardMs).toBe(startMs + MINUTE);
  });
});

test("an account that the configuration keeps down says why and what to do, and never connects", async () => {
  const down = { reason: "Nick of net.Here must not be empty", remedy: "Correct Nick." };
  const it = new Supervised(null, down);
  await it.start();
  await it.clock.advance(120 * MINUTE);
  expect(it.network.opens).toEqual([]);
  const why = { code: "config", message: down.reason };
  expect(await it.status()).toMatchObject({ state: "action-needed", why, remedy: "Correct Nick.", retryMs: null });
  expect(await it.channelStatus()).toMatchObject({ state: "offline", why, remedy: "Correct Nick." });
  await it.supervisor.quiesce();
  await it.supervisor.close();
});
