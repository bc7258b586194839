import { expect, test } from "vitest";
import type { Hint } from "../contract/host.ts";
import type { UserRef } from "../contract/ids.ts";
import type { Member } from "../contract/session.ts";
import { boundHints, HINTS_MAX } from "./hints.ts";
import { MemoryLane, refOf } from "./scripted.suite.ts";
import { Supervised } from "./session/supervised.suite.ts";

const typing = (channel = "#a"): Hint => ({
  kind: "typing",
  channel: refOf(channel),
  author: { id: "u" as UserRef, identity: null, name: "ann", avatar: null },
  on: true,
});

test("more hints than anybody can use are dropped, for each account by itself", () => {
  let nowMs = 0;
  const told: string[] = [];
  const onHint = boundHints((account) => void told.push(account), { monoMs: () => nowMs });
  for (let time = 0; time < HINTS_MAX + 5; time += 1) onHint("net.a", "#a", typing());
  onHint("net.b", "#a", typing());
  expect([told.length, told.at(-1)]).toEqual([HINTS_MAX + 1, "net.b"]);
  nowMs += 1000;
  onHint("net.a", "#a", typing());
  expect(told.at(-1)).toBe("net.a");
});

test("hints of joined channels come by their names, and none of other channels or after the session", async () => {
  const told: string[] = [];
  const it = new Supervised(
    null,
    null,
    (channel, { kind, author }) => void told.push(`${channel} ${kind} ${author.name}`),
  );
  await it.start();
  const { host } = it;
  host.hint?.(typing());
  host.hint?.(typing("#elsewhere"));
  expect(told).toEqual(["#a typing ann"]);
  it.network.session.end();
  await it.clock.advance(0);
  host.hint?.(typing());
  expect(told).toHaveLength(1);
});

const ANN: Member = { id: "u" as UserRef, name: "ann", bot: false, present: true };

test("who is in a channel is asked of the session", async () => {
  const it = new Supervised();
  expect(await it.supervisor.members("#a")).toBeNull();
  await it.start();
  expect(await it.supervisor.members("#a")).toBeNull();
  it.network.session.members = (ref) => Promise.resolve(ref === refOf("#a") ? [ANN] : null);
  expect(await it.supervisor.members("#a")).toEqual([ANN]);
  expect(await it.supervisor.members("#b")).toBeNull();
  it.network.session.end();
  await it.clock.advance(0);
  expect(await it.supervisor.members("#a")).toBeNull();
});

test.each<[string, () => Promise<readonly Member[] | null>]>([
  ["does not answer", () => new Promise(() => undefined)],
  ["fails", () => Promise.reject(new Error("oops"))],
])("a session that %s knows nobody", async (_, members) => {
  const it = new Supervised();
  await it.start();
  it.network.session.members = members;
  const asking = it.supervisor.members("#a");
  await it.clock.advance(10_000);
  expect(await asking).toBeNull();
});

test("typing is shown in joined channels only, while all is well and no rate limit holds the session", async () => {
  const it = new Supervised();
  const shows = (channel = "#a"): boolean => it.supervisor.typingIn(channel)?.show(true) ?? false;
  expect(shows()).toBe(false);
  await it.start();
  const { session } = it.network;
  expect([shows(), shows("#b")]).toEqual([true, false]);
  it.host.degraded({ code: "network", message: "no answer" });
  expect(shows()).toBe(false);
  it.host.degraded(null);
  expect(shows()).toBe(true);
  session.end();
  await it.clock.advance(0);
  expect(shows()).toBe(false);
  expect(session.shown).toEqual(["ref:#a on", "ref:#a on"]);
});

test("a rate limit holds typing back, and an adapter that throws harms nothing", async () => {
  const lane = new MemoryLane();
  const it = new Supervised();
  await it.change(it.channel("#a", [lane]));
  await it.start();
  lane.sink?.gate.hold(it.clock.monoMs() + 1000);
  expect(it.supervisor.typingIn("#a")).toBeNull();
  await it.clock.advance(1000);
  it.network.session.typing.show = () => {
    throw new Error("oops");
  };
  it.supervisor.typingIn("#a")?.show(true);
  expect(it.memory.shown("error").at(-1)).toBe(
    "warn an adapter failed to show that somebody types: this is a bug Error: oops",
  );
});

test("how many are in a channel is asked of the session that counts them", async () => {
  const it = new Supervised();
  await it.start();
  expect(await it.supervisor.count("#a")).toBeNull();
  it.network.session.count = (ref) => Promise.resolve(ref === refOf("#a") ? 7 : null);
  expect(await it.supervisor.count("#a")).toBe(7);
  expect(await it.supervisor.count("#b")).toBeNull();
});
