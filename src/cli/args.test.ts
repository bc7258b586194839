import { expect, test } from "vitest";
import { type ControlCommand, parseCommand, type Reading, type TokenCommand } from "./args.ts";

const reading: Reading = {
  env: {},
  protocols: new Map([
    ["net", { commands: [{ name: "do" }] }],
    ["bare", {}],
  ]),
};

function aToken(fields: Partial<TokenCommand>): TokenCommand {
  const asked = { account: null, gateways: null, scopes: null, name: null, expires: null, "posts-per-minute": null };
  const rest = { conf: null, data: null, socket: null, json: false, quiet: false };
  return { is: "token", action: "list", id: "", asked, ...rest, ...fields };
}

function aControl(fields: Partial<ControlCommand>): ControlCommand {
  return {
    is: "control",
    name: "status",
    words: [],
    conf: null,
    data: null,
    socket: null,
    watch: false,
    json: false,
    ids: false,
    as: "",
    uses: null,
    expires: null,
    hold: false,
    mayDouble: false,
    ...fields,
  };
}

test.each([
  [[], { is: "run", orExample: false, conf: null, debug: false, ignored: [] }],
  [["--or-example"], { is: "run", orExample: true, conf: null, debug: false, ignored: [] }],
  [["--or-example", "check", "x.toml"], { is: "check", file: "x.toml", json: false, online: false }],
  [["run"], { is: "run", orExample: false, conf: null, debug: false, ignored: [] }],
  [["-conf", "x.toml"], { is: "run", orExample: false, conf: "x.toml", debug: false, ignored: [] }],
  [["-conf=x.toml", "-debug"], { is: "run", orExample: false, conf: "x.toml", debug: true, ignored: [] }],
  [["--conf", "x.toml", "--debug"], { is: "run", orExample: false, conf: "x.toml", debug: true, ignored: [] }],
  [["-c", "x.toml"], { is: "run", orExample: false, conf: "x.toml", debug: false, ignored: [] }],
  [["example"], { is: "example", debug: false }],
  [["example", "-d"], { is: "example", debug: true }],
  [["check", "x.toml"], { is: "check", file: "x.toml", json: false, online: false }],
  [["check", "-conf", "x.toml"], { is: "check", file: "x.toml", json: false, online: false }],
  [["check"], { is: "check", file: null, json: false, online: false }],
  [["check", "--json", "x.toml"], { is: "check", file: "x.toml", json: true, online: false }],
  [["check", "--online", "x.toml"], { is: "check", file: "x.toml", json: false, online: true }],
  [["net", "do", "x"], { is: "account", protocol: "net", name: "do", account: "x", conf: null }],
  [["net", "do", "-conf", "x.toml", "x"], { is: "account", protocol: "net", name: "do", account: "x", conf: "x.toml" }],
  [["-config", "x.toml"], { is: "run", orExample: false, conf: "x.toml", debug: false, ignored: [] }],
  [["--config=x.toml"], { is: "run", orExample: false, conf: "x.toml", debug: false, ignored: [] }],
  [["-c=x.toml"], { is: "run", orExample: false, conf: "x.toml", debug: false, ignored: [] }],
  [["-debug=true"], { is: "run", orExample: false, conf: null, debug: true, ignored: [] }],
  [["-debug=false"], { is: "run", orExample: false, conf: null, debug: false, ignored: [] }],
  [["--debug=0"], { is: "run", orExample: false, conf: null, debug: false, ignored: [] }],
  [["-gops", "-conf", "x.toml"], { is: "run", orExample: false, conf: "x.toml", debug: false, ignored: ["-gops"] }],
  [["-gops=false"], { is: "run", orExample: false, conf: null, debug: false, ignored: [] }],
  [["-nocolor"], { is: "run", orExample: false, conf: null, debug: false, ignored: ["-nocolor"] }],
  [["version", "-nocolor", "-gops"], { is: "version", json: false }],
  [["-nocolor", "version"], { is: "version", json: false }],
  [["-version"], { is: "version", json: false }],
  [["-version", "-gops", "-conf", "x.toml"], { is: "version", json: false }],
  [["-v"], { is: "version", json: false }],
  [["version"], { is: "version", json: false }],
  [["version", "--json"], { is: "version", json: true }],
  [["--help"], { is: "help", of: null }],
  [["-help"], { is: "help", of: null }],
  [["help"], { is: "help", of: null }],
  [["help", "status"], { is: "help", of: "status" }],
  [["help", "check"], { is: "help", of: "check" }],
  [["help", "log", "check"], { is: "help", of: "log" }],
  [["help", "token", "create"], { is: "help", of: "token" }],
  [["help", "cluster", "status"], { is: "help", of: "cluster" }],
  [["help", "net"], { is: "help", of: { protocol: "net" } }],
  [["help", "net", "do"], { is: "help", of: { protocol: "net" } }],
  [["net", "--help"], { is: "help", of: { protocol: "net" } }],
  [["net", "do", "--help"], { is: "help", of: { protocol: "net" } }],
  [["log", "check", "--help"], { is: "help", of: "log" }],
  [["explain", "some", "words", "--help"], { is: "help", of: "explain" }],
  [["log", "check"], { is: "log", action: "check", file: null, local: false, conf: null, data: null, json: false }],
  [
    ["log", "repair", "--data", "/d"],
    { is: "log", action: "repair", file: null, local: false, conf: null, data: "/d", json: false },
  ],
  [
    ["log", "export", "f", "--local"],
    { is: "log", action: "export", file: "f", local: true, conf: null, data: null, json: false },
  ],
  [
    ["log", "import", "f", "-c", "x"],
    { is: "log", action: "import", file: "f", local: false, conf: "x", data: null, json: false },
  ],
  [
    ["log", "backup", "f", "--json"],
    { is: "log", action: "backup", file: "f", local: false, conf: null, data: null, json: true },
  ],
  [["token", "list", "--json"], aToken({ json: true })],
  [["token", "revoke", "abcdefgh"], aToken({ action: "revoke", id: "abcdefgh" })],
  [["token", "rotate", "abcdefgh", "-q"], aToken({ action: "rotate", id: "abcdefgh", quiet: true })],
  [
    [
      "token",
      "create",
      "--account",
      "api.x",
      "--scopes",
      "read",
      "--gateways",
      "a,b",
      "--expires",
      "1d",
      "--name",
      "n",
    ],
    aToken({
      action: "create",
      asked: {
        account: "api.x",
        scopes: "read",
        gateways: "a,b",
        expires: "1d",
        name: "n",
        "posts-per-minute": null,
      },
    }),
  ],
  [["token", "--help"], { is: "help", of: "token" }],
  [["init"], { is: "init", file: null }],
  [["init", "x.toml"], { is: "init", file: "x.toml" }],
  [["log", "--help"], { is: "help", of: "log" }],
  [["status", "--data", "/d"], aControl({ name: "status", data: "/d" })],
  [["status", "--help"], { is: "help", of: "status" }],
  [["check", "--help"], { is: "help", of: "check" }],
  [["status"], aControl({ name: "status" })],
  [["status", "--watch", "--json", "-conf", "x"], aControl({ name: "status", watch: true, json: true, conf: "x" })],
  [["explain", "two", "words"], aControl({ name: "explain", words: ["two", "words"] })],
  [["explain", "--ids", "x"], aControl({ name: "explain", words: ["x"], ids: true })],
  [["explain", "--", "-5"], aControl({ name: "explain", words: ["-5"] })],
  [["tail", "g", "--socket", "/s"], aControl({ name: "tail", words: ["g"], socket: "/s" })],
  [["send", "--as", "Ann", "g", "hello", "you"], aControl({ name: "send", words: ["g", "hello", "you"], as: "Ann" })],
  [["send", "g", "--", "-debug", "-5"], aControl({ name: "send", words: ["g", "-debug", "-5"] })],
  [["send", "g", "-"], aControl({ name: "send", words: ["g", "-"] })],
  [["reload"], aControl({ name: "reload" })],
  [["cluster", "status", "--json"], aControl({ name: "cluster", words: ["status"], json: true })],
  [["resend", "42", "irc.net/#a"], aControl({ name: "resend", words: ["42", "irc.net/#a"] })],
  [
    ["resend", "--may-double", "4", "a.b", "g"],
    aControl({ name: "resend", words: ["4", "a.b", "g"], mayDouble: true }),
  ],
] as const)("%j", (argv, command) => {
  expect(parseCommand(argv, reading)).toEqual(command);
});

test("DEBUG=1 counts as -debug", () => {
  expect(parseCommand([], { ...reading, env: { DEBUG: "1" } })).toMatchObject({ debug: true });
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
  [["resend", "42"]],
  [["resend", "words", "irc.net"]],
  [["send", "--may-double", "g", "x"]],
  [["reload", "--watch"]],
  [["cluster"]],
  [["cluster", "start"]],
  [["status", "--as", "x"]],
  [["run", "--json"]],
  [["check", "--socket", "x"]],
  [["help", "nope"]],
  [["help", "log", "chekc"]],
  [["help", "log", "check", "more"]],
  [["help", "check", "more"]],
  [["help", "bare"]],
  [["nope", "--help"]],
  [["net"]],
  [["net", "od", "x"]],
  [["bare"]],
  [["-conf", "-debug"]],
  [["-debug=maybe"]],
  [["-confg", "x.toml"]],
  [["-cx.toml"]],
  [["token"]],
  [["log"]],
  [["log", "mend"]],
  [["log", "check", "x"]],
  [["log", "export"]],
  [["log", "import"]],
  [["log", "import", "x", "--local"]],
  [["init", "--json"]],
])("%j is a wrong usage", (argv) => {
  expect(parseCommand(argv, reading).is).toBe("usage");
});

test.each([
  [["net", "do"], '"net do" needs the name of an account'],
  [["net"], '"net" must be followed by do'],
  [["help", "net", "od"], '"net" must be followed by do, not "od"; did you mean "do"?'],
  [["nte"], 'there is no command "nte"; did you mean "net"?'],
  [["chekc"], 'there is no command "chekc"; did you mean "check"?'],
  [["help", "stauts"], 'there is no command "stauts"; did you mean "status"?'],
  [["help", "nope"], 'there is no command "nope"'],
  [["log"], '"log" must be followed by check, repair, backup, export, import'],
  [
    ["log", "repare"],
    '"log" must be followed by check, repair, backup, export, import, not "repare"; did you mean "repair"?',
  ],
  [["stauts", "now"], 'there is no command "stauts"; did you mean "status"?'],
  [["rialto.toml"], 'there is no command "rialto.toml"; to start with that file: rialto -conf rialto.toml'],
  [["run", "my.yaml"], '"my.yaml" was not expected here; did you mean: rialto run -conf my.yaml?'],
  [["status", "my.yaml"], '"my.yaml" was not expected here; did you mean: rialto status -conf my.yaml?'],
  [["check", "a.toml", "b.toml"], '"b.toml" was not expected here'],
  [["--nonsense"], "there is no option --nonsense"],
  [["-nonsense=secret"], "there is no option -nonsense"],
  [["-debgu"], "there is no option -debgu; did you mean --debug?"],
  [["-x"], "there is no option -x"],
  [["-conf"], "-conf needs a value: -conf FILE"],
  [["--conf", "--debug"], "--conf needs a value: --conf FILE"],
  [["--debug=maybe"], '--debug takes true or false, not "maybe"'],
  [["send", "g", "-5"], 'there is no option -5; words that begin with "-" must follow "--"'],
])("%j: %s", (argv, message) => {
  expect(parseCommand(argv, reading)).toEqual({ is: "usage", message, json: false });
});

test.each([
  [["status", "--json", "--nonsense"]],
  [["--nonsense", "status", "--json"]],
  [["status", "-conf", "--json"]],
  [["status", "x", "--json"]],
])("%j fails, and wants the error as JSON", (argv) => {
  expect(parseCommand(argv, reading)).toMatchObject({ is: "usage", json: true });
});
