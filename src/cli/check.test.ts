import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { check, checkWithNetworks } from "./check.ts";

const CONFIG = `[general]
DataPath = "DATA"
[api.a]
BindAddress = "127.0.0.1:0"
[api.b]
BindAddress = "127.0.0.1:0"
[[gateway]]
name = "g"
enable = true
inout = [{ account = "api.a" }, { account = "api.b" }]
`;

/** Prepares a folder with a configuration that has this DataPath. */
function prepare(dataPath: string) {
  const cwd = mkdtempSync(join(tmpdir(), "rialto-check-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "rialto.toml"), CONFIG.replace("DATA", dataPath));
  let said = "";
  const how = { env: {}, cwd, write: (text: string): void => void (said += text) };
  return { cwd, how, said: () => said };
}

test.each(["rialto.toml", "rialto.toml/data"])(
  "a data folder that cannot be made is an error: %s",
  async (dataPath) => {
    const { cwd, how, said } = prepare(dataPath);
    const file = join(cwd, "rialto.toml");
    const expected = `rialto.toml: error: the data folder ${join(cwd, dataPath)} cannot be made: ${file} is a file, not a folder; choose another folder with DataPath in [general]\nrialto.toml: nothing can start: 1 error\n`;
    expect(check("rialto.toml", how)).toBe(78);
    expect(said()).toBe(expected);
    expect(await checkWithNetworks("rialto.toml", how, new AbortController().signal)).toBe(78);
    expect(said()).toBe(expected + expected);
  },
);

test("a data folder that is not there yet is right, and is not made", () => {
  const { cwd, how, said } = prepare("new/data");
  expect(check("rialto.toml", how)).toBe(0);
  expect(said()).toContain("rialto.toml: ok: ");
  expect(readdirSync(cwd)).toEqual(["rialto.toml"]);
});
