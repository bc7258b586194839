import { expect, test } from "vitest";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import type { Access } from "../../../access/access.ts";
import type { SharedHint } from "../../../consumers/hint-event.ts";
import { openHints } from "../../../consumers/open-hints.ts";
import { compileRoutes } from "../../../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../../../gateway/samples.suite.ts";
import type { V1Deps } from "../deps.ts";
import type { Call } from "../route.ts";
import { typingRoutes } from "./typing.ts";

test("is told to who listens, and over after 5 s unless it is said again", async () => {
  const clock = new FakeClock(0);
  const hints = openHints(() => clock.monoMs());
  const told: (SharedHint & { readonly gateway: string })[] = [];
  const tellAll: V1Deps["tellAll"] = (gateway, hint) => told.push({ gateway, ...hint });
  const account = anAccount("api.game");
  const config = aConfig([aGateway("lobby", ["inout net.a #x", "inout api.game api"])], [account]);
  const deps = { clock, hints, tellAll, routes: compileRoutes(config), account: () => account, config: () => config };
  const access = { gateways: null, by: "open", name: "api.game" } as unknown as Access;
  const type = (gateway: string): unknown => {
    const call = { access, params: { gateway }, body: { author: { id: "7", name: "ann" } } };
    return typingRoutes[0]?.handle(call as unknown as Call, deps as unknown as V1Deps);
  };
  expect(type("lobby")).toEqual({ status: 204 });
  await clock.advance(4000);
  type("lobby");
  await clock.advance(4999);
  expect(told.map(({ on }) => on)).toEqual([true, true]);
  await clock.advance(1);
  expect(told.map(({ on }) => on)).toEqual([true, true, false]);
  expect(told[0]).toMatchObject({ kind: "typing", gateway: "lobby", author: { id: "7", name: "ann" } });
  expect(() => type("loby")).toThrow(/there are: "lobby"/u);
});
