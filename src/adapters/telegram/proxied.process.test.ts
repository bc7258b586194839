import { describeProxied } from "../../../test/contract/proxied.ts";
import { begin, joinChat, telegramTown } from "./town.suite.ts";

// The poll, and everything else.
describeProxied(2, async (Proxy) => {
  const town = await telegramTown();
  const life = await begin(town, { settings: { Proxy } });
  const { alice, chat } = town;
  const sendFile = () => alice.send(chat, "document", { name: "b.txt", content: Buffer.from("hello") });
  return { ...life, channel: await joinChat(life, chat.id), say: (text) => alice.say(chat, text), sendFile };
});
