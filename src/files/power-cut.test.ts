import fs, { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { makeDurableFolder } from "../lib/make-folder.ts";
import { DurableFolders } from "./disk.ts";

/** Folders that were synced, in order, below the scratch folder. */
let synced: string[];
let scratch: string;

/** Notes each fsync: what it was of is known by the kernel alone. */
beforeEach(async () => {
  scratch = mkdtempSync(join(tmpdir(), "rialto-sync-"));
  synced = [];
  const note = (fd: number): void => void synced.push(readlinkSync(`/proc/self/fd/${fd}`).slice(scratch.length));
  const { fsyncSync } = fs;
  fs.fsyncSync = (fd) => {
    note(fd);
    fsyncSync(fd);
  };
  syncBuiltinESMExports();
  const handle = await open(scratch);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the class of handles has no name of its own
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own handle
  const { sync } = handles;
  const spied = vi.spyOn(handles, "sync").mockImplementation(async function of(this: FileHandle) {
    note(this.fd);
    await sync.call(this);
  });
  onTestFinished(() => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
    spied.mockRestore();
    rmSync(scratch, { recursive: true });
  });
});

test("every folder that gets a new one is synced, and no other", () => {
  const path = join(scratch, "var", "lib", "rialto");
  makeDurableFolder(path, 0o700);
  expect(synced.toSorted()).toEqual(["", "/var", "/var/lib"]);
  makeDurableFolder(path, 0o700);
  expect(synced).toHaveLength(3);
});

test("the folders of a store are synced once each, also where another file has made one", async () => {
  const folders = new DurableFolders();
  const path = join(scratch, "content", "ab");
  await folders.make(path);
  expect(synced.toSorted()).toEqual(["", "/content"]);
  await folders.make(path);
  expect(synced).toHaveLength(2);
  fs.mkdirSync(join(dirname(path), "cd"));
  await folders.make(join(dirname(path), "cd"));
  expect(synced.at(-1)).toBe("/content");
});
