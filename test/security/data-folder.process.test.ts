import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { toml } from "../support/config.ts";
import { launch } from "../support/suite.ts";

function folder(): string {
  const scratch = mkdtempSync(path.join(os.tmpdir(), "rialto-folder-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const dataPath = path.join(scratch, "data");
  mkdirSync(dataPath);
  chmodSync(dataPath, 0o755);
  return dataPath;
}

const config = toml({ accounts: { a: {}, b: {} }, gateways: { g: { inout: ["a", "b"] } } });

test("a data folder that others can enter is closed at the start, with all that is in it", async () => {
  const dataPath = folder();
  const rialto = await launch({ config, dataPath });
  await rialto.client("a").say({ text: "hello" });
  await rialto.stop();
  expect(statSync(dataPath).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(dataPath, "log.sqlite")).mode & 0o777).toBe(0o600);
  expect(statSync(path.join(dataPath, "files")).mode & 0o777).toBe(0o700);
  expect(rialto.output()).toContain("Rialto has closed it to them");
  // Nothing is secret in this configuration.
  expect(rialto.output()).not.toContain("the configuration contains secrets");
});
