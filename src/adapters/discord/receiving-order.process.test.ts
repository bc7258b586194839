import { expect, test } from "vitest";
import { discordTown, live, toldBy, until } from "./town.suite.ts";

test("a message that comes behind its own edit is told, as it is after that", async () => {
  const { alice, channel, ...town } = await discordTown();
  const { host } = await live({ alice, channel, ...town });
  const { hub } = town.server.world;
  const put = hub.put.bind(hub);
  const late: (() => void)[] = [];
  hub.put = (session, event, data) => {
    if (event === "MESSAGE_CREATE") late.push(() => put(session, event, data));
    else put(session, event, data);
  };
  alice.edit(alice.say(channel, "first"), "better");
  hub.put = put;
  for (const one of late) one();
  alice.say(channel, "end");
  await until(host, "Alice: end");
  expect(toldBy(host)).toEqual(["Alice edits: better", "Alice: better", "Alice: end"]);
});
