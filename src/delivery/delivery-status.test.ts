import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { openAt, scratchFolder } from "../log/sqlite/scratch.suite.ts";
import { systemClock } from "./clock.ts";
import { type Delivery, openDelivery } from "./delivery.ts";
import { RemoteFiles } from "./remote-files.ts";
import { MemoryLogger, refOf, ScriptedNetwork } from "./scripted.suite.ts";
import { MemoryFiles } from "./stage.suite.ts";
import type { AccountStatus } from "./status.ts";

const BANNED = { code: "forbidden", message: "banned" } as const;

/** `net.b` before `net.a`, as the configuration has them; `wrong` cannot log in. */
async function opened(): Promise<{ readonly delivery: Delivery; readonly net: ScriptedNetwork }> {
  const [net, wrong] = [new ScriptedNetwork(), new ScriptedNetwork()];
  wrong.refuse({ cause: "auth", why: { code: "auth", message: "wrong password" } });
  const gateways = [
    aGateway("one", ["inout net.b #x", "inout net.a #y", "inout wrong.c #z"]),
    aGateway("two", ["in net.b #w", "out net.a #y"]),
  ];
  const config = aConfig(
    gateways,
    ["net.b", "net.a", "wrong.c"].map((name) => anAccount(name)),
  );
  const delivery = await openDelivery({
    config,
    adapters: new Map([
      ["net", net.adapter],
      ["wrong", wrong.adapter],
    ]),
    routes: compileRoutes(config),
    log: await openAt(scratchFolder()),
    files: new MemoryFiles(),
    remoteFiles: new RemoteFiles(),
    logger: new MemoryLogger().logger,
    clock: systemClock,
    random: () => 0,
  });
  onTestFinished(async () => {
    await delivery.quiesce();
    await delivery.close();
  });
  return { delivery, net };
}

/** `net.b online: #x joined [one]`: each account, its channels, and the gateways of their lanes. */
const shown = (all: readonly AccountStatus[]): readonly string[] =>
  all.map(({ account, state, channels }) => {
    const each = channels.map(
      ({ channel, state, lanes }) => `${channel} ${state} [${lanes.map((lane) => lane.gateway).join()}]`,
    );
    return `${account} ${state}: ${each.join(", ")}`;
  });

test("every account is shown in the order of the configuration, with its channels and their lanes", async () => {
  const { delivery } = await opened();
  expect(shown(await delivery.status())).toEqual([
    "net.b connecting: #x offline [one], #w offline []",
    "net.a connecting: #y offline [one,two]",
    "wrong.c connecting: #z offline [one]",
  ]);
  delivery.start();
  const running = [
    "net.b online: #x joined [one], #w joined []",
    "net.a online: #y joined [one,two]",
    "wrong.c action-needed: #z offline [one]",
  ];
  const all = await eventually(
    async () => await delivery.status(),
    (now) => shown(now).join("; ") === running.join("; "),
    () => "all accounts to be as they should",
  );
  expect(all[2]?.channels[0]).toMatchObject({
    why: { message: "wrong password" },
    remedy: expect.stringContaining("credentials") as string,
    lanes: [{ gateway: "one", channel: "#z", why: { message: "wrong password" } }],
  });
});

test("what holds up a channel is its own: the account is well", async () => {
  const { delivery, net } = await opened();
  delivery.start();
  await eventually(
    async () => await delivery.status(),
    (now) => now[0]?.channels.every(({ state }) => state === "joined") === true,
    () => "the channels to be joined",
  );
  const nth = net.sessions.findIndex(({ asked }) => asked.includes("#x"));
  net.opens[nth]?.host.lost(refOf("#x"), BANNED, 60_000);
  const [account] = await delivery.status();
  expect(account).toMatchObject({ state: "online", why: null });
  expect(account?.channels.map(({ state, why }) => [state, why?.message])).toEqual([
    ["waiting", "banned"],
    ["joined", undefined],
  ]);
});
