import { describe, expect, test } from "vitest";
import type { OpId, Progress } from "../../src/contract/ids.ts";
import type { PostOp } from "../../src/contract/ops.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { Session } from "../../src/contract/session.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { FakeNetwork } from "./fake-network.ts";
import type { FakeTraits, Step } from "./fake-script.ts";
import { RecordingAttempt } from "./recording-attempt.ts";
import { RecordingHost } from "./recording-host.ts";
import { plainBody } from "./texts.ts";

const THREE = "one\ntwo\nthree";

interface Bench {
  readonly network: FakeNetwork;
  readonly host: RecordingHost;
  readonly clock: FakeClock;
  readonly session: Session;
  readonly post: (
    text?: string,
    more?: Partial<PostOp>,
  ) => { readonly attempt: RecordingAttempt; readonly outcome: Promise<Outcome> };
}

async function bench(traits: Partial<FakeTraits> = {}): Promise<Bench> {
  const clock = new FakeClock();
  const network = new FakeNetwork({ clock, ...traits });
  const host = new RecordingHost(clock);
  const loaded = await network.adapter.load();
  const opened = await loaded.open({
    settings: network.settings,
    host,
    since: null,
    signal: new AbortController().signal,
  });
  if (!opened.ok) throw new Error(opened.ended.why.message);
  const { session } = opened;
  const joined = await session.join({ name: "one", options: {} }, new AbortController().signal);
  if (!joined.ok) throw new Error(joined.why.message);
  const post: Bench["post"] = (text = THREE, more = {}) => {
    const id = "op" as OpId;
    const place = { kind: "post", id, channel: joined.ref, attempt: 1, author: null, resume: null } as const;
    const base = { ...place, reply: null, thread: null, mayPing: { users: false, everyone: false } };
    const attempt = new RecordingAttempt();
    return { attempt, outcome: session.handlers.post({ ...base, body: plainBody(text), ...more }, attempt) };
  };
  return { network, host, clock, session, post };
}

describe("a step of the script", () => {
  const table: readonly [Step, string, readonly string[], readonly string[]][] = [
    [{ is: "deliver" }, "delivered", ["1", "2", "end"], ["one", "two", "three"]],
    [{ is: "defer", retryInMs: 5 }, "deferred", [], []],
    [{ is: "defer", after: 1, retryInMs: 5 }, "deferred", ["1"], ["one"]],
    [{ is: "reject", after: 2 }, "rejected", ["1", "2"], ["one", "two"]],
    [{ is: "unknown", after: 1, arrives: true }, "unknown", ["1"], ["one", "two"]],
    [{ is: "unknown", after: 1, arrives: false }, "unknown", ["1"], ["one"]],
    [{ is: "die", arrives: true }, "unknown", [], ["one"]],
    [{ is: "die", after: 2, arrives: false }, "unknown", ["1", "2"], ["one", "two"]],
  ];
  test.each(table)("%j ends as %s", async (step, is, confirmed, said) => {
    const { network, post, session } = await bench();
    network.script("one", step);
    const { attempt, outcome } = post();
    expect((await outcome).is).toBe(is);
    expect(attempt.confirmed).toEqual(confirmed);
    expect(network.said("one")).toEqual(said);
    expect(attempt.faults).toEqual([]);
    if (step.is === "unknown" || step.is === "die") expect(attempt.announced.length).toBe(confirmed.length + 1);
    if (step.is === "die") expect((await session.ended).cause).toBe("lost");
  });

  test("throws", async () => {
    const { network, post } = await bench();
    network.script("one", { is: "throw", after: 1 });
    await expect(post().outcome).rejects.toThrow("the script throws");
    expect(network.said("one")).toEqual(["one"]);
  });

  test("hangs until it is aborted, and then the next has its turn; a deaf one never ends", async () => {
    const { network, post } = await bench();
    network.script("one", { is: "hang" }, { is: "deliver" }, { is: "hang", deaf: true });
    const first = post();
    const second = post("next");
    await settled();
    expect(network.said("one")).toEqual([]);
    first.attempt.abort();
    expect([(await first.outcome).is, (await second.outcome).is]).toEqual(["deferred", "delivered"]);
    const third = post("never");
    third.attempt.abort();
    let ended = false;
    void third.outcome.then(() => (ended = true));
    await settled();
    expect([ended, network.said("one")]).toEqual([false, ["next"]]);
  });

  test("tells everything again after it was delivered", async () => {
    const { network, clock, post } = await bench();
    network.script("one", { is: "again" });
    const { attempt, outcome } = post("x");
    const ended = await outcome;
    attempt.end(ended);
    await clock.advance(1);
    expect([ended.is, attempt.faults.length]).toEqual(["delivered", 4]);
  });
});

test("posts go on behind resume", async () => {
  const { network, post } = await bench();
  expect((await post(THREE, { resume: "1" as Progress }).outcome).is).toBe("delivered");
  expect(network.said("one")).toEqual(["two", "three"]);
});

test("time passes on the road, and what is on it when it breaks is lost", async () => {
  const clock = new FakeClock();
  const network = new FakeNetwork({ clock, latencyMs: 10 });
  const opening = network.adapter.load().then(
    async (loaded) =>
      await loaded.open({
        settings: network.settings,
        host: new RecordingHost(clock),
        since: null,
        signal: new AbortController().signal,
      }),
  );
  await clock.advance(20);
  const opened = await opening;
  if (!opened.ok) throw new Error("it opens");
  const joining = opened.session.join({ name: "one", options: {} }, new AbortController().signal);
  await clock.advance(19);
  network.cut();
  await clock.advance(10);
  expect([(await joining).ok, (await opened.session.ended).cause]).toEqual([false, "lost"]);
});

test("over the rate the whole session is deferred until the window is over", async () => {
  const { network, clock, post } = await bench();
  network.rate = { lines: 2, windowMs: 1_000 };
  expect(await post().outcome).toMatchObject({ is: "deferred", scope: "session", retryInMs: 1_000 });
  await clock.advance(400);
  expect(await post().outcome).toMatchObject({ is: "deferred", retryInMs: 600 });
  await clock.advance(600);
  expect((await post(THREE, { resume: "2" as Progress }).outcome).is).toBe("delivered");
  expect(network.said("one")).toEqual(["one", "two", "three"]);
});

test("joins are refused and opens fail as the script says", async () => {
  const { network, session } = await bench();
  const { signal } = new AbortController();
  const why = { code: "forbidden", message: "members only" } as const;
  network.refuse("two", why, 7);
  expect(await session.join({ name: "two", options: {} }, signal)).toEqual({ ok: false, why, retryInMs: 7 });
  network.allow("two");
  expect((await session.join({ name: "two", options: {} }, signal)).ok).toBe(true);
  network.scriptOpen({ cause: "auth", why: { code: "auth", message: "no" } });
  const loaded = await network.adapter.load();
  const host = new RecordingHost(new FakeClock());
  const open = async (): Promise<boolean> =>
    (await loaded.open({ settings: network.settings, host, since: null, signal })).ok;
  expect([await open(), await open(), network.opens]).toEqual([false, true, 3]);
});

test("a kick throws our sessions out", async () => {
  const { network, host, post } = await bench();
  network.kick("one");
  await settled();
  expect(host.losses.map(({ channel }) => channel)).toEqual(["one"]);
  expect((await post().outcome).is).toBe("deferred");
});
