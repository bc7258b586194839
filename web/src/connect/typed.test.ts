import { expect, test } from "vitest";
import { defaultWords, settingsOf, typedWith, withDots } from "./typed.ts";

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

test("the usual port for TLS turns TLS on, and its end turns it off", () => {
  const typedAs = (text: string) => typedWith({ Server: "a:1" }, "Server", text, schemas);
  expect(typedAs("a:6697")).toEqual({ Server: "a:6697", UseTLS: true });
  expect(typedAs("a:6667")).toEqual({ Server: "a:6667" });
  expect(typedWith(typedAs("a:6697"), "Server", "a:669", schemas)).toEqual({ Server: "a:669", UseTLS: false });
  expect(typedWith({ Server: "a:6697", UseTLS: false }, "Server", "b:6697", schemas)["UseTLS"]).toBe(false);
  expect(typedWith({}, "Server", "a:6697", {})).toEqual({ Server: "a:6697" });
});

test("a default is told as people write it", () => {
  expect(Object.values(schemas).map(defaultWords)).toEqual([null, null, "7", null, null, "90s"]);
});
