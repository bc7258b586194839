import { expect, test } from "vitest";
import type { Entry } from "../log/log.ts";
import { Metrics } from "./metrics.ts";
import { aReader, aStatus } from "./samples.suite.ts";
import { Traffic } from "./traffic.ts";

const LANE = { gateway: "g", account: "net.home", channel: "#room" };
const PLACES = {
  accounts: [aStatus()],
  readers: [aReader()],
  bridges: [{ gateway: "g", account: "api.web", channel: "api", direction: "inout" as const }],
};

function aStage() {
  const metrics = new Metrics("1");
  const traffic = new Traffic(metrics.traffic);
  const hear = (subject: string, count: number): void =>
    metrics.accepted(
      Array.from({ length: count }, (_, seq): Entry => ({ seq, subject, at: 0, label: "", payload: null })),
    );
  const send = (ageMs: number, count = 1): void => {
    for (let at = 0; at < count; at += 1) metrics.ended(LANE, "sent", ageMs);
  };
  const pass = (seconds: number): void => {
    for (let at = 0; at < seconds / 10; at += 1) traffic.sample();
  };
  const room = () => traffic.view(PLACES)[0]?.rooms[0];
  return { traffic, hear, send, pass, room, lane: () => room()?.lanes[0], metrics };
}

test("a rate is what came in the last minute, in and out, room by room", () => {
  const { hear, send, pass, room, traffic } = aStage();
  hear("net.home/#room", 3);
  hear("api.web/g", 7);
  hear("net.home/#other", 100);
  send(5, 2);
  expect(room()?.in).toEqual({ total: 0, perMinute: 0, minutes: [] });
  pass(10);
  expect([room()?.in.perMinute, room()?.lanes[0]?.out.perMinute]).toEqual([3, 2]);
  expect(traffic.view(PLACES)[1]).toMatchObject({
    account: "api.web",
    rooms: [{ channel: "g", in: { perMinute: 7 } }],
  });
  pass(50);
  expect(room()?.in.perMinute).toBe(3);
  pass(10);
  expect(room()?.in).toMatchObject({ total: 3, perMinute: 0 });
});

test("each of the last thirty minutes is kept, the oldest first, and what is longer ago is gone", () => {
  const { hear, pass, room } = aStage();
  for (let minute = 1; minute <= 40; minute += 1) {
    hear("net.home/#room", minute);
    pass(60);
  }
  expect(room()?.in.minutes).toEqual(Array.from({ length: 30 }, (_, at) => at + 11));
  pass(30 * 60);
  expect(room()?.in.minutes).toEqual([]);
});

test("how long messages took is that of the last minutes alone; of a lane that sent nothing nobody knows it", () => {
  const { send, pass, lane } = aStage();
  expect(lane()).toMatchObject({ p50Ms: null, p99Ms: null });
  send(4, 98);
  send(900, 2);
  pass(10);
  expect(lane()).toMatchObject({ p50Ms: 5, p99Ms: 1000 });
  pass(150);
  send(40);
  expect(lane()).toMatchObject({ p50Ms: 5, p99Ms: 1000 });
  pass(150);
  send(40);
  expect(lane()).toMatchObject({ p50Ms: 50, p99Ms: 50 });
  pass(300);
  expect(lane()).toMatchObject({ p50Ms: null, p99Ms: null });
});

test("a clock that was set, and days in a queue, are at the ends of what is told", () => {
  const { send, pass, lane } = aStage();
  send(-5000);
  pass(10);
  expect(lane()?.p99Ms).toBe(1);
  send(10 ** 9, 100);
  pass(10);
  expect(lane()?.p99Ms).toBe(3_600_000);
});
