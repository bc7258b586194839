import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch, tree } from "./stage.suite.ts";
import { sweep } from "./sweep.ts";

const BLOCK = 4096;
const eviction = { ranking: () => Promise.resolve(() => 0) };
const limits = { beforeMs: 0, bytesMax: Infinity, countMax: Infinity, stopped: () => false, eviction };

/** A folder of so many files of one byte, each used a second after the one before. */
function folderOf(count: number): string {
  const folder = scratch();
  mkdirSync(join(folder, "ab"));
  for (let at = 0; at < count; at += 1) {
    const path = join(folder, "ab", String(at));
    writeFileSync(path, "x");
    utimesSync(path, 1000 + at, 1000 + at);
  }
  return folder;
}

test("small files count as what they take on the disk, and sweeping makes room for some more", async () => {
  const folder = folderOf(20);
  expect(await sweep(folder, { ...limits, bytesMax: 20 * BLOCK })).toEqual({ bytes: 20 * BLOCK, count: 20 });
  expect(await sweep(folder, { ...limits, bytesMax: 19 * BLOCK })).toEqual({ bytes: 17 * BLOCK, count: 17 });
  expect(await sweep(folder, { ...limits, countMax: 10 })).toEqual({ bytes: 9 * BLOCK, count: 9 });
  expect(
    tree(folder)
      .map((name) => Number(name.slice(3)))
      .sort((a, b) => a - b)[0],
  ).toBe(11);
});

test("the newest stays when it alone is nearly all that is allowed", async () => {
  const folder = folderOf(2);
  expect(await sweep(folder, { ...limits, bytesMax: BLOCK })).toEqual({ bytes: BLOCK, count: 1 });
  expect(tree(folder)).toEqual([join("ab", "1")]);
});

test("a stop is heeded", async () => {
  const folder = folderOf(3);
  await sweep(folder, { ...limits, countMax: 0, stopped: () => true });
  expect(tree(folder)).toHaveLength(3);
});

test("what is too old goes whatever its rank; of the rest the lowest rank, then the longest unused, and the newest last", async () => {
  const folder = folderOf(10);
  const ranking = () => Promise.resolve((sha256: string) => (["ab3", "ab6", "ab9"].includes(sha256) ? 0 : 1));
  await sweep(folder, { ...limits, beforeMs: 1_002_000, bytesMax: 6 * BLOCK, eviction: { ranking } });
  const names = (): readonly string[] =>
    tree(folder)
      .map((name) => name.slice(3))
      .sort();
  expect(names()).toEqual(["4", "5", "7", "8", "9"]);
  await sweep(folder, { ...limits, countMax: 2, eviction: { ranking } });
  expect(names()).toEqual(["9"]);
});
