import { posix } from "node:path";
import { importsOf } from "./borders.ts";
import { type Finding, isTest, type TreeFile } from "./tree.ts";

/**
 * Files of src that import each other in a circle, also where only types go round, or a file is loaded later. Tests are
 * free.
 */
export function circleFindings(files: readonly TreeFile[]): readonly Finding[] {
  const sources = files.filter(({ path }) => /^(?:web\/)?src\/.*\.tsx?$/u.test(path) && !isTest(path));
  const imports = new Map(sources.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  return [...imports.keys()].flatMap((path) => circles(path, imports, [], done));
}

function targetsOf({ path, text }: TreeFile): readonly string[] {
  const relative = importsOf(text).filter(({ specifier }) => specifier.startsWith("."));
  return relative.map(({ specifier }) => posix.join(posix.dirname(path), specifier));
}

/** The circles that are met from here; each file is looked at once. `way`: the files that led here. */
function circles(
  path: string,
  imports: ReadonlyMap<string, readonly string[]>,
  way: readonly string[],
  done: Set<string>,
): readonly Finding[] {
  const start = way.indexOf(path);
  if (start !== -1) {
    const message = `is in a circle of imports: ${[...way.slice(start), path].join(" → ")}`;
    return [{ path, line: 0, message }];
  }
  if (done.has(path)) return [];
  const found = (imports.get(path) ?? []).flatMap((next) => circles(next, imports, [...way, path], done));
  done.add(path);
  return found;
}
