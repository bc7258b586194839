import { expect, test } from "vitest";
import type { Hint } from "../contract/host.ts";
import type { UserRef } from "../contract/ids.ts";
import type { Member } from "../contract/session.ts";
import { boundHints, HINTS_MAX } from "./hints.ts";
import { refOf } from "./scripted.suite.ts";
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
