import { expect, test } from "vitest";
import { type ControlCommand, parseCommand } from "./args.ts";

function aControl(fields: Partial<ControlCommand>): ControlCommand {
  return {
    is: "control",
    name: "status",
    words: [],
    conf: null,
    socket: null,
    watch: false,
    json: false,
    as: "",
    ...fields,
  };
}

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
  [["--help"], { is: "help", of: null }],
  [["-help"], { is: "help", of: null }],
  [["help"], { is: "help", of: null }],
  [["help", "status"], { is: "help", of: "status" }],
  [["help", "check"], { is: "help", of: null }],
  [["status", "--help"], { is: "help", of: "status" }],
  [["check", "--help"], { is: "help", of: null }],
  [["status"], aControl({ name: "status" })],
  [["status", "--watch", "--json", "-conf", "x"], aControl({ name: "status", watch: true, json: true, conf: "x" })],
  [["explain", "two", "words"], aControl({ name: "explain", words: ["two", "words"] })],
  [["explain", "--", "-5"], aControl({ name: "explain", words: ["-5"] })],
  [["tail", "g", "--socket", "/s"], aControl({ name: "tail", words: ["g"], socket: "/s" })],
  [["send", "--as", "Ann", "g", "hello", "you"], aControl({ name: "send", words: ["g", "hello", "you"], as: "Ann" })],
  [["reload"], aControl({ name: "reload" })],
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
  [["status", "x"]],
  [["explain"]],
  [["tail", "a", "b"]],
  [["send", "g"]],
  [["reload", "--watch"]],
  [["status", "--as", "x"]],
  [["run", "--json"]],
  [["check", "--socket", "x"]],
])("%j is a wrong usage", (argv) => {
  expect(parseCommand(argv, {}).is).toBe("usage");
});

test("a command of an account without the account says what is missing", () => {
  expect(parseCommand(["net", "do"], {})).toEqual({ is: "usage", message: '"net do" needs the name of an account' });
});
