import { expect, test } from "vitest";
import type { ConsumerSpec } from "./consumers.ts";
import { atMark, deadMark, forgetConsumers, goneMark, readMarks, specMark } from "./marks.ts";

const PREFIX = "v1/c/api.game/";
const spec: ConsumerSpec = {
  start: { last: 3 },
  filter: { gateways: ["lobby"], types: ["message.*"], accounts: [], mine: false },
  ack: "explicit",
  ackWaitMs: 30_000,
  maxInFlight: 100,
  maxDeliver: 3,
  backoffMs: [1000],
  ordered: true,
  idleMs: 0,
};
const state = {
  floor: 4711,
  ranges: [[4713, 4720]] as const,
  counts: new Map([
    [4712, { deliveries: 3, failures: 2 }],
    [4721, { deliveries: 2, failures: 0 }],
  ]),
  dead: new Map([[4000, { deliveries: 3, why: "max_deliver" as const }]]),
};

test("the position is written as the design has it", () => {
  expect(atMark(PREFIX, "bot", state, 5)).toEqual({
    name: "v1/c/api.game/bot/at",
    value: '{"f":4711,"a":[[4713,4720]],"n":{"4712":3,"4721":[2,0]},"t":5}',
  });
});

test("what is written is read again", () => {
  const written = [
    specMark(PREFIX, "bot", { spec, gateways: ["lobby"], token: "aaaaaaaa" }),
    atMark(PREFIX, "bot", state, 5),
    deadMark(PREFIX, "bot", state.dead),
    goneMark(PREFIX, "old", { atMs: 77, gateways: ["den"] }),
  ];
  const { consumers, gone } = readMarks(PREFIX, new Map(written.map(({ name, value }) => [name, value])));
  expect([...consumers]).toEqual([["bot", { spec, gateways: ["lobby"], token: "aaaaaaaa", state, seenMs: 5 }]]);
  expect([...gone]).toEqual([["old", { atMs: 77, gateways: ["den"] }]]);
});

test("a consumer of a version that did not note its token is one of the account's own", () => {
  const { name } = specMark(PREFIX, "bot", { spec, gateways: null, token: null });
  const at = atMark(PREFIX, "bot", state, 5);
  const marks = new Map([
    [name, JSON.stringify({ spec, gateways: null })],
    [at.name, at.value ?? ""],
  ]);
  expect(readMarks(PREFIX, marks).consumers.get("bot")?.token).toBeNull();
});

test.each([
  ["no JSON", "{"],
  ["no object", "[]"],
  [
    "a configuration with a key missing",
    JSON.stringify({ spec: { ...spec, filter: {} }, gateways: null, token: null }),
  ],
  ["gateways that are no texts", JSON.stringify({ spec, gateways: [1] })],
])("a configuration is passed over that is %s", (_, value) => {
  const at = atMark(PREFIX, "bot", state, 5);
  const { consumers, unreadable } = readMarks(
    PREFIX,
    new Map([
      [`${PREFIX}bot/spec`, value],
      [at.name, at.value],
    ]),
  );
  expect([consumers.size, unreadable]).toEqual([0, ["bot"]]);
});

test.each(["{", "[]", "{}", '{"f":-1}'])(
  "a consumer whose position is %s does not begin with all of the log",
  (value) => {
    const { name, value: saved } = specMark(PREFIX, "bot", { spec, gateways: null, token: null });
    const marks = new Map([
      [name, saved],
      [`${PREFIX}bot/at`, value],
    ]);
    expect(readMarks(PREFIX, marks)).toMatchObject({ consumers: new Map(), unreadable: ["bot"] });
  },
);

test("a position with nonsense in it is what of it makes sense", () => {
  const marks = new Map([
    [`${PREFIX}bot/spec`, JSON.stringify({ spec, gateways: null })],
    [`${PREFIX}bot/at`, '{"f":7,"a":[[9,8],[1.5,2],"x",[10,11]],"n":{"x":1,"12":"y","13":2},"t":-1}'],
    [`${PREFIX}bot/dead`, '[[5],["x",1,"dropped"]]'],
  ]);
  expect(readMarks(PREFIX, marks).consumers.get("bot")).toEqual({
    token: null,
    spec,
    gateways: null,
    seenMs: 0,
    state: {
      floor: 7,
      ranges: [[10, 11]],
      counts: new Map([[13, { deliveries: 2, failures: 1 }]]),
      dead: new Map([[5, { deliveries: 1, why: "max_deliver" }]]),
    },
  });
});

test("the consumers of accounts that are gone are forgotten, and those of no other", async () => {
  const all = ["v1/c/api.a/x/spec", "v1/c/api.ab/x/spec", "v1/c/api.b/x/at"];
  const gone: string[] = [];
  const log = {
    marks: async () => await Promise.resolve(new Map(all.map((name) => [name, ""]))),
    unmark: async (names: readonly string[]) => void gone.push(...(await Promise.resolve(names))),
  };
  await forgetConsumers(log, ["api.a"]);
  expect(gone).toEqual(["v1/c/api.ab/x/spec", "v1/c/api.b/x/at"]);
});
