import { expect, test } from "vitest";
import { defaultWords, settingsOf, withDots } from "./typed.ts";

const schemas = {
  Server: { type: "string" },
  Token: { type: "string", secret: true, default: "" },
  Port: { type: "integer", default: 7 },
  UseTLS: { type: "boolean", default: true },
  Commands: { type: "array", secret: true, default: [] },
  Delay: { type: "integer", format: "duration", default: 90_000 },
};

test("what is empty or as it is anyway is not written", () => {
  const typed = { Server: "a:1", Token: "", Port: "8", UseTLS: true, Commands: " one\n\ntwo ", Delay: "5m" };
  expect(settingsOf(typed, schemas)).toEqual({ Server: "a:1", Port: 8, Commands: ["one", "two"], Delay: "5m" });
  expect(settingsOf({ UseTLS: false, Port: "7x" }, schemas)).toEqual({ UseTLS: false, Port: "7x" });
});

test("typed secrets are dots, also where one holds another", () => {
  const typed = { Server: "a:1", Token: 'say "x"', Commands: "x\nx y" };
  expect(withDots('Token = "say \\"x\\""\nCommands = ["x", "x y"] # a:1', typed, schemas)).toBe(
    'Token = "••••••"\nCommands = ["••••••", "••••••"] # a:1',
  );
});

test("a default is told as people write it", () => {
  expect(Object.values(schemas).map(defaultWords)).toEqual([null, null, "7", null, null, "90s"]);
});
