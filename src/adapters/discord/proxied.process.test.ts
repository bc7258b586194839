import { describeProxied } from "../../../test/contract/proxied.ts";
import { discordTown, live } from "./town.suite.ts";

// REST, the gateway, and where files are kept.
describeProxied(2, async (Proxy) => {
  const town = await discordTown();
  const { host, session, ref } = await live(town, null, { Proxy });
  const { alice, channel } = town;
  return { host, session, channel: ref, say: (text) => alice.say(channel, text) };
});
