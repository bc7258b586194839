import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { closeDataFolder, openConfiguration } from "./private.ts";

function folderOf(mode: number, names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-private-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) writeFileSync(join(folder, name), "");
  chmodSync(folder, mode);
  return folder;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const OURS = ["log.sqlite", "log.sqlite-wal", "log.sqlite-shm", "files", "rialto.sock", "matrix-home"];

test("a data folder that others could enter is closed, and that is said once", () => {
  const path = folderOf(0o755, OURS);
  expect(closeDataFolder(path)).toEqual([
    { path, mode: "755", what: expect.stringContaining("has closed it to them") as string },
  ]);
  expect(modeOf(path)).toBe(0o700);
  expect(closeDataFolder(path)).toEqual([]);
});

test("a folder that holds other things too is left as it is, and that is said", () => {
  const path = folderOf(0o755, [...OURS, "holidays.jpg"]);
  expect(closeDataFolder(path)).toEqual([
    { path, mode: "755", what: expect.stringContaining("its own folder") as string },
  ]);
  expect(modeOf(path)).toBe(0o755);
});

test("a folder behind a link is looked at itself", () => {
  const path = folderOf(0o750, OURS);
  const link = `${path}-link`;
  symlinkSync(path, link);
  onTestFinished(() => rmSync(link));
  expect(closeDataFolder(link)).toHaveLength(1);
  expect(modeOf(path)).toBe(0o700);
});

test("a folder of another user is told of", () => {
  const path = folderOf(0o700, OURS);
  const uid = statSync(path).uid;
  const euid = vi.spyOn(process, "geteuid").mockReturnValue(uid + 1);
  onTestFinished(() => euid.mockRestore());
  expect(closeDataFolder(path)).toEqual([
    { path, mode: "700", what: expect.stringContaining(`another user (${uid})`) as string },
  ]);
});

test("a folder that is not there is no exception", () => {
  const path = join(folderOf(0o700, []), "none");
  expect(closeDataFolder(path)).toEqual([{ path, mode: "", what: expect.stringContaining("ENOENT") as string }]);
});

test.each([
  [0o644, true, 1],
  [0o640, true, 0],
  [0o600, true, 0],
  [0o644, false, 0],
])("a configuration with mode %o and secrets %s: %i findings", (mode, hasSecrets, count) => {
  const folder = folderOf(0o700, []);
  const file = join(folder, "rialto.toml");
  writeFileSync(file, "");
  chmodSync(file, mode);
  expect(openConfiguration(file, hasSecrets)).toHaveLength(count);
  expect(openConfiguration(null, hasSecrets)).toEqual([]);
  expect(openConfiguration(join(folder, "gone"), hasSecrets)).toEqual([]);
});
