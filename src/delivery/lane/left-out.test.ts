import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/support/wait.ts";
import type { Config } from "../../config/config.ts";
import { encode } from "../../gateway/codec.ts";
import { liveRoutes } from "../../gateway/live-routes.ts";
import { compileRoutes } from "../../gateway/routes.ts";
import { aConfig, aGateway, aMessage, anAccount } from "../../gateway/samples.suite.ts";
import { openAt, scratchFolder } from "../../log/sqlite/scratch.suite.ts";
import { systemClock } from "../clock.ts";
import { openDelivery } from "../delivery.ts";
import { RemoteFiles } from "../remote-files.ts";
import { MemoryLogger, ScriptedNetwork } from "../scripted.suite.ts";
import { MemoryFiles } from "../stage.suite.ts";

const WHOLE = aConfig([aGateway("g", ["inout net.a #x", "inout api.left api"])], [anAccount("net.a")]);
const ERROR = { severity: "error", code: "x", file: "f", line: 1, column: 1, message: "m", remedy: "" } as const;
const WITHOUT: Config = { ...aConfig([aGateway("g", ["inout api.left api"])]), errors: [ERROR] };

test("a bridge that an error had left out comes back with what waits for it, as at a start", async () => {
  const log = await openAt(scratchFolder());
  const net = new ScriptedNetwork();
  const open = async (config: Config) => {
    const routes = liveRoutes(compileRoutes(config));
    const delivery = await openDelivery({
      config,
      adapters: new Map([["net", net.adapter]]),
      routes,
      log,
      files: new MemoryFiles(),
      remoteFiles: new RemoteFiles(),
      logger: new MemoryLogger().logger,
      clock: systemClock,
      random: () => 0,
    });
    const stop = async (): Promise<void> => {
      await delivery.quiesce();
      await delivery.close();
    };
    return { delivery, routes, stop };
  };
  const say = async (text: string): Promise<void> => {
    const payload = encode(aMessage({ text, account: "api.left", protocol: "api", gateway: "g" }));
    await log.append({ account: "api.left", entries: [{ subject: "api.left/g", key: null, label: "", payload }] });
  };

  await (await open(WHOLE)).stop();
  await say("one");
  const { delivery, routes, stop } = await open(WITHOUT);
  onTestFinished(stop);
  delivery.start();
  const next = compileRoutes(WHOLE);
  const steps = await delivery.change({ config: WHOLE, routes: next, reopen: new Set() });
  await log.mark(steps.marks());
  routes.swap(next);
  steps.swap();
  await steps.settle();
  await say("two");
  const posts = await eventually(
    () => Promise.resolve(net.sessions.flatMap((session) => session.posts)),
    (all) => all.length >= 2,
    () => "two posts",
  );
  expect(posts).toEqual([expect.stringContaining("one"), expect.stringContaining("two")]);
});
