import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { populate } from "../../../test/servers/slack/people.ts";
import { live, slackTown, type SlackTown, until } from "./town.suite.ts";

const MIB = 1 << 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is alive, in bytes. */
function heap(): number {
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** What a session takes that has found its channel and heard somebody who speaks. */
async function costOf(town: SlackTown): Promise<number> {
  const before = heap();
  const { host } = await live(town);
  town.alice.say(town.channel, "hello");
  await until(host, "Alice: hello");
  return heap() - before;
}

test("20 000 people, 2000 channels and 5000 emoji cost at most 12 MiB more than none", async () => {
  // What is loaded once is no cost of a workspace.
  await costOf(await slackTown());
  const few = await costOf(await slackTown());
  const large = await slackTown();
  populate(large.server, large.team, { people: 20_000, channels: 2_000, emoji: 5_000 });
  const many = await costOf(large);
  expect((many - few) / MIB).toBeLessThan(12);
});
