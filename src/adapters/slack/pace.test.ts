import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { channelRef } from "./ids.ts";
import { ChannelPace } from "./pace.ts";

const [dock, pier] = [channelRef("C1"), channelRef("C2")];

test("nothing waits before the first objection, then one a second goes for a minute, in that channel", async () => {
  const clock = new FakeClock();
  const pace = new ChannelPace(clock);
  for (let at = 0; at < 100; at += 1) {
    expect(pace.waitMs(dock)).toBe(0);
    pace.posting(dock);
  }
  pace.refused(dock, 7_000);
  expect([pace.waitMs(dock), pace.waitMs(pier)]).toEqual([7_000, 0]);
  await clock.advance(7_000);
  for (let at = 0; at < 60; at += 1) {
    expect(pace.waitMs(dock)).toBe(0);
    pace.posting(dock);
    expect(pace.waitMs(dock)).toBe(1_000);
    await clock.advance(1_000);
  }
  pace.posting(dock);
  expect(pace.waitMs(dock)).toBe(0);
});
