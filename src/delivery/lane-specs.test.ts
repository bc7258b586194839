import { expect, test } from "vitest";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { laneSpecs } from "./lane-specs.ts";

/** The print of the lane to net.a, to which this account of the API posts. */
function configHash(poster: ReturnType<typeof anAccount>): string | undefined {
  const gateway = aGateway("g", ["inout net.a #x", "inout api.left api"]);
  const config = aConfig([gateway], [anAccount("net.a"), poster]);
  return laneSpecs(config, compileRoutes(config)).get("net.a")?.[0]?.configHash;
}

const left = anAccount("api.left");
const posting = (settings: typeof left.settings): typeof left => ({ ...left, settings });

test.each([
  ["is read in another format", { TextFormat: "markdown" }, false],
  ["is read in another format by its default", { FullEvents: true }, false],
  ["is read as before", { FullEvents: true, TextFormat: "plain" }, true],
  ["listens elsewhere", { BindAddress: "127.0.0.1:1" }, true],
] as const)("what is posted %s: %j", (_, settings, isSame) => {
  expect(configHash(posting(settings)) === configHash(posting({}))).toBe(isSame);
});
