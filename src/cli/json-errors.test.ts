import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseCommand } from "./args.ts";
import { control, type Terminal } from "./control.ts";
import { logCommand } from "./log.ts";
import { tokenCommand } from "./token.ts";

/** Runs a command in a new folder with a configuration that has errors; nothing runs there. */
async function run(line: string) {
  const cwd = mkdtempSync(join(tmpdir(), "rialto-json-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "broken.toml"), "[[[");
  let [written, told] = ["", ""];
  const terminal: Terminal = {
    env: {},
    cwd,
    write: (text) => {
      written += text;
      return Promise.resolve(true);
    },
    tell: (text) => void (told += text),
    screen: () => ({ width: Infinity, colour: false }),
    signal: new AbortController().signal,
  };
  const command = parseCommand(line.split(" "), { env: {}, protocols: new Map() });
  const code = async (): Promise<number> => {
    if (command.is === "control") return await control(command, terminal);
    if (command.is === "log") return await logCommand(command, terminal);
    if (command.is === "token") return await tokenCommand(command, terminal);
    throw new Error(JSON.stringify(command));
  };
  return { code: await code(), written, told };
}

test.each([
  ["status", 69],
  ["status -conf missing.toml", 78],
  ["status --socket nothing.sock", 69],
  ["explain words", 69],
  ["tail", 69],
  ["tail -conf missing.toml", 78],
  ["send g text", 69],
  ["send g text -conf missing.toml", 78],
  ["resend 1 irc.net", 69],
  ["reload", 69],
  ["reload -conf missing.toml", 78],
  ["cluster status", 69],
  ["dashboard", 69],
  ["invite g", 69],
  ["log check", 73],
  ["log check -conf missing.toml", 78],
  ["log repair", 73],
  ["log backup", 73],
  ["log export out", 73],
  ["log import none", 73],
  ["token list", 64],
  ["token list -conf missing.toml", 78],
  ["token list -conf broken.toml", 78],
  ["token list --socket nothing.sock", 69],
])("%s: exits with %d, and --json prints the error on standard output too", async (line, code) => {
  const plain = await run(line);
  expect([plain.code, plain.written]).toEqual([code, ""]);
  const asJson = await run(`${line} --json`);
  expect([asJson.code, asJson.told]).toEqual([code, expect.stringContaining("rialto: ")]);
  const { error } = JSON.parse(asJson.written) as { readonly error: string };
  expect(asJson.told.endsWith(`rialto: ${error}\n`)).toBe(true);
});
