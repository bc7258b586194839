import { type Finding, isGenerated, lineAt, type TreeFile } from "./tree.ts";

const COLUMNS_MAX = 120;
const TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (?<name>\w+)/gm;
const RENAMED = /^export (?:type )?\{(?<list>[^}]*)\} from /gm;

/**
 * Type names that two files of src and web/src export: each has one meaning in the program. An export of the same name
 * is that.
 */
export function nameFindings(files: readonly TreeFile[]): readonly Finding[] {
  const first = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { path, text } of files) {
    if (!/^(?:web\/)?src\/.*\.tsx?$/.test(path) || path.endsWith(".test.ts") || isGenerated(path)) continue;
    for (const { name, index } of exportsOf(text)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, path);
      else findings.push({ path, line: lineAt(text, index), message: `exports the type ${name}, as ${other} does` });
    }
  }
  return findings;
}

function exportsOf(text: string): readonly { readonly name: string; readonly index: number }[] {
  const declared = Array.from(text.matchAll(TYPE), ({ groups, index }) => ({ name: groups?.["name"] ?? "", index }));
  const renamed = Array.from(text.matchAll(RENAMED)).flatMap(({ groups, index }) =>
    Array.from((groups?.["list"] ?? "").matchAll(/\bas (\w+)/g), ([, name = ""]) => ({ name, index })),
  );
  return [...declared, ...renamed.filter(({ name }) => /^[A-Z]\w*[a-z]/.test(name))];
}

/** Lines of comments that are too wide to read beside the code. Directives stay on one line, as their tools want it. */
export function columnFindings(files: readonly TreeFile[]): readonly Finding[] {
  return files
    .filter(({ path }) => /\.tsx?$/u.test(path) && !isGenerated(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        if (line.length <= COLUMNS_MAX || !/^\s*(?:\/\/|\/\*\*?|\*) /.test(line) || /\/[/*] oxlint-/.test(line))
          return [];
        return [{ path, line: index + 1, message: `a comment of ${line.length} columns; at most ${COLUMNS_MAX}` }];
      }),
    );
}
