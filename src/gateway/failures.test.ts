import { describe, expect, test } from "vitest";
import type { ReasonCode } from "../contract/outcome.ts";
import type { Known } from "../log/log.ts";
import { decodeStored } from "./codec.ts";
import { arrivedEntry, type Failure, failureEntry, failureRef, failureSubject, isFailure } from "./failures.ts";
import { compileRoutes } from "./routes.ts";
import { aConfig, aGateway, anAccount } from "./samples.suite.ts";
import { ABLE, NOTHING_HERE, opOf, planOf, postOf, refs } from "./plan.suite.ts";

const message: Known = {
  seq: 7,
  subject: "net.home/lobby",
  at: 1_000,
  author: '["u1",null]',
  name: "ann",
  excerpt: "hello all",
  gone: false,
};
const FAILURE: Failure = { message, account: "net.Game", channel: "general" };
const notice: Known = {
  ...message,
  seq: 9,
  subject: failureSubject(message.subject),
  author: '["rialto.failure",null]',
};

const NOTICE = failureEntry(FAILURE, "too_large", 2_000);
const TAKEN_BACK = arrivedEntry(FAILURE, notice, 3_000);

describe("the entries", () => {
  test.each<[Partial<Failure>, ReasonCode, string]>([
    [{}, "too_large", "This message was not delivered to net.Game general (too large)."],
    [{}, "forbidden", "This message was not delivered to net.Game general (it does not allow this)."],
    [{ channel: "a\nb" }, "bug", "This message was not delivered to net.Game a b (an error in Rialto)."],
  ])("%j %s: %s", (more, code, expected) => {
    expect(decodeStored(failureEntry({ ...FAILURE, ...more }, code, 0).payload).message.text).toBe(expected);
  });

  test("are at a subject of the message's place, one for each destination, and the second deletes the first", () => {
    expect([NOTICE.subject, TAKEN_BACK.subject]).toEqual(Array(2).fill("rialto.failure/net.home/lobby"));
    expect(NOTICE.note).toMatchObject({ is: "said", refs: [failureRef(7, FAILURE)] });
    expect(TAKEN_BACK.note).toEqual({ is: "gone", of: 9 });
    const other = failureEntry({ ...FAILURE, channel: "other" }, "too_large", 0);
    expect(new Set([NOTICE.key, TAKEN_BACK.key, other.key]).size).toBe(3);
    expect([NOTICE, TAKEN_BACK].map(({ payload }) => isFailure(decodeStored(payload)))).toEqual([true, true]);
  });
});

describe("what a room sees", () => {
  const here = { ...NOTHING_HERE, about: refs("said") };

  test("an answer to the message, from nobody, that notifies nobody", () => {
    const plan = planOf({}, [], { ...ABLE, reply: "native" });
    expect(postOf(plan, plan.read(NOTICE.payload), here)).toMatchObject({
      author: null,
      reply: { target: "said", name: "ann" },
      body: { source: { text: "This message was not delivered to net.Game general (too large)." } },
      mayPing: { users: false, everyone: false },
    });
  });

  test("where there are no replies, the author's name in words", () => {
    const plan = planOf({}, [], { ...ABLE, reply: "none" });
    const words = JSON.stringify(postOf(plan, plan.read(NOTICE.payload), NOTHING_HERE).body.blocks);
    expect(words).toContain("ann");
    expect(words).toContain("not delivered to net.Game general");
  });

  test("once it has arrived, the answer is deleted; where that is not possible, it stays", () => {
    const plan = planOf({}, [], ABLE);
    const stored = plan.read(TAKEN_BACK.payload);
    expect(opOf(plan, stored, here)).toEqual({ kind: "delete", target: refs("said"), author: null });
    const without = planOf({}, [], { ...ABLE, ops: { edit: "none", delete: "none", react: "none", topic: "none" } });
    expect(without.op(stored, "g", here)).toMatchObject({ is: "omitted" });
  });
});

test("a room itself reads it, once; no account of the API, and no room that wants quiet", () => {
  const lines = ["inout net.a #x", "inout net.b #x", "in net.c #in", "out net.d #out", "inout api.left api"];
  const accounts = [anAccount("net.b", { showFailures: false })];
  const routes = compileRoutes(aConfig([aGateway("g", lines), aGateway("h", lines)], accounts));
  const readers = (place: string): readonly string[] =>
    routes
      .targets(failureSubject(place))
      .map(({ gateway, account, channel }) => `${gateway}: ${account.key} ${channel}`);
  expect(readers("net.a/#x")).toEqual(["g: net.a #x"]);
  for (const place of ["net.b/#x", "net.c/#in", "net.d/#out", "api.left/g"]) expect(readers(place)).toEqual([]);
});
