import { expect, test } from "vitest";
import { deferred, delivered, type StageLine, rejected, Stage, type StageOptions, WHY } from "../stage.suite.ts";

async function opened(options: StageOptions = {}): Promise<Stage> {
  const stage = new Stage({ outageNoticeMs: 300_000, ...options });
  await stage.open();
  return stage;
}

const told = (stage: Stage): readonly StageLine[] =>
  stage.lines.filter(({ message }) => message.startsWith("messages "));

test("one warning when something has waited long enough, and one line when it goes on", async () => {
  const stage = await opened();
  stage.lane.disconnect(WHY);
  await stage.say("1");
  const since = new Date(stage.clock.nowMs()).toISOString();
  await stage.clock.advance(100_000);
  await stage.say("2", "3");
  await stage.clock.advance(199_999);
  expect(told(stage)).toEqual([]);
  await stage.clock.advance(1);
  const fields = { gateway: "g", account: "net.B", channel: "#to" };
  const warning = { level: "warn", fields: { ...fields, since, waiting: 3, why: WHY.message } };
  expect(told(stage)).toMatchObject([warning]);
  await stage.clock.advance(3_000_000);
  expect(told(stage)).toHaveLength(1);
  await stage.connect();
  await stage.end(1, delivered);
  expect(told(stage)).toMatchObject([
    warning,
    { level: "info", fields: { ...fields, seconds: 3_300, waiting: 3, expired: 0 } },
  ]);
  await stage.end(2, delivered);
  expect(told(stage)).toHaveLength(2);
});

test.each([
  ["ahead", 7_200_000],
  ["back", -7_200_000],
])("a clock that is set %s makes nothing wait longer or shorter", async (_, ms) => {
  const stage = await opened();
  stage.lane.disconnect(WHY);
  await stage.say("1");
  await stage.clock.advance(100_000);
  stage.clock.jump(ms);
  await stage.say("2");
  await stage.clock.advance(199_999);
  expect(told(stage)).toEqual([]);
  await stage.clock.advance(1);
  expect(told(stage)).toHaveLength(1);
  await stage.clock.advance(700_000);
  await stage.connect();
  await stage.end(1, delivered);
  expect(told(stage)[1]).toMatchObject({ fields: { seconds: 1_000 } });
});

test("what expired meanwhile is counted", async () => {
  const stage = await opened({ maxAgeMs: 600_000 });
  await stage.say("1", "2");
  await stage.clock.advance(600_001);
  await stage.say("3");
  await stage.connect();
  await stage.end(1, delivered);
  expect(told(stage).find(({ level }) => level === "info")).toMatchObject({ fields: { expired: 2, waiting: 4 } });
});

test("a long backlog that moves is no outage", async () => {
  const stage = await opened();
  await stage.connect();
  await stage.say("1", "2", "3", "4");
  for (let number = 1; number <= 4; number++) {
    await stage.clock.advance(200_000);
    await stage.end(number, delivered);
  }
  expect(told(stage)).toEqual([]);
});

test("an old backlog is none before the lane had its time to connect", async () => {
  const stage = await opened();
  await stage.say("1");
  await stage.clock.advance(100_000);
  const again = stage.next();
  await again.open();
  await again.clock.advance(299_999);
  expect(told(again)).toEqual([]);
  await again.clock.advance(1);
  expect(told(again)).toMatchObject([{ level: "warn" }]);
});

test("the reason is the last one heard; a refusal is no delivery", async () => {
  const stage = await opened();
  await stage.connect();
  await stage.say("1", "2");
  await stage.end(1, deferred(600_000));
  await stage.clock.advance(300_000);
  expect(told(stage)).toMatchObject([{ fields: { why: WHY.message } }]);
  await stage.clock.advance(300_000);
  await stage.end(2, rejected);
  expect(told(stage)).toHaveLength(1);
  await stage.end(3, delivered);
  expect(told(stage)).toHaveLength(2);
});

test("nothing is said after a stop", async () => {
  const stage = await opened();
  await stage.say("1");
  await stage.lane.stop(AbortSignal.abort());
  await stage.clock.advance(1_000_000);
  expect(told(stage)).toEqual([]);
});

test.each([
  ["a channel that was lost and is joined again", async () => {}],
  [
    "a message that was put off and got through",
    async (stage: Stage) => {
      await stage.say("0");
      await stage.end(1, deferred(1000));
      await stage.clock.advance(1000);
      await stage.end(2, delivered);
    },
  ],
])("a reason that is over is not given for what waits later: %s", async (_, happens) => {
  const stage = await opened();
  stage.lane.disconnect(WHY);
  await stage.connect();
  await happens(stage);
  await stage.say("1");
  await stage.clock.advance(400_000);
  expect(told(stage)).toMatchObject([{ level: "warn", fields: { why: "the reason is unknown" } }]);
});
