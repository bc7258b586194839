import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import type { Bridge, Gateway } from "../config/config.ts";
import { components } from "./components.ts";
import { findLoops } from "./loops.ts";
import { aGateway } from "./samples.suite.ts";

/** In these tests all accounts of one protocol are on one network. */
const roomOf = (account: string, channel: string): string => `${account.split(".")[0]} ${channel}`;

describe("findLoops", () => {
  test("two accounts in one room of one gateway", () => {
    expect(findLoops([aGateway("g", ["inout net.a #x", "inout net.b #x"])], roomOf)).toEqual([
      { rooms: ["net #x"], gateways: ["g"], accounts: ["net.a", "net.b"] },
    ]);
  });

  test("two gateways that meet in two rooms", () => {
    const gateways = [
      aGateway("one", ["inout net.a #x", "inout matrix.a !m"]),
      aGateway("aside", ["inout net.z #z", "inout matrix.z !z"]),
      aGateway("two", ["inout net.b #x", "inout matrix.b !m"]),
    ];
    expect(findLoops(gateways, roomOf)).toEqual([
      {
        rooms: ["net #x", "matrix !m"],
        gateways: ["one", "two"],
        accounts: ["net.a", "matrix.a", "net.b", "matrix.b"],
      },
    ]);
  });

  test.each<[string, Gateway[], boolean]>([
    ["one gateway", [aGateway("g", ["inout net.a #x", "inout net.b #y", "inout matrix.a !m"])], false],
    [
      "two gateways that meet in one room",
      [aGateway("g", ["inout net.a #x", "inout matrix.a !m"]), aGateway("h", ["inout net.b #x", "inout matrix.b !n"])],
      false,
    ],
    [
      "two gateways with the same account in both rooms",
      [aGateway("g", ["inout net.a #x", "inout matrix.a !m"]), aGateway("h", ["inout net.a #x", "inout matrix.a !m"])],
      false,
    ],
    [
      "the same account in one room, others in the other",
      [aGateway("g", ["inout net.a #x", "inout matrix.a !m"]), aGateway("h", ["inout net.a #x", "inout matrix.b !m"])],
      false,
    ],
    [
      "one way there and back",
      [aGateway("g", ["in net.a #x", "out matrix.a !m"]), aGateway("h", ["in matrix.b !m", "out net.b #x"])],
      true,
    ],
    [
      "one way only",
      [aGateway("g", ["in net.a #x", "out matrix.a !m"]), aGateway("h", ["out matrix.b !m", "out net.b #x"])],
      false,
    ],
    ["into the room it came from", [aGateway("g", ["in net.a #x", "out net.b #x"])], true],
    ["listed under in and under out", [aGateway("g", ["in net.a #x", "out net.a #x"])], false],
    [
      "three gateways round",
      [
        aGateway("g", ["in net.a #x", "out net.b #y"]),
        aGateway("h", ["in net.c #y", "out net.d #z"]),
        aGateway("i", ["in net.e #z", "out net.f #x"]),
      ],
      true,
    ],
    ["same channel names, other channels", [aGateway("g", ["inout net.a #x", "inout net.b #y"], true)], false],
    [
      "same channel names, same channels",
      [aGateway("g", ["inout net.a #x", "inout net.a #y", "inout net.b #x"], true)],
      true,
    ],
    ["nothing at all", [], false],
  ])("%s", (_name, gateways, expected) => {
    expect(findLoops(gateways, roomOf).length > 0).toBe(expected);
  });

  test("agrees with following every message", () => {
    const direction = fc.constantFrom("in" as const, "out" as const, "inout" as const);
    const bridge = fc.record({
      account: fc.constantFrom("net.a", "net.b", "net.c", "matrix.a", "matrix.b"),
      channel: fc.constantFrom("#x", "#y"),
      direction,
      options: fc.constant({}),
    });
    const gateway = fc.record({
      name: fc.uuid(),
      bridges: fc.array(bridge, { minLength: 1, maxLength: 4 }),
      sameChannel: fc.boolean(),
      maxAgeMs: fc.constant(null),
      catchUp: fc.constant(null),
    });
    fc.assert(
      fc.property(fc.array(gateway, { minLength: 1, maxLength: 4 }), (gateways) => {
        const circling = readersInCircles(gateways);
        const loops = findLoops(gateways, roomOf);
        expect(loops.length > 0).toBe(circling.length > 0);
        const accounts = new Set(loops.flatMap((loop) => loop.accounts));
        expect(circling.filter((reader) => !accounts.has(reader.account))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("ten thousand gateways in one chain, closed at the end", () => {
    const gateways = Array.from({ length: 10_000 }, (_, n) =>
      aGateway(`g${n}`, [`in net.a${n} #${n}`, `out net.b${n} #${(n + 1) % 10_000}`]),
    );
    expect(findLoops(gateways, roomOf).map((loop) => loop.gateways.length)).toEqual([10_000]);
    expect(findLoops(gateways.slice(1), roomOf)).toEqual([]);
  });

  test("one room with ten thousand accounts", () => {
    const gateways = Array.from({ length: 10_000 }, (_, n) =>
      aGateway(`g${n}`, [`inout net.a${n} #x`, `inout net.b${n} #${n}`]),
    );
    expect(findLoops(gateways, roomOf)).toEqual([]);
  });
});

test("components of a small graph", () => {
  const found = components([[1], [2], [0, 3], [4], [3], [5], []]);
  expect(found.map((component) => component.toSorted((a, b) => a - b)).toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [0, 1, 2],
    [3, 4],
    [5],
    [6],
  ]);
});

type Reader = Bridge & { readonly gateway: Gateway };

/** The bridges to which something they read can come back. */
function readersInCircles(gateways: readonly Gateway[]): readonly Reader[] {
  const all = gateways.flatMap((gateway) => gateway.bridges.map((each): Reader => ({ ...each, gateway })));
  const readers = all.filter((each) => each.direction !== "out");
  const next = (reader: Reader): readonly Reader[] =>
    all
      .filter((out) => out.gateway === reader.gateway && out.direction !== "in")
      .filter((out) => out.account !== reader.account || out.channel !== reader.channel)
      .filter((out) => !reader.gateway.sameChannel || out.channel === reader.channel)
      .flatMap((out) =>
        readers.filter(
          (each) =>
            each.account !== out.account && roomOf(each.account, each.channel) === roomOf(out.account, out.channel),
        ),
      );
  return readers.filter((start) => {
    const seen = new Set<Reader>();
    const open = [...next(start)];
    for (let reader = open.pop(); reader !== undefined; reader = open.pop()) {
      if (seen.has(reader)) continue;
      seen.add(reader);
      open.push(...next(reader));
    }
    return seen.has(start);
  });
}
