import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findDataPath } from "./data-path.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-data-path-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function find(name: string, text: string, env: Readonly<Record<string, string>> = {}, data: string | null = null) {
  const cwd = scratch();
  writeFileSync(join(cwd, name), text);
  const told: string[] = [];
  const found = findDataPath({ conf: name, data }, { env, cwd, tell: (line) => void told.push(line) });
  return { found: found.startsWith(cwd) ? found.slice(cwd.length + 1) : found, told: told.join("") };
}

const GOOD = `[general]\nDataPath = "there"\n[api.a]\nBindAddress = "127.0.0.1:1"\n[[gateway]]\nname = "g"\nenable = true\ninout = [{ account = "api.a", channel = "api" }]\n`;

test("of a configuration without errors nothing is said", () => {
  expect(find("x.toml", GOOD)).toEqual({ found: "there", told: "" });
});

test("a folder that is named needs no configuration", () => {
  expect(find("x.toml", "[[[", {}, "/elsewhere")).toEqual({ found: "/elsewhere", told: "" });
});

test.each([
  ["x.toml", `${GOOD}\n[broken`, "there"],
  ["x.toml", `[general]\n  DataPath='/var/lib/x' # here\nNick = "`, "/var/lib/x"],
  ["x.json", `{"general": {\n"DataPath": "over", oops`, "over"],
  ["x.yaml", `general:\n  DataPath: there\n\t- [`, "there"],
  ["x.toml", `[general]\nNick = "\n# DataPath = "no"`, "rialto-data"],
])("of %s with %j it is %s", (name, text, expected) => {
  const { found, told } = find(name, text);
  expect(found).toBe(expected);
  expect(told).toMatch(/^rialto: x\.\w+ has errors \(see "rialto check"\); using the data folder \/\S+\n$/);
});

test("what the environment says counts more", () => {
  expect(find("x.toml", "[broken", { RIALTO_GENERAL_DATAPATH: "/srv/r" }).found).toBe("/srv/r");
});

test.each(["missing.toml", "."])("without --data, a configuration that cannot be read ends it: %s", (conf) => {
  const cwd = scratch();
  const where = { env: {}, cwd, tell: () => undefined };
  expect(() => findDataPath({ conf, data: null }, where)).toThrow(
    expect.objectContaining({ code: "config", message: expect.stringMatching(/error: .*--data$/u) as string }) as Error,
  );
  expect(findDataPath({ conf, data: "there" }, where)).toBe(join(cwd, "there"));
});
