import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolder, obstacleTo } from "./make-folder.ts";

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

test("a file at the path, or above it, is what keeps everybody from making a folder", () => {
  const file = join(folder, "obstacle");
  writeFileSync(file, "");
  for (const path of [file, join(file, "a"), join(file, "a", "b")])
    expect(obstacleTo(path)).toBe(`${file} is a file, not a folder`);
});

test.runIf(existsSync("/proc/self"))("the file system of the kernel takes no folders", () => {
  expect(obstacleTo("/proc/x/y")).toBe("/proc cannot hold folders");
  expect(obstacleTo("/sys/x")).toBe("/sys cannot hold folders");
});

test("nothing is known against a folder that is there, or that can be made", () => {
  expect(obstacleTo(folder)).toBe(null);
  expect(obstacleTo(join(folder, "new", "one"))).toBe(null);
});
