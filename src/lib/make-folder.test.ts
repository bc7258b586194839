import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolder } from "./make-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-folder-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("all folders on the way are made, once", () => {
  const path = join(folder, "a", "b", "c");
  expect(makeFolder(path, 0o700)).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(makeFolder(path, 0o700)).toBe(false);
});

test("a file in the way is an error", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file"), 0o700)).toThrow(/EEXIST/u);
  expect(() => makeFolder(join(folder, "file", "below"), 0o700)).toThrow(/ENOTDIR/u);
});

test.runIf(existsSync("/proc/self"))("a folder that takes none is an error, not a wait without end", () => {
  expect(() => makeFolder("/proc/x", 0o700)).toThrow(/ENOENT/u);
  expect(() => makeFolder("/proc/x/y", 0o700)).toThrow(/ENOENT/u);
});
