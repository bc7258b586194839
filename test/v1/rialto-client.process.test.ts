import { expect, test } from "vitest";
import { Rialto } from "../../src/client/index.ts";
import { toml } from "../support/config.ts";
import { useRialto } from "../support/suite.ts";

const rialto = useRialto({
  config: toml({ accounts: { ann: {}, bot: {} }, gateways: { lobby: { inout: ["ann", "bot"] } } }),
});

test("the client posts with a file, edits, reacts, asks for receipts and deletes, and another one reads all of it", async () => {
  const ann = new Rialto({ url: rialto().url("api.ann") });
  const bot = new Rialto({ url: rialto().url("api.bot") });
  const events = bot.events({ after: "0" });
  const content = new TextEncoder().encode("the content");
  const { id: file, bytes } = await ann.upload(content, { name: "a.txt" });
  expect(bytes).toBe(content.length);
  expect(await (await ann.download(file)).text()).toBe("the content");
  expect(await (await ann.download(file, { from: 4 })).text()).toBe("content");
  const { message } = await ann.post("lobby", { text: "hi", files: [file] });
  const id = message?.id ?? "";
  await ann.edit(id, { text: "hello" });
  await ann.react(id, "👍");
  await ann.react(id, "👍", { on: false });
  const receipts = await ann.receipts(id, { waitS: 5 });
  expect(receipts).toMatchObject([{ gateway: "lobby", account: "api.bot" }]);
  await ann.delete(id);
  await ann.typing("lobby");
  const types: string[] = [];
  for await (const { type } of events) {
    types.push(type);
    if (type === "message.deleted") break;
  }
  expect(types).toEqual(["message.posted", "message.edited", "reaction.added", "reaction.removed", "message.deleted"]);
  expect((await ann.members("lobby")).members).toEqual([]);
});
