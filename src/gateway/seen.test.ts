import { expect, test } from "vitest";
import { operatorSubject } from "./operator.ts";
import { outageSubject } from "./outages.ts";
import { compileRoutes } from "./routes.ts";
import { aConfig, aGateway, anAccount } from "./samples.suite.ts";

const OWN = "api.own";
const seenOf = (...lines: readonly (readonly string[])[]) => {
  const gateways = lines.map((bridges, at) => aGateway(`g${at}`, bridges));
  const markdown = { ...anAccount("api.md"), settings: { TextFormat: "markdown" } };
  return compileRoutes(aConfig(gateways, [anAccount("net.A"), markdown, anAccount(OWN)])).seen(OWN);
};
const named = (seen: ReturnType<typeof seenOf>) =>
  Object.fromEntries(Array.from(seen, ([subject, { gateways }]) => [subject, gateways.map(({ name }) => name)]));

test("what it reads, what it says, the operator, and what becomes of the places", () => {
  const seen = seenOf(["inout net.a #x", "out net.b #y", "inout api.own api"], ["inout net.a #x", "inout net.b #y"]);
  expect(named(seen)).toEqual({
    "net.a/#x": ["g0"],
    [operatorSubject("g0")]: ["g0"],
    "api.own/g0": ["g0"],
    [outageSubject("net.a/#x")]: ["g0"],
    [outageSubject("net.b/#y")]: ["g0"],
  });
  expect(seen.get("api.own/g0")).toMatchObject({ mine: true, account: OWN, place: null });
  expect(seen.get("net.a/#x")).toMatchObject({ mine: false, account: "net.a", format: "plain" });
  expect(seen.get(outageSubject("net.a/#x"))).toMatchObject({
    account: "net.a",
    place: { account: "net.A", protocol: "net", channel: "#x" },
    gateways: [{ since: [operatorSubject("g0"), "net.a/#x"] }],
  });
  // Nobody hears what is said there, so that counts from when the account came.
  expect(seen.get(outageSubject("net.b/#y"))?.gateways).toEqual([{ name: "g0", since: [operatorSubject("g0")] }]);
});

test("a place in two gateways is one subject, in the order of the configuration", () => {
  const both = ["inout net.a #x", "inout api.own api"];
  expect(named(seenOf(both, both))).toMatchObject({
    "net.a/#x": ["g0", "g1"],
    [outageSubject("net.a/#x")]: ["g0", "g1"],
  });
});

test("an account that only gives sees its own words alone", () => {
  expect(named(seenOf(["inout net.a #x", "in api.own api"]))).toEqual({ "api.own/g0": ["g0"] });
});

test("texts of other accounts of the API are as these write", () => {
  expect(seenOf(["inout api.md api", "inout api.own api"]).get("api.md/g0")).toMatchObject({ format: "markdown" });
});

test("the same object for the same configuration; nothing for who is not there", () => {
  const routes = compileRoutes(aConfig([aGateway("g", ["inout net.a #x", "inout api.own api"])]));
  expect(routes.seen(OWN)).toBe(routes.seen(OWN));
  expect(routes.seen("api.no")).toBe(routes.seen("net.a"));
  expect(routes.seen("api.no").size).toBe(0);
});
