import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/support/wait.ts";
import { type FileWatch, watchFile } from "./watch-file.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-watch-"));
  file = join(folder, "a.toml");
  writeFileSync(file, "one");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Seen {
  count: number;
  readonly failures: string[];
}

function watching(path: string = file): Seen {
  const seen: Seen = { count: 0, failures: [] };
  const changed = (): void => void (seen.count += 1);
  watch = watchFile(path, { changed, failed: (why) => seen.failures.push(why), quietMs: 50, againMs: 50 });
  onTestFinished(watch.end);
  return seen;
}

let watch: FileWatch;

const until = (seen: Seen, count: number): Promise<number> =>
  eventually(
    () => Promise.resolve(seen.count),
    (found) => found >= count,
    () => `${count} changes`,
  );

/** Another file takes its name. */
function replace(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

test("written in place and replaced, time and again", async () => {
  const seen = watching();
  writeFileSync(file, "two");
  await until(seen, 1);
  for (let time = 2; time <= 4; time += 1) {
    replace(`replaced ${time}`);
    await until(seen, time);
  }
  expect(seen.failures).toEqual([]);
});

test("the same content, another file, and a file that is removed for a moment are no change", async () => {
  const seen = watching();
  replace("one");
  writeFileSync(join(folder, "b.toml"), "two");
  rmSync(file);
  writeFileSync(file, "one");
  // Whatever came of these would have come before this.
  replace("two");
  await until(seen, 1);
  expect(seen.count).toBe(1);
});

test("what we wrote ourselves is no change, and what it held before that is one", async () => {
  const seen = watching();
  replace("ours");
  watch.expect(createHash("sha256").update("ours").digest("base64"));
  replace("one");
  await until(seen, 1);
  replace("ours again");
  watch.expect(createHash("sha256").update("ours again").digest("base64"));
  writeFileSync(join(folder, "b.toml"), "two");
  replace("two");
  await until(seen, 2);
  expect(seen.count).toBe(2);
});

test("what it held at first is a change once it held something else", async () => {
  const seen = watching();
  replace("two");
  await until(seen, 1);
  replace("one");
  await until(seen, 2);
});

test("a file that is gone for a while is a change when it is back with something else", async () => {
  const seen = watching();
  rmSync(file);
  writeFileSync(file, "two");
  await until(seen, 1);
});

test("a file that is removed is a change, and so is the same content when the file is back", async () => {
  const seen = watching();
  rmSync(file);
  await until(seen, 1);
  writeFileSync(file, "one");
  await until(seen, 2);
  writeFileSync(join(folder, "b.toml"), "two");
  replace("two");
  await until(seen, 3);
  expect([seen.count, seen.failures]).toEqual([3, []]);
});

test("a file that becomes a folder is a change, and so is the file when it is back", async () => {
  const seen = watching();
  rmSync(file);
  mkdirSync(file);
  await until(seen, 1);
  rmSync(file, { recursive: true });
  writeFileSync(file, "one");
  await until(seen, 2);
});

test("a folder that is moved away is a change, and so is the same content in a new folder", async () => {
  const inner = join(folder, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "a.toml"), "one");
  const seen = watching(join(inner, "a.toml"));
  renameSync(inner, join(folder, "away"));
  await until(seen, 1);
  mkdirSync(inner);
  writeFileSync(join(inner, "a.toml"), "one");
  await until(seen, 2);
  writeFileSync(join(inner, "a.toml"), "two");
  await until(seen, 3);
  expect([seen.count, seen.failures.length]).toEqual([3, 1]);
});

test("another folder under the name of the watched one is a change", async () => {
  for (const [name, text] of [
    ["inner", "one"],
    ["next", "two"],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "a.toml"), text);
  }
  const seen = watching(join(folder, "inner", "a.toml"));
  renameSync(join(folder, "inner"), join(folder, "away"));
  renameSync(join(folder, "next"), join(folder, "inner"));
  await until(seen, 1);
  writeFileSync(join(folder, "inner", "a.toml"), "three");
  await until(seen, 2);
});

test("a file that is gone when the watch begins is a change", async () => {
  rmSync(file);
  const seen = watching();
  await until(seen, 1);
  writeFileSync(file, "one");
  await until(seen, 2);
});

test("through a link that is changed to another folder", async () => {
  for (const name of ["first", "second"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "c.toml"), name);
  }
  symlinkSync("first", join(folder, "now"));
  symlinkSync(join("now", "c.toml"), join(folder, "c.toml"));
  const seen = watching(join(folder, "c.toml"));
  symlinkSync("second", join(folder, "next"));
  renameSync(join(folder, "next"), join(folder, "now"));
  await until(seen, 1);
  writeFileSync(join(folder, "second", "c.toml"), "third");
  await until(seen, 2);
});

test("through a link to another file of its folder", async () => {
  symlinkSync("a.toml", join(folder, "d.toml"));
  const seen = watching(join(folder, "d.toml"));
  replace("two");
  await until(seen, 1);
});

test("a folder that cannot be watched is reported once", async () => {
  const seen = watching(join(folder, "nowhere", "a.toml"));
  await until(seen, 1);
  expect(seen.failures).toHaveLength(1);
});
