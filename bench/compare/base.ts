import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** How far back a comparison goes where neither a release nor another branch is known. */
const STEPS = 20;

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** Null when git says no. */
function asked(cwd: string, ...args: readonly string[]): string | null {
  try {
    return git(cwd, ...args) || null;
  } catch {
    return null;
  }
}

/** A commit by what people call it; throws when there is none. */
export function commitOf(name: string, cwd = root): string {
  const commit = asked(cwd, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);
  if (commit === null) throw new Error(`there is no commit ${name}`);
  return commit;
}

/**
 * What a change is compared with: the last release before it; else where it left the main branch; else the commit 20
 * before it, or the oldest that is known. Null when it is the only one.
 */
export function usualBase(cwd = root): string | null {
  const head = commitOf("HEAD", cwd);
  const release = asked(cwd, "describe", "--tags", "--abbrev=0", "HEAD^");
  if (release !== null) return commitOf(release, cwd);
  for (const branch of ["origin/HEAD", "origin/main", "main"]) {
    const base = asked(cwd, "merge-base", "HEAD", branch);
    if (base !== null && base !== head) return base;
  }
  const line = git(cwd, "rev-list", "--first-parent", `--max-count=${STEPS + 1}`, "HEAD").split("\n");
  const oldest = line.at(-1);
  return oldest === undefined || oldest === head ? null : oldest;
}

/** A commit in a few characters, with its subject. */
export const titleOf = (commit: string): string => git(root, "log", "-1", "--format=%h %s", commit);

const npm = (cwd: string, ...args: readonly string[]): void => {
  execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
};

/** Builds this checkout; answers its program. */
export function buildOurs(): string {
  npm(root, "run", "--silent", "build");
  return join(root, "bin/rialto.js");
}

/** Builds a commit in an empty folder, with the packages of this checkout if it names the same; answers its program. */
export function buildCommit(commit: string, folder: string): string {
  const archive = execFileSync("git", ["archive", "--format=tar", commit], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  const lock = (of: string): string => readFileSync(join(of, "package-lock.json"), "utf8");
  const program = join(folder, "bin/rialto.js");
  if (lock(folder) === lock(root)) symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  else npm(folder, "ci", "--silent", "--no-audit", "--no-fund");
  // Some commits are built by `npm ci`.
  if (!existsSync(join(folder, "dist/main.js"))) npm(folder, "run", "--silent", "build");
  return program;
}
