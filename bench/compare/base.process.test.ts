import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOf, usualBase } from "./base.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-base-"));
  git("init", "--quiet", "--initial-branch", "main");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WHO = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
function git(...args: readonly string[]): string {
  return execFileSync("git", ["-C", folder, ...WHO, ...args], { encoding: "utf8" }).trim();
}

function commits(count: number): readonly string[] {
  return Array.from({ length: count }, () => {
    git("commit", "--quiet", "--allow-empty", "-m", "x");
    return git("rev-parse", "HEAD");
  });
}

test("the only commit has no base", () => {
  commits(1);
  expect(usualBase(folder)).toBeNull();
});

test("a short line is compared with its first commit, a long one with the twentieth before", () => {
  const [first] = commits(3);
  expect(usualBase(folder)).toBe(first);
  const more = commits(30);
  expect(usualBase(folder)).toBe(more[9]);
});

test("a branch is compared with where it left the main one", () => {
  const [, left] = commits(2);
  git("checkout", "--quiet", "-b", "other");
  commits(3);
  expect(usualBase(folder)).toBe(left);
});

test("a release before this commit comes first; one that is this commit does not count", () => {
  const [, release] = commits(2);
  git("tag", "v1");
  git("checkout", "--quiet", "-b", "other");
  commits(2);
  git("tag", "v2");
  expect(usualBase(folder)).toBe(release);
});

test("a commit by its name, and none", () => {
  const [only] = commits(1);
  expect(commitOf("main", folder)).toBe(only);
  expect(() => commitOf("nowhere", folder)).toThrow("there is no commit nowhere");
  expect(() => commitOf("--all", folder)).toThrow("there is no commit --all");
});
