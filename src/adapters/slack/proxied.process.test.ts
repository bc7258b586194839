import { describeProxied } from "../../../test/contract/proxied.ts";
import { begin, joinChannel, slackTown } from "./town.suite.ts";

// The Web API, the socket, and where files are kept.
describeProxied(2, async (Proxy) => {
  const town = await slackTown();
  const life = await begin(town, { settings: { Proxy } });
  const { alice, channel } = town;
  const sendFile = () => alice.sendFile(channel, { name: "b.txt", content: Buffer.from("hello") });
  return { ...life, channel: await joinChannel(life), say: (text) => alice.say(channel, text), sendFile };
});
