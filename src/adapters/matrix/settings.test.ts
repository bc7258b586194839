import { expect, test } from "vitest";
import { checkSettings, loginWay, schema } from "./settings.ts";
import { matrixSettings } from "./settings.suite.ts";

const Server = "https://matrix.example.org";

test.each([
  [{ Server, Login: "a", Password: "b" }, []],
  [{ Server, Token: "t" }, []],
  [{ Server, ASToken: "t", HSToken: "h" }, []],
  [{ Server }, ["error Server"]],
  [{ Server, SavedLogin: true }, []],
  [{ Server, SavedLogin: true, Login: "a", Password: "b" }, ["warning Password"]],
  [{ Server, Login: "a" }, ["error Password"]],
  [{ Server, Token: "t", MxID: "alice" }, ["error MxID"]],
  [{ Server, Token: "t", ASToken: "t" }, ["warning Token"]],
  [{ Server, Login: "a", Password: "b", Token: "t" }, ["warning Password"]],
  [{ Server, Login: "a", Password: "b", ASToken: "t" }, ["warning Password"]],
  [{ Server: `${Server}/_matrix/client`, Token: "t" }, ["error Server"]],
  [{ Server, Token: "t", HSToken: "h" }, ["warning HSToken"]],
  [{ Server, Token: "t", SpoofUsername: true, UseMSC4144: true }, ["warning SpoofUsername"]],
  [{ Server, ASToken: "t", UseMSC4144: true }, ["warning UseMSC4144"]],
  [{ Server: "http://matrix.example.org", Token: "t" }, ["warning Server"]],
  [{ Server: "http://127.0.0.1:8008", Token: "t" }, []],
])("%j", (given, issues) => {
  expect(checkSettings(matrixSettings(given)).map(({ severity, setting }) => `${severity} ${setting}`)).toEqual(issues);
});

test.each([
  [{ ASToken: "a", Token: "b", SavedLogin: true }, "appservice"],
  [{ ASToken: "", Token: "b", SavedLogin: true }, "token"],
  [{ ASToken: "", Token: "", SavedLogin: true }, "saved"],
  [{ ASToken: "", Token: "", SavedLogin: false }, "password"],
])("%j logs in by %s", (given, way) => {
  expect(loginWay(given)).toBe(way);
});

test.each([
  ["https://matrix.example.org", true],
  ["https://example.org/matrix/", true],
  ["matrix.example.org", false],
  ["https://user:pass@example.org", false],
  ["https://example.org?x", false],
])("Server %s: %s", (url, fits) => {
  expect(new RegExp(schema.properties.Server.rule.pattern, "u").test(url)).toBe(fits);
});
