import { join, sep } from "node:path";
import type { Plugin } from "rolldown";

/** With or without a type, which may be that of a function. */
const CREATED = /\b(?:const|let)\s+(?<name>\w+)\s*(?::(?:[^=;]|=>)*)?=\s*createRequire\(\s*import\.meta\.url,?\s*\)/gu;
const AT_ONCE = String.raw`createRequire\(import\.meta\.url\)`;
const PREFIX = "\0lazy:";

/** What a source loads by `require`: `x("package")`, where `x` is or was made by `createRequire(import.meta.url)`. */
export function requiredIn(source: string): readonly { readonly name: string; readonly at: number }[] {
  if (!source.includes("createRequire(")) return [];
  const callers = [AT_ONCE, ...Array.from(source.matchAll(CREATED), ({ groups }) => String.raw`\b${groups?.["name"]}`)];
  const call = new RegExp(String.raw`(?:${callers.join("|")})\(\s*"(?<name>[^"]+)"`, "gu");
  return Array.from(source.matchAll(call), (match) => {
    const name = match.groups?.["name"] ?? "";
    return { name, at: match.index + match[0].length - name.length - 1 };
  });
}

/** The file in dist/ that such a package becomes. */
export const lazyFile = (name: string): string => `lazy-${name.replaceAll(/\W+/gu, "-")}.js`;

/**
 * A package that the program loads by `require`, when it first needs it and without waiting, becomes a file of its own,
 * which is loaded by `require` too.
 */
export function lazyPackages(root: string): Plugin {
  const packages = join(root, "node_modules", sep);
  const emitted = new Set<string>();
  return {
    name: "lazy-packages",
    transform(source, id) {
      if (id.startsWith(packages)) return null;
      const required = requiredIn(source);
      if (required.length === 0) return null;
      let code = source;
      for (const { name, at } of required.toReversed()) {
        const file = lazyFile(name);
        if (!emitted.has(name)) this.emitFile({ type: "chunk", id: `${PREFIX}${name}`, fileName: file, importer: id });
        emitted.add(name);
        code = `${code.slice(0, at)}./${file}${code.slice(at + name.length)}`;
      }
      // Nothing but texts within a line has changed.
      return { code, map: null };
    },
    resolveId: (id) => (id.startsWith(PREFIX) ? id : null),
    load(id) {
      if (!id.startsWith(PREFIX)) return null;
      // By this name Node finds what `require` of a module answers.
      return `const it = require(${JSON.stringify(id.slice(PREFIX.length))});\nexport { it as "module.exports" };\n`;
    },
  };
}
