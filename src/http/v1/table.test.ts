import { expect, test } from "vitest";
import { ProblemError } from "./problems.ts";
import { ok, type Route } from "./route.ts";
import { RouteTable } from "./table.ts";

const route = (method: Route["method"], path: string): Route => ({
  method,
  path,
  needs: null,
  id: `${method} ${path}`,
  summary: "",
  answers: {},
  handle: () => ok(null),
});

const TABLE = new RouteTable([
  route("GET", "/v1/things"),
  route("GET", "/v1/things/{name}"),
  route("PUT", "/v1/things/{name}"),
  route("POST", "/v1/things/{name}/dead/{seq}/retry"),
  route("GET", "/v1/things/new/ones"),
]);

function found(path: string) {
  const at = TABLE.find(path);
  return at === null ? null : [[...at.routes.keys()], at.params];
}

test.each([
  ["/v1/things", [["GET"], {}]],
  ["/v1/things/a", [["GET", "PUT"], { name: "a" }]],
  ["/v1/things/a%2Fb%20%E2%9C%93", [["GET", "PUT"], { name: "a/b ✓" }]],
  ["/v1/things/new", [["GET", "PUT"], { name: "new" }]],
  ["/v1/things/new/ones", [["GET"], {}]],
  ["/v1/things/new/dead/7/retry", [["POST"], { name: "new", seq: "7" }]],
  ["/v1/things/", null],
  ["/v1/things/a/", null],
  ["/v1/things//dead/7/retry", null],
  ["/v1/things/a/dead/7", null],
  ["/v1/things/a/dead/7/retry/more", null],
  ["/v1", null],
  ["/v1/", null],
  ["/", null],
  ["", null],
])("%s", (path, expected) => {
  expect(found(path)).toEqual(expected);
});

test.each(["%", "%zz", "%ff", "%e2%9c"])("a parameter %s is no text", (name) => {
  expect(() => TABLE.find(`/v1/things/${name}`)).toThrow(ProblemError);
});

test("two routes in one place are a bug", () => {
  expect(() => new RouteTable([route("GET", "/v1/{a}"), route("GET", "/v1/{a}")])).toThrow("twice");
  expect(() => new RouteTable([route("GET", "/v1/{a}"), route("PUT", "/v1/{b}")])).toThrow("otherwise");
});
