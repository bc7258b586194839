import { expect, test } from "vitest";
import { aLane, aReader, aRoom, aStatus, aView } from "../../../src/admin/samples.suite.ts";
import type { AccountTraffic, BridgeView, FlowView } from "../../../src/admin/views.ts";
import { beatsOf } from "./history.ts";
import { accountFlow, accountsOf, edgeFlow, isPicked, type Picked, rowsOf, wordsOf } from "./rows.ts";

const flow = (perMinute: number, total = perMinute): FlowView => {
  return { total, perMinute, minutes: perMinute === 0 ? [] : Array.from({ length: 30 }, () => perMinute) };
};
const link = (gateway: string, account: string, channel: string, direction: BridgeView["direction"]): BridgeView => {
  return { gateway, account, channel, direction };
};
const LANE = aLane();
const CHANNEL = aRoom().channel;

const traffic: readonly AccountTraffic[] = [
  {
    account: "net.home",
    rooms: [
      {
        channel: CHANNEL,
        in: flow(3, 40),
        lanes: [
          { gateway: "g", out: flow(2, 7), p50Ms: 5, p99Ms: 90 },
          { gateway: "h", out: flow(4, 8), p50Ms: 20, p99Ms: 30 },
        ],
      },
    ],
  },
  { account: "api.web", rooms: [{ channel: "g", in: flow(6, 9), lanes: [] }] },
];

const view = aView({
  readers: [aReader()],
  gateways: ["g", "h"],
  bridges: [
    link("g", "net.home", CHANNEL, "inout"),
    link("h", "net.home", CHANNEL, "out"),
    link("g", "api.web", "api", "inout"),
  ],
  traffic,
});

test("each channel of a network is a row, and so is each account of the HTTP API", () => {
  const [network, reader, ...more] = rowsOf(view);
  expect(more).toEqual([]);
  expect(network).toMatchObject({
    accountKey: "net.home",
    channel: CHANNEL,
    gateways: ["g", "h"],
    sent: 15,
    received: 40,
  });
  expect(network).toMatchObject({ state: { kind: "good" }, p50Ms: 20, p99Ms: 90, isReader: false });
  expect(reader).toMatchObject({ accountKey: "api.web", gateways: ["g"], received: 9, sent: 0, p50Ms: null });
});

test("what an account is kept from by a trouble of its own, its channels are kept from as well", () => {
  const why = { code: "network", message: "no route" } as const;
  const down = aView({ ...view, accounts: [aStatus({ state: "waiting", why })] });
  expect(rowsOf(down)[0]).toMatchObject({ state: { kind: "bad", why: "no route" } });
  const alone = aView({ ...view, accounts: [aStatus({ channels: [aRoom({ state: "waiting", why })] })] });
  expect(rowsOf(alone)[0]).toMatchObject({ state: { kind: "bad", why: "no route" } });
});

test("what waits is the sum over the lanes, and how much is not known where one does not know", () => {
  const rows = (waiting: readonly (number | null)[]) =>
    rowsOf(
      aView({
        ...view,
        accounts: [
          aStatus({
            channels: [aRoom({ lanes: waiting.map((count) => ({ ...LANE, waiting: count, oldestMs: count })) })],
          }),
        ],
      }),
    );
  expect(rows([3, 4])[0]).toMatchObject({ waiting: 7, oldestMs: 3 });
  expect(rows([3, null])[0]).toMatchObject({ waiting: null, oldestMs: 3 });
  expect(rows([])[0]).toMatchObject({ waiting: 0, oldestMs: null });
});

test("an account that the configuration names and that did not start is shown", () => {
  const missing = aView({ ...view, bridges: [...view.bridges, link("g", "net.away", "x", "inout")] });
  expect(accountsOf(missing).map(({ key, state }) => [key, state.kind])).toEqual([
    ["net.home", "good"],
    ["api.web", "good"],
    ["net.away", "bad"],
  ]);
  expect(rowsOf(missing).map(({ accountKey }) => accountKey)).toContain("net.away");
});

test("an account that another machine runs is at that machine", () => {
  const bridges = [link("g", "net.away", "x", "inout"), link("g", "net.here", "x", "inout")];
  const of = (account: string, node: string) => ({ account, node, epoch: 1, sinceMs: null });
  const accounts = [of("net.away", "n2"), of("net.here", "n1")];
  const elsewhere = aView({
    bridges,
    cluster: { node: "n1", hasVoice: true, nodes: [], accounts, skipped: 0, gaps: 0 },
  });
  expect(accountsOf(elsewhere).map(({ key, state }) => [key, state.kind, state.word])).toContainEqual([
    "net.away",
    "none",
    "at n2",
  ]);
  expect(accountsOf(elsewhere).map(({ key, state }) => [key, state.kind])).toContainEqual(["net.here", "bad"]);
});

test("an edge has what goes out there in its gateway, and what comes in where the gateway hears it", () => {
  expect(edgeFlow(view, "net.home", "g")).toBe(5);
  expect(edgeFlow(view, "net.home", "h")).toBe(4);
  expect(edgeFlow(view, "api.web", "g")).toBe(6);
  expect(edgeFlow(view, "net.away", "g")).toBe(0);
  const { perMinute, minutes } = accountFlow(view, "net.home");
  expect([perMinute, minutes[0], minutes.length]).toEqual([9, 9, 30]);
});

test("one selection is for the picture and the table", () => {
  const [network] = rowsOf(view);
  if (network === undefined) throw new Error("there is no row");
  const picks: readonly (Picked | null)[] = [
    null,
    { side: "L", key: "net.home" },
    { side: "R", key: "h" },
    { side: "R", key: "x" },
  ];
  expect(picks.map((picked) => isPicked(network, picked))).toEqual([false, true, true, false]);
  expect(wordsOf(network)).toContain("net.home");
});

test("runs become beats", () => {
  expect(
    beatsOf([
      ["none", 2],
      ["ok", 1],
      ["down", 1],
    ]),
  ).toEqual(["none", "none", "ok", "down"]);
});
