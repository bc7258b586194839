import { expect, onTestFinished, test } from "vitest";
import { Rialto } from "../../src/client/index.ts";
import { toml } from "../support/config.ts";
import { type Rialto as Program, startRialto } from "../support/rialto.ts";

const config = toml({ accounts: { ann: {}, bob: {} }, gateways: { lobby: { inout: ["ann", "bob"] } } });

test("what a program says on /api is known by its id to those on /v1, also when they come after a restart", async () => {
  const start = async (dataPath?: string): Promise<Program> => {
    const started = await startRialto({ config, ...(dataPath !== undefined && { dataPath }) });
    onTestFinished(async () => await started.dispose());
    return started;
  };
  let rialto = await start();
  const say = async (text: string): Promise<void> => {
    const { status } = await fetch(`${rialto.url("api.ann")}/api/message`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text, username: "ann", gateway: "lobby" }),
    });
    expect(status).toBe(200);
  };
  const last = async (): Promise<string> => {
    const bob = new Rialto({ url: rialto.url("api.bob") });
    const { message } = (await bob.history("lobby", { limit: 1 })).messages[0] ?? {};
    await bob.react(message?.id ?? "", "👍");
    return message?.text ?? "";
  };
  await (await fetch(`${rialto.url("api.bob")}/v1/consumers/bot`, { method: "PUT" })).text();
  await say("while /v1 of another account is used");
  expect(await last()).toBe("while /v1 of another account is used");
  await rialto.kill9();
  rialto = await start(rialto.dataPath);
  await say("before anybody has asked");
  expect(await last()).toBe("before anybody has asked");
});
