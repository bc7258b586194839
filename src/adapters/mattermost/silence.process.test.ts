import { expect, test } from "vitest";
import { toldBy, until } from "../../../test/contract/life.ts";
import { RecordingHost } from "../../../test/contract/recording-host.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { within } from "../../../test/support/wait.ts";
import { live, mattermostTown } from "./town.suite.ts";

test("an outage of a minute is noticed by the silence, and what was said in it is told once", async () => {
  const town = await mattermostTown();
  const { alice, channel, server } = town;
  const clock = new FakeClock();
  const first = await live(town, { host: new RecordingHost(clock) });
  await alice.say(channel, "before");
  await until(first.host, "Alice: before");
  server.wire.stall();
  await alice.say(channel, "meanwhile");
  await clock.advance(40_000);
  expect(first.host.doubts.at(-1)).toMatchObject({ code: "timeout" });
  await clock.advance(20_000);
  const ended = await within(first.session.ended, () => "the end of the session");
  expect(ended).toMatchObject({ cause: "lost", why: { code: "timeout" } });
  expect(toldBy(first.host)).toEqual(["Alice: before"]);
  server.wire.flow();
  const second = await live(town, first);
  await alice.say(channel, "after");
  await until(second.host, "Alice: after");
  expect(toldBy(second.host)).toEqual(["Alice: before", "Alice: meanwhile", "Alice: after"]);
});
