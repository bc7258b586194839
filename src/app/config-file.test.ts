import { expect, test } from "vitest";
import { load } from "../cli/load.ts";
import { localTime } from "../lib/local-time.ts";
import { ConfigFile, faultOfChange, faultOfFile } from "./config-file.ts";

const NOW = Date.UTC(2026, 10, 29, 1, 20);

const text = (third: string): string => `[api.left]
BindAddress = "127.0.0.1:4242"
[api.right]
BindAddress = "127.0.0.1:4243"
[api.third]
BindAddress = "127.0.0.1:4244"
${third}
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.left" }, { account = "api.right" }, { account = "api.third" }]
`;

function troubleOf(source: string, env: Readonly<Record<string, string>> = {}): string {
  const loaded = load({ text: source, format: "toml", name: "rialto.toml" }, { env, cwd: "/" });
  const { what, first, restart } = faultOfFile(loaded);
  return `${what} (${first}); a restart ${restart}`;
}

test.each([
  ["wrong syntax", text("Token = 'x"), /^the file on disk has 1 error \(line 7: .+\); a restart would fail$/u],
  [
    "an account that would stay down",
    text('IgnoreNicks = ["a("]'),
    /^the file on disk has 1 error \(line 7: .*\(api\.third stays down\)\); a restart would start without api\.third$/u,
  ],
  [
    "an optional setting",
    text('MaxBodySize = "many"'),
    /^the file on disk has 1 error \(line 7: .*\(the default is used\)\); a restart would start without the part that has the error$/u,
  ],
  [
    "an account and two parts",
    text('IgnoreNicks = ["a("]\nMaxBodySize = "many"\nBuffer = "many"'),
    /^the file on disk has 3 errors \(line 7: .*\); a restart would start without api\.third and the parts that have errors$/u,
  ],
  [
    "no gateway",
    '[api.left]\nBindAddress = "127.0.0.1:1"\n',
    /^the file on disk has 1 error .*; a restart would fail$/u,
  ],
])("what is wrong, the first line, and what a restart would do: %s", (_, source, expected) => {
  expect(troubleOf(source)).toMatch(expected);
});

test("an error of the environment is not one of the file", () => {
  const trouble = troubleOf(text(""), { RIALTO_API_THIRD_TOKEN_FILE: "/nowhere/token" });
  expect(trouble).toMatch(/^the environment has 1 error \(RIALTO_API_THIRD_TOKEN_FILE: .*without api\.third$/u);
});

test("a file that is gone", () => {
  const loaded = load({ path: "/nowhere/rialto.toml" }, { env: {}, cwd: "/" });
  expect(faultOfFile(loaded)).toMatchObject({
    what: "the file on disk cannot be used",
    first: "there is no such file",
    restart: "would fail",
    remedy: expect.stringContaining("Put the file back") as string,
  });
});

test("of many accounts, the trouble names five", () => {
  const many = Array.from(
    { length: 7 },
    (_, at) => `[api.a${at}]\nBindAddress = "127.0.0.1:${4300 + at}"\nIgnoreNicks = ["a("]\n`,
  );
  const more = many.map((_, at) => `{ account = "api.a${at}" }`).join(", ");
  const source = text("").replace('{ account = "api.left" }', `{ account = "api.left" }, ${more}`) + many.join("");
  expect(troubleOf(source)).toMatch(/without api\.a0, api\.a1, api\.a2, api\.a3, api\.a4 and 2 more accounts$/u);
});

test("the trouble begins with the first refusal, and ends with a configuration that is accepted", () => {
  let nowMs = NOW;
  const file = new ConfigFile(() => nowMs);
  expect(file.view).toEqual({ readMs: NOW, trouble: null });
  const refuse = (passes: boolean): void => file.refused(faultOfChange(["[api.left] cannot listen"], passes));
  nowMs = NOW + 60_000;
  refuse(false);
  nowMs = NOW + 120_000;
  refuse(true);
  const since = localTime(NOW + 60_000);
  expect(file.view).toEqual({
    readMs: NOW,
    trouble: {
      of: "the configuration",
      what: `the file on disk cannot be used since ${since} ([api.left] cannot listen); Rialto runs the configuration of ${localTime(NOW)}; a restart would use it`,
      remedy: 'Correct that, then run "rialto reload".',
      sinceMs: NOW + 60_000,
    },
  });
  file.accepted(false);
  expect(file.view).toEqual({ readMs: NOW + 120_000, trouble: null });
  nowMs = NOW + 180_000;
  refuse(false);
  expect(file.view.trouble?.sinceMs).toBe(nowMs);
  expect(file.view.trouble?.what).toContain(`the configuration of ${localTime(NOW)}; a restart would fail`);
  file.accepted(true);
  refuse(false);
  expect(file.view.trouble?.what).toContain(`the configuration of ${localTime(nowMs)}`);
});
