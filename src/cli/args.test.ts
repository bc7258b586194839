import { expect, test } from "vitest";
import { parseCommand } from "./args.ts";

test.each([
  [[], { is: "run", conf: null, debug: false }],
  [["run"], { is: "run", conf: null, debug: false }],
  [["-conf", "x.toml"], { is: "run", conf: "x.toml", debug: false }],
  [["-conf=x.toml", "-debug"], { is: "run", conf: "x.toml", debug: true }],
  [["--conf", "x.toml", "--debug"], { is: "run", conf: "x.toml", debug: true }],
  [["-c", "x.toml"], { is: "run", conf: "x.toml", debug: false }],
  [["check", "x.toml"], { is: "check", file: "x.toml" }],
  [["check", "-conf", "x.toml"], { is: "check", file: "x.toml" }],
  [["check"], { is: "check", file: null }],
  [["net", "do", "x"], { is: "account", protocol: "net", name: "do", account: "x", conf: null }],
  [["net", "do", "-conf", "x.toml", "x"], { is: "account", protocol: "net", name: "do", account: "x", conf: "x.toml" }],
  [["-version"], { is: "version" }],
  [["version"], { is: "version" }],
  [["--help"], { is: "help" }],
  [["-help"], { is: "help" }],
] as const)("%j", (argv, command) => {
  expect(parseCommand(argv, {})).toEqual(command);
});

test("DEBUG=1 counts as -debug", () => {
  expect(parseCommand([], { DEBUG: "1" })).toMatchObject({ debug: true });
});

test.each([
  [["chekc"]],
  [["net", "do"]],
  [["net", "do", "x", "y"]],
  [["run", "x", "y"]],
  [["run", "x"]],
  [["check", "a", "b"]],
  [["-conf"]],
  [["--nonsense"]],
])("%j is a wrong usage", (argv) => {
  expect(parseCommand(argv, {}).is).toBe("usage");
});

test("a command of an account without the account says what is missing", () => {
  expect(parseCommand(["net", "do"], {})).toEqual({ is: "usage", message: '"net do" needs the name of an account' });
});
