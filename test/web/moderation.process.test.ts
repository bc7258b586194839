import { expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/contract/message.ts";
import { ApiClient } from "../support/client.ts";
import { freePorts } from "../support/ports.ts";
import { eventually } from "../support/wait.ts";
import { webStage } from "./stage.ts";

const KILLS = 4;

test("kill -9 around what waits: moderators are told once, and what they decide is done once", async () => {
  const [port = 0] = await freePorts(1);
  const stage = await webStage(
    'Moderation = "staff"\nHold = true\n',
    `[api.staff]\nBindAddress = "127.0.0.1:${port}"\nFullEvents = true
[[gateway]]\nname = "staff"\nenable = true\ninout = [{ account = "web.site", channel = "staff" }, { account = "api.staff" }]\n`,
  );
  onTestFinished(async () => await stage.stop());
  const staff = new ApiClient(`http://127.0.0.1:${port}`);
  const told: Message[] = [];
  const public_: string[] = [];
  // A poll whose answer a crash tore may come again: it is the same message then.
  const read = async (): Promise<void> => {
    for (const one of await staff.poll()) if (!told.some(({ id }) => id === one.id)) told.push(one);
    public_.push(...(await stage.game.poll()).map(({ text }) => text));
  };
  const tells = async (words: string): Promise<Message> => {
    const find = () => told.find(({ text }) => text.includes(words));
    await eventually(
      async () => {
        await read();
        return find();
      },
      (message) => message !== undefined,
      () => `"${words}" in ${JSON.stringify(told.map(({ text }) => text))}`,
    );
    return find() as Message;
  };
  const invite = await stage.invite("--uses", String(KILLS));
  for (let count = 1; count <= KILLS; count += 1) {
    const guest = await stage.guest(`guest${"abcd".charAt(count - 1)}`, invite);
    expect((await guest.say(`words ${count}`)).status).toBe(202);
    await stage.kill();
    await stage.start();
    const { id } = await tells(`> words ${count}`);
    await staff.say({ id, text: "👍", event: "msg_reaction", username: "tom", gateway: "staff" });
    await stage.kill();
    await stage.start();
    await tells(`Number ${count}: approved by tom.`);
  }
  await eventually(
    async () => {
      await read();
      return public_.length;
    },
    (length) => length >= KILLS,
    () => `all words in ${JSON.stringify(public_)}`,
  );
  expect(public_).toEqual(Array.from({ length: KILLS }, (_, at) => `words ${at + 1}`));
  expect(told.filter(({ event }) => event === "")).toHaveLength(2 * KILLS);
});
