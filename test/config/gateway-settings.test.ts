import { describe, expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";
import type { CatchUp, Gateway } from "../../src/config/config.ts";
import type { Loaded } from "../../src/config/load.ts";

const ACCOUNTS = '[api.left]\nBindAddress = "127.0.0.1:1"\n[api.right]\nBindAddress = "127.0.0.1:2"\n';
const BRIDGES = 'inout = [{ account = "api.left" }, { account = "api.right" }]\n';

/** A gateway with these lines, from line 7 of the file on. */
function loadWith(lines: string, kind = "gateway"): Loaded {
  const rest = kind === "gateway" ? BRIDGES : 'accounts = ["api.left", "api.right"]\nchannels = ["api"]\n';
  const text = `${ACCOUNTS}[[${kind}]]\nname = "main"\n${lines}\nenable = true\n${rest}`;
  return load({ text, format: "toml", name: "x.toml" }, { env: {}, cwd: "/" });
}

function gatewayOf(loaded: Loaded): Gateway | undefined {
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join("\n"));
  expect(loaded.problems).toEqual([]);
  return loaded.config.gateways[0];
}

test("without them, all that [general] lets through is delivered", () => {
  expect(gatewayOf(loadWith(""))).toMatchObject({ maxAgeMs: null, catchUp: null });
});

test.each<[string, CatchUp | null]>([
  ['CatchUp = "none"', { is: "none" }],
  ['catchup = "None"', { is: "none" }],
  ['CatchUp = "all"', null],
  ["CatchUp = 20", { is: "newest", count: 20 }],
  ['CatchUp = "1"', { is: "newest", count: 1 }],
  ["CatchUp = 1000", { is: "newest", count: 1_000 }],
  ['CatchUp = "10m"', { is: "younger", ms: 600_000 }],
  ['CatchUp = "30s"', { is: "younger", ms: 30_000 }],
  ['CatchUp = "720h"', { is: "younger", ms: 2_592_000_000 }],
])("%s", (line, catchUp) => {
  for (const kind of ["gateway", "samechannelgateway"])
    expect(gatewayOf(loadWith(line, kind))?.catchUp).toEqual(catchUp);
});

test("MaxAge of a gateway is in milliseconds", () => {
  for (const kind of ["gateway", "samechannelgateway"]) {
    expect(gatewayOf(loadWith('MaxAge = "2h"', kind))?.maxAgeMs).toBe(7_200_000);
  }
});

describe("what cannot be", () => {
  const range = 'must be "all", "none", a number of messages from 1 to 1000, or a duration from 30s to 720h';

  test.each([
    ["CatchUp = 0", `CatchUp of gateway "main" ${range}, such as "10m", not "0"`],
    ["CatchUp = 1001", `not "1001"`],
    ["CatchUp = -1", `not "-1"`],
    ["CatchUp = 1.5", `not "1.5"`],
    ['CatchUp = "29s"', `not "29s"`],
    ['CatchUp = "721h"', `not "721h"`],
    ['CatchUp = "some"', `not "some"`],
    ['CatchUp = ""', `not ""`],
    ['CatchUp = ["none"]', "not that"],
    ['CatchUp = { is = "none" }', "not that"],
    ['MaxAge = "10"', 'MaxAge of gateway "main" needs a unit, as in 90s, 5m or 1h30m'],
    ['MaxAge = "1s"', 'MaxAge of gateway "main" must be at least 1m, not 1s'],
    ["MaxAge = true", "must be a duration"],
  ])("%s", (line, message) => {
    const loaded = loadWith(line);
    expect(loaded.ok && loaded.config.gateways[0]).toMatchObject({ maxAgeMs: null, catchUp: null });
    expect(loaded.problems).toEqual([
      {
        severity: "error",
        code: "bad-value",
        file: "x.toml",
        line: 7,
        column: line.indexOf("=") + 3,
        message: expect.stringContaining(message) as string,
        remedy: "",
        keepsDown: false,
      },
    ]);
  });

  test("is no reason not to start when the gateway is not enabled", () => {
    const text = `${ACCOUNTS}[[gateway]]\nname = "a"\nenable = true\n${BRIDGES}[[gateway]]\nname = "b"\nCatchUp = "x"\n${BRIDGES}`;
    const { ok, problems } = load({ text, format: "toml", name: "x.toml" }, { env: {}, cwd: "/" });
    expect([ok, problems.map(({ severity, code }) => `${severity} ${code}`)]).toEqual([true, ["warning bad-value"]]);
  });

  test("a slip of the pen is seen", () => {
    const { problems } = loadWith('CatchUpp = "none"');
    expect(problems.map(({ remedy }) => remedy)).toEqual(["did you mean CatchUp?"]);
  });
});

test.each<[string, string, string[]]>([
  [
    "a room and an account of the API",
    '{ account = "irc.home", channel = "#b" }, { account = "api.left" }',
    ["same-rooms"],
  ],
  ["accounts of the API alone", '{ account = "api.left" }, { account = "api.right" }', []],
  ["one room", '{ account = "irc.home", channel = "#b" }', []],
])("two gateways that share %s", (_, shared, expected) => {
  const others = '[irc.home]\nServer = "127.0.0.1:1"\nNick = "n"\n[irc.away]\nServer = "127.0.0.2:1"\nNick = "n"\n';
  const gateways = ["one", "two"].map(
    (name) =>
      `[[gateway]]\nname = "${name}"\nenable = true\ninout = [${shared}, { account = "irc.away", channel = "#${name}" }]\n`,
  );
  const text = `${ACCOUNTS}${others}${gateways.join("")}`;
  const { problems } = load({ text, format: "toml", name: "x.toml" }, { env: {}, cwd: "/" });
  expect(problems.map(({ code }) => code).filter((code) => code === "same-rooms")).toEqual(expected);
});
