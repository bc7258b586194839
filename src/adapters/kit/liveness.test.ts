import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { Liveness } from "./liveness.ts";

function stage() {
  const clock = new FakeClock();
  const told: string[] = [];
  const liveness = new Liveness({
    clock,
    silentMs: 60_000,
    doubtMs: 20_000,
    deadMs: 90_000,
    ask: () => told.push("ask"),
    onDoubt: (why) => told.push(why === null ? "sure" : "doubt"),
    onDead: ({ message }) => told.push(message),
  });
  liveness.start();
  return { clock, told, liveness };
}

test("a server that is silent is asked, doubted and given up", async () => {
  const { clock, told } = stage();
  await clock.advance(59_999);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual(["ask"]);
  await clock.advance(20_000);
  expect(told).toEqual(["ask", "doubt"]);
  await clock.advance(70_000);
  expect(told).toEqual(["ask", "doubt", "the server has not answered for 90 seconds"]);
  expect(clock.waiting).toBe(0);
});

test("anything that comes is an answer", async () => {
  const { clock, told, liveness } = stage();
  await clock.advance(50_000);
  liveness.heard();
  await clock.advance(59_000);
  expect(told).toEqual([]);
  await clock.advance(1_000);
  liveness.heard();
  await clock.advance(80_000);
  liveness.heard();
  expect(told).toEqual(["ask", "ask", "doubt", "sure"]);
  liveness.stop();
  expect(clock.waiting).toBe(0);
});

test("while nothing is read, silence means nothing", async () => {
  const { clock, told, liveness } = stage();
  await clock.advance(70_000);
  liveness.reading(false);
  await clock.advance(600_000);
  liveness.reading(true);
  await clock.advance(59_000);
  expect(told).toEqual(["ask"]);
  await clock.advance(1_000);
  expect(told).toEqual(["ask", "ask"]);
});
