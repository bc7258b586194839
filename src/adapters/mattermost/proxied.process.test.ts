import { enterTown } from "../../../test/contract/life.ts";
import { describeProxied } from "../../../test/contract/proxied.ts";
import { mattermostTown, tryOpen } from "./town.suite.ts";

// REST and the WebSocket.
describeProxied(2, async (Proxy) => {
  const town = await mattermostTown();
  const { host, session, ref } = await enterTown(await tryOpen(town, { settings: { Proxy } }));
  const { alice, channel } = town;
  const sendFile = async () => await alice.sendFile(channel, "b.txt", Buffer.from("hello"));
  return { host, session, channel: ref, say: async (text) => await alice.say(channel, text), sendFile };
});
