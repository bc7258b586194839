import { expect, test } from "vitest";
import { compileRoutes, type LaneRoute } from "../gateway/routes.ts";
import { aConfig, aGateway } from "../gateway/samples.suite.ts";
import { subjectOf } from "../gateway/subject.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import type { Entry } from "../log/log.ts";
import { laneName, Lanes } from "./lanes.ts";

function routesOf(...gateways: readonly (readonly [string, readonly string[]])[]): readonly LaneRoute[] {
  return compileRoutes(aConfig(gateways.map(([name, lines]) => aGateway(name, lines)))).lanes();
}

test("no two lanes have one name", () => {
  const names = routesOf(
    ["g", ["inout net.a #x", "inout net.a #y", "inout net.b #x"]],
    ["g/net.a", ["inout net.a #x", "inout net.b #x"]],
    ["g%2Fnet.a", ["inout net.a #x", "inout net.b #x"]],
    ["h", ["inout net.a x/#x", "inout net.a/x #x"]],
  ).map(laneName);
  expect(new Set(names).size).toBe(9);
  expect(names[0]).toBe("g/net.a/#x");
});

const IDLE = {
  cursor: 0,
  waiting: () => Promise.resolve(0),
  wake: () => undefined,
  rideWith: () => null,
  stop: () => Promise.resolve(),
};

test("new entries wake the lanes they concern and no other, each once", async () => {
  const routes = routesOf(["one", ["inout net.a #x", "out net.b #x"]], ["two", ["in net.a #x", "out net.c #x"]]);
  const woken: string[] = [];
  const lanes = new Lanes(await openAt(scratchFolder()));
  for (const route of routes) {
    const wake = (): void => void woken.push(route.account.key);
    await lanes.add(route, { ...IDLE, wake });
  }
  // Each, in case it missed something while it was opened.
  expect(woken.splice(0).toSorted()).toEqual(["net.a", "net.b", "net.c"]);
  const entry = (account: string, channel: string, seq: number): Entry => ({
    seq,
    subject: subjectOf(account, channel),
    at: 0,
    label: "",
    payload: null,
  });
  lanes.wake([entry("net.a", "#x", 1), entry("net.a", "#x", 2), entry("net.b", "#x", 3), entry("net.z", "#x", 4)]);
  expect(woken.toSorted()).toEqual(["net.b", "net.c"]);
  lanes.wake([entry("net.z", "#x", 5)]);
  expect(woken).toHaveLength(2);
});
