import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** A file of the project: path from its root with `/`, and its text. */
export interface TreeFile {
  readonly path: string;
  readonly text: string;
}

/** One breach of a rule. `line` counts from 1; 0 when it is about the file as a whole. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/**
 * Every file git tracks or would track (new and not ignored). Files with a NUL byte count as binary, and have no text:
 * links may lead to them.
 */
export function readTree(root: string): readonly TreeFile[] {
  // `safe.directory`: a checkout that another user owns (a container's volume) is read all the same.
  const listing = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const paths = execFileSync("git", listing, { cwd: root, encoding: "utf8" }).split("\0");
  const files: TreeFile[] = [];
  for (const path of new Set(paths)) {
    if (path === "" || statSync(join(root, path), { throwIfNoEntry: false })?.isFile() !== true) continue;
    const text = readFileSync(join(root, path), "utf8");
    files.push({ path, text: text.includes("\0") ? "" : text });
  }
  return files;
}

/** Findings for every match of a pattern (with the `g` flag) in a file, each with the line it starts on. */
export function matches(file: TreeFile, pattern: RegExp, message: (match: RegExpExecArray) => string): Finding[] {
  return Array.from(file.text.matchAll(pattern), (match) => ({
    path: file.path,
    line: lineAt(file.text, match.index),
    message: message(match),
  }));
}

/** Line number (from 1) of an offset in a text. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** A finding as people read it. */
export function show(finding: Finding): string {
  return `${finding.path}${finding.line > 0 ? `:${finding.line}` : ""}: ${finding.message}`;
}

/** Tests and shared suites: they may reach across borders and name what they test. */
export function isTest(path: string): boolean {
  return /\.(?:test|suite)\.ts$/.test(path);
}

export function isGenerated(path: string): boolean {
  return path.endsWith(".generated.ts");
}
