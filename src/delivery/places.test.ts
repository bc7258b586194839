import { expect, test } from "vitest";
import { compileRoutes } from "../gateway/routes.ts";
import { aConfig, aGateway, anAccount } from "../gateway/samples.suite.ts";
import { watchedPlaces } from "./places.ts";

const ACCOUNTS = [anAccount("net.a"), anAccount("net.b"), anAccount("api.bot")];
/** No account is connected. */
const parts = { get: () => undefined };

test.each<readonly [string, readonly string[], readonly string[]]>([
  ["two networks", ["inout net.a #x", "inout net.b #y"], ["net.a #x", "net.b #y"]],
  ["a network and the API", ["inout net.a #x", "inout api.bot api"], ["net.a #x"]],
  ["a network that only gives, and the API", ["in net.a #x", "out api.bot api"], ["net.a #x"]],
  ["a network that only takes, and the API", ["out net.a #x", "inout api.bot api"], ["net.a #x"]],
  ["a network and an API account that hears nothing", ["out net.a #x", "in api.bot api"], []],
  ["two networks that hear nothing of each other", ["in net.a #x", "in net.b #y"], []],
])("an outage is noticed in a gateway of %s", (_, bridges, expected) => {
  const config = aConfig([aGateway("g", bridges)], ACCOUNTS);
  const places = watchedPlaces(config, compileRoutes(config), { parts, mayTell: undefined });
  expect(places.map(({ account, channel }) => `${account} ${channel}`)).toEqual(expected);
});
