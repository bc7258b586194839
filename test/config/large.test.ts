import { expect, test } from "vitest";
import { load } from "../../src/cli/load.ts";
import { formatProblems } from "../../src/config/problem-lines.ts";

/** What runs, whatever is wrong with the rest. */
const RUNS = `[api.a]
BindAddress = "127.0.0.1:4242"
[api.b]
BindAddress = "127.0.0.1:4243"
[[gateway]]
name = "g"
enable = true
[[gateway.inout]]
account = "api.a"
[[gateway.inout]]
account = "api.b"
`;
const COUNT = 5_000;
const each = (line: (index: number) => string): string =>
  Array.from({ length: COUNT }, (_, index) => line(index)).join("");

test.each<[string, string]>([
  ["tables", each((index) => `[t${index}]\n`)],
  ["settings of an account", `[irc.x]\n${each((index) => `unknown${index} = 1\n`)}`],
  ["settings of [tengo]", `[tengo]\n${each((index) => `unknown${index} = 1\n`)}`],
  ["gateways without a name", each(() => "[[gateway]]\n")],
  [
    "accounts that are not configured",
    each((index) => `[[gateway.inout]]\naccount = "irc.n${index}"\nchannel = "#c"\n`),
  ],
  ["networks that do not exist", each((index) => `[[gateway.inout]]\naccount = "net${index}.x"\nchannel = "#c"\n`)],
  [
    "words in braces",
    `[irc.x]\nRemoteNickFormat = "${each((index) => `{NICKX${String.fromCodePoint(65 + (index % 26))}}`)}"\n`,
  ],
])("of 5 000 unknown %s at most a hundred are listed", (_, text) => {
  const { problems } = load({ text: `${RUNS}${text}`, format: "toml", name: "x.toml" }, { env: {}, cwd: "/" });
  expect(problems.length).toBeGreaterThan(10);
  expect(problems.length).toBeLessThanOrEqual(101);
  expect(formatProblems(problems).split("\n")).toHaveLength(problems.length + 1);
});

test.each<[string, string]>([
  ["yaml", each((index) => `k${index}: 1\n`)],
  ["json", `{${Array.from({ length: COUNT }, (_, index) => `"k${index}": 1`).join(",")}}`],
])("5 000 unknown keys in %s are listed up to the hundredth", (format, text) => {
  const { problems } = load({ text, format: format === "yaml" ? "yaml" : "json", name: "x" }, { env: {}, cwd: "/" });
  expect(problems).toHaveLength(101);
  expect(problems.some(({ code }) => code === "no-gateway")).toBe(true);
});
