import { expect, test } from "vitest";
import { liveRoutes } from "./live-routes.ts";
import { compileRoutes } from "./routes.ts";
import { aConfig, aGateway } from "./samples.suite.ts";

test("who holds the routes gets the answers of those that were put in last", () => {
  const old = compileRoutes(aConfig([aGateway("one", ["inout net.a #x", "inout api.left api"])]));
  const next = compileRoutes(aConfig([aGateway("two", ["inout web.b room", "inout api.left api"])]));
  const routes = liveRoutes(old);
  const asked = (): unknown => [
    routes.targets("net.a/#x"),
    routes.targets("web.b/room"),
    routes.reads("api.left"),
    routes.posting("api.left", null),
    routes.lanes(),
    routes.channels("net.a"),
    routes.channels("web.b"),
  ];
  const before = asked();
  routes.swap(next);
  const after = asked();
  expect(before).not.toEqual(after);
  expect(after).toEqual([
    [],
    next.targets("web.b/room"),
    next.reads("api.left"),
    next.posting("api.left", null),
    next.lanes(),
    [],
    next.channels("web.b"),
  ]);
  routes.swap(old);
  expect(asked()).toEqual(before);
});
