import fs, { readlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./database.ts";
import { scratchFolder } from "./scratch.suite.ts";

test("the names of a new data folder, of the folders above it and of the log survive a power cut", () => {
  const scratch = scratchFolder();
  const synced = new Set<string>();
  const { fsyncSync } = fs;
  fs.fsyncSync = (fd) => {
    synced.add(readlinkSync(`/proc/self/fd/${fd}`));
    fsyncSync(fd);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  });
  const dataPath = join(scratch, "var", "rialto");
  const settings = { retentionDays: 1, retentionBytes: 1, messageIdDays: 1, test: {} };
  openDatabase({ dataPath, durability: "power", ...settings }).close();
  expect([...synced].toSorted()).toEqual([scratch, join(scratch, "var"), dataPath]);
});
