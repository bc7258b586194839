import { describe, expect, test } from "vitest";
import { END, type MessageRef, type Progress } from "../../contract/ids.ts";
import type { Outcome, Reason } from "../../contract/outcome.ts";
import { type Decision, receiptOf, settle, type AttemptState, waitMs } from "./settle.ts";

const p1 = "1" as Progress;
const p2 = "2" as Progress;
const why: Reason = { code: "network", message: "down" };
const delivered: Outcome = { is: "delivered", receipt: { messages: [], losses: [] } };
const rejected: Outcome = { is: "rejected", why };
const unknown: Outcome = { is: "unknown", why };
const slow: Outcome = { is: "deferred", why, retryInMs: 5_000, scope: "session" };

const sent = { is: "finish", state: "sent", why: null } as const;
const finish = (state: "failed" | "unconfirmed"): Decision => ({ is: "finish", state, why });
const again = (resume: Progress | null, more: object = {}): Decision => ({
  is: "retry",
  resume,
  why,
  wait: { for: "backoff" },
  unconfirmed: false,
  doubt: false,
  ...more,
});
const slowly = { wait: { for: "session", ms: 5_000 } };

type By = AttemptState["by"];
type Row = readonly [by: By, announced: Progress | null, confirmed: Progress | null, Outcome, Decision];

const each = (...rows: readonly (readonly [Progress | null, Progress | null, Outcome, Decision])[]): Row[] =>
  (["none", "key", "echo"] as const).flatMap((by) =>
    rows.map(([announced, confirmed, outcome, decision]): Row => [by, announced, confirmed, outcome, decision]),
  );

const TABLE: readonly Row[] = [
  ...each(
    [null, null, delivered, sent],
    [END, p1, delivered, sent],
    [null, null, rejected, finish("failed")],
    [p2, p1, rejected, finish("failed")],
    [null, null, slow, again(null, slowly)],
    // A deferral vouches for what was announced: it was not sent.
    [p2, p1, slow, again(p1, slowly)],
    [END, null, slow, again(null, slowly)],
    // All of it is confirmed, whatever the handler says in the end.
    [END, END, unknown, sent],
    [END, END, slow, sent],
  ),
  ["none", null, null, unknown, again(null)],
  ["none", p1, p1, unknown, again(p1)],
  ["none", p1, null, unknown, again(p1, { unconfirmed: true })],
  ["none", p2, p1, unknown, again(p2, { unconfirmed: true })],
  ["none", END, p1, unknown, finish("unconfirmed")],
  ["none", END, null, unknown, finish("unconfirmed")],
  // Announced further than it was sent.
  ["none", END, null, { ...unknown, upTo: p1 }, again(p1, { unconfirmed: true })],
  ["none", p2, p1, { ...unknown, upTo: p1 }, again(p1)],
  ["none", END, p1, { ...unknown, upTo: END }, finish("unconfirmed")],
  ["key", END, null, unknown, again(null, { doubt: true })],
  ["key", END, p1, unknown, again(p1, { doubt: true })],
  ["key", null, null, unknown, again(null, { doubt: true })],
  ["echo", END, p1, unknown, again(p1, { doubt: true })],
  // Nobody can find it out, as an exception.
  ["echo", null, null, { ...unknown, upTo: p1, final: true }, again(p1, { unconfirmed: true })],
  ["echo", p1, p1, { ...unknown, upTo: END, final: true }, finish("unconfirmed")],
];

test.each(TABLE)("%s, announced %s, confirmed %s, outcome %j", (by, announced, confirmed, outcome, decision) => {
  expect(settle({ by, announced, confirmed, throws: 0 }, outcome)).toEqual(decision);
});

describe("a handler that throws each time is given up on", () => {
  test.each([
    ["none", null, 9, again(null)],
    ["none", null, 10, finish("failed")],
    ["none", p1, 10, finish("unconfirmed")],
    ["key", null, 9, again(null, { doubt: true })],
    ["key", null, 10, finish("unconfirmed")],
  ] as const)("%s, announced %s, %d throws", (by, announced, throws, decision) => {
    expect(settle({ by, announced, confirmed: null, throws }, unknown)).toEqual(decision);
  });
});

describe("waitMs", () => {
  test.each([
    [0, 100],
    [-5, 100],
    [Number.NaN, 100],
    [5_000, 5_000],
    [1e12, 3_600_000],
  ])("asked for %d ms, waits %d", (ms, waits) => {
    expect(waitMs({ for: "channel", ms }, 3, () => 0)).toBe(waits);
  });

  test("a back-off grows with the attempts", () => {
    expect([1, 2, 20].map((attempts) => waitMs({ for: "backoff" }, attempts, () => 0.5))).toEqual([500, 1_000, 30_000]);
  });
});

describe("receiptOf", () => {
  const ending = { state: "sent", why: null, messages: [], losses: [], copies: null } as const;
  const losses = [{ what: "format", note: "bold" }] as const;

  test("there is none when the cursor says it all", () => {
    expect(receiptOf("l", 4, ending)).toBeNull();
  });

  test.each([
    [{ ...ending, messages: ["m1" as MessageRef] }, "sent", { messages: ["m1"] }],
    [{ ...ending, losses }, "sent", { losses: [...losses] }],
    [{ ...ending, state: "failed", why } as const, "failed", { why }],
    [
      { ...ending, state: "unconfirmed", why, messages: ["m1" as MessageRef] } as const,
      "unconfirmed",
      { messages: ["m1"], why },
    ],
  ])("%j", (given, state, detail) => {
    const receipt = receiptOf("l", 4, given);
    expect(receipt).toMatchObject({ lane: "l", seq: 4, state });
    expect(JSON.parse(receipt?.detail ?? "")).toEqual(detail);
  });
});
