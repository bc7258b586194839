import { expect, test } from "vitest";
import { isObject, type Json, NOTHING } from "../kit/json.ts";
import { KeptMessages } from "./kept-messages.ts";
import { tsAfter } from "./message.suite.ts";

/** As the disk has it. */
function again(kept: KeptMessages): KeptMessages {
  const json: unknown = JSON.parse(JSON.stringify(kept.write()));
  return new KeptMessages(isObject(json) ? json : NOTHING);
}

const message = (seconds: number) => ({
  ts: tsAfter(seconds),
  root: "",
  editedTs: "",
  digest: "",
  changedTs: "",
  reactions: new Set<string>(),
});

test("what is written is read again, and has not moved then", () => {
  const kept = new KeptMessages(NOTHING);
  kept.keep("C1", message(2));
  kept.keep("C1", { ...message(1), root: tsAfter(0), editedTs: tsAfter(9), reactions: new Set(["x U1"]) });
  kept.keep("C1", { ...message(5), editedTs: tsAfter(9), digest: "abc", changedTs: tsAfter(10) });
  kept.keep("C2", { ...message(3), reactions: null });
  expect(kept.moved).toBe(true);
  const read = again(kept);
  expect([read.moved, kept.moved]).toEqual([false, false]);
  expect(["C1", "C2"].map((id) => read.of(id))).toEqual(["C1", "C2"].map((id) => kept.of(id)));
  expect(read.of("C1").map(({ ts }) => ts)).toEqual([tsAfter(1), tsAfter(2), tsAfter(5)]);
});

test("a reaction is told once, whatever the order in which it is heard", () => {
  const kept = new KeptMessages(NOTHING);
  kept.keep("C1", message(1));
  const reaction = { ts: tsAfter(1), user: "U1", name: "x" };
  const told = [true, true, false, false, true].map((on) => kept.react("C1", { ...reaction, on }));
  expect(told).toEqual([true, false, true, false, true]);
  // Of what is not kept, nobody knows.
  expect(kept.react("C1", { ...reaction, ts: tsAfter(7), on: false })).toBe(true);
});

test("the newest of each channel are kept, and the channels used last", () => {
  const kept = new KeptMessages(NOTHING);
  for (let at = 0; at < 30; at += 1) kept.keep("C0", message(at));
  kept.keep("C0", message(-5));
  expect(kept.of("C0").map(({ ts }) => ts)).toEqual(Array.from({ length: 20 }, (_, at) => tsAfter(10 + at)));
  for (let at = 1; at <= 300; at += 1) kept.keep(`C${at}`, message(at));
  expect([kept.of("C0").length, kept.of("C300").length, kept.of("C30").length]).toEqual([0, 1, 0]);
});

test("a message with very many reactions is not compared, and all of them have room", () => {
  const kept = new KeptMessages(NOTHING);
  const many = (count: number) => new Set(Array.from({ length: count }, (_, at) => `x U${at}`));
  kept.keep("C1", { ...message(1), reactions: many(51) });
  expect(kept.find("C1", tsAfter(1))?.reactions).toBeNull();
  for (let at = 0; at < 40; at += 1) kept.keep(`D${at}`, { ...message(at), reactions: many(50) });
  expect(Array.from({ length: 40 }, (_, at) => kept.of(`D${at}`).length).filter((count) => count > 0)).toHaveLength(20);
});

test.each<[Json]>([[{ kept: [] }], [{ kept: { C1: "x", C2: [7, {}, "x", ["1700000000.000100", 5]] } }]])(
  "%j says nothing",
  (json) => {
    expect(new KeptMessages(json).write()).toEqual({});
  },
);
