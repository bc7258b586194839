import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { until } from "../../../test/contract/life.ts";
import { populate } from "../../../test/servers/discord/people.ts";
import { discordTown, type DiscordTown, live } from "./town.suite.ts";

const MIB = 1 << 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is alive, in bytes. */
function heap(): number {
  for (let time = 0; time < 3; time += 1) collect();
  return process.memoryUsage().heapUsed;
}

/** What a session takes that has heard of the server and of somebody who speaks. */
async function costOf(town: DiscordTown): Promise<number> {
  const before = heap();
  const life = await live(town);
  town.alice.say(town.channel, "hello");
  await until(life.host, "Alice: hello");
  return heap() - before;
}

test("20 000 members and 500 channels cost at most 12 MiB more than none", async () => {
  // What is loaded once is no cost of a server.
  await costOf(await discordTown());
  const few = await costOf(await discordTown());
  const large = await discordTown();
  populate(large.server, large.guild, 20_000, 500);
  const many = await costOf(large);
  expect((many - few) / MIB).toBeLessThan(12);
});
