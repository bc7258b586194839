import { posix } from "node:path";
import { type Finding, isTest, lineAt, type TreeFile } from "./tree.ts";

/**
 * What the files of one part of src may import from the rest of src. A name that ends in `/` is a folder, any other one
 * file.
 */
interface Border {
  readonly of: string;
  /** Files and folders of src; the part itself always may. `null`: anything. */
  readonly may: readonly string[] | null;
  /** Files of which only the types may be imported (`import type`). */
  readonly types?: readonly string[];
  /** When given, the only things outside src that may be imported: packages, `node:` modules. */
  readonly outside?: readonly string[];
}

/**
 * ARCHITECTURE.md, "Layout", as data. The first border whose `of` fits a file holds for it; a file without one is a
 * finding.
 */
const BORDERS: readonly Border[] = [
  { of: "contract/", may: [] },
  { of: "lib/", may: [] },
  // For programs of others: it must run without Rialto, and without Node.
  { of: "client/", may: ["contract/api-v1.ts"], outside: [] },
  { of: "content/", may: ["contract/", "lib/"] },
  { of: "files/", may: ["contract/", "lib/"] },
  { of: "log/", may: ["contract/", "lib/"] },
  {
    of: "gateway/",
    may: ["contract/", "content/", "files/file-id.ts", "lib/"],
    types: ["config/config.ts", "files/files.ts", "log/log.ts"],
    outside: ["re2js"],
  },
  {
    of: "delivery/",
    may: ["contract/", "gateway/", "files/file-id.ts", "log/log.ts", "log/errors.ts", "log/unknown-outcome.ts", "lib/"],
    types: ["config/config.ts", "files/files.ts", "logger.ts"],
  },
  { of: "cluster/", may: ["log/fence.ts", "log/errors.ts", "lib/"], types: ["logger.ts"] },
  {
    of: "access/",
    may: ["contract/", "log/log.ts", "log/errors.ts", "lib/"],
    types: ["config/config.ts", "logger.ts"],
  },
  {
    of: "consumers/",
    may: ["access/access.ts", "contract/", "gateway/", "files/file-id.ts", "log/log.ts", "log/errors.ts", "lib/"],
    types: ["admin/views.ts", "config/config.ts", "files/files.ts", "logger.ts"],
  },
  {
    of: "http/",
    may: [
      "access/",
      "consumers/",
      "content/",
      "contract/",
      "gateway/",
      "files/file-id.ts",
      "log/log.ts",
      "log/errors.ts",
      "log/unknown-outcome.ts",
      "log/words.ts",
      "lib/",
    ],
    types: [
      "log/search.ts",
      "admin/followers.ts",
      "admin/live.ts",
      "admin/operator.ts",
      "admin/resend.ts",
      "admin/story-filter.ts",
      "admin/views.ts",
      "config/config.ts",
      "delivery/status.ts",
      "files/files.ts",
      "logger.ts",
    ],
  },
  {
    of: "admin/",
    may: [
      "contract/",
      "delivery/lanes.ts",
      "delivery/lane/checkpoint.ts",
      "gateway/",
      "log/log.ts",
      "log/errors.ts",
      "log/unknown-outcome.ts",
      "lib/",
    ],
    types: ["delivery/meter.ts", "delivery/status.ts", "log/search.ts"],
  },
  { of: "config/", may: ["contract/", "gateway/regex.ts", "gateway/loops.ts", "adapters/registry.ts", "lib/"] },
  { of: "adapters/registry.ts", may: ["contract/", "adapters/"] },
  { of: "adapters/kit/", may: ["contract/", "content/", "lib/"] },
  { of: "adapters/*/", may: ["contract/", "content/", "lib/", "adapters/kit/"] },
  { of: "errors.ts", may: [] },
  { of: "logger.ts", may: ["lib/", "errors.ts"] },
  {
    of: "app/",
    may: [
      "access/",
      "consumers/",
      "contract/",
      "adapters/registry.ts",
      "adapters/api/index.ts",
      "admin/",
      "cluster/",
      "config/",
      "delivery/",
      "files/",
      "gateway/",
      "http/",
      "log/",
      "lib/",
      "errors.ts",
      "logger.ts",
    ],
  },
  { of: "cli/", may: null },
  { of: "main.ts", may: null },
];

/**
 * The pages, the same way: folders of web/src, and files of src of which more than types is in a page. Types of src any
 * file may import. `outside`: the packages that pages are made of.
 */
const PURE = new Set(["src/admin/changes.ts", "src/client/server-sent.ts", "src/content/links.ts", "src/lib/ago.ts"]);
const PACKAGES = ["preact", "preact/hooks", "@preact/signals"];
const EDITOR = ["commands", "language", "legacy-modes/mode/toml", "legacy-modes/mode/yaml", "lint", "state", "view"];
const WEB_BORDERS: readonly Border[] = [
  { of: "lib/", may: [] },
  { of: "parts/", may: ["lib/"] },
  { of: "shell/", may: null },
  { of: "chat/", may: ["lib/", "parts/", "base.css"] },
  {
    of: "config/",
    may: ["lib/", "parts/"],
    outside: [...EDITOR.map((name) => `@codemirror/${name}`), "@lezer/highlight"],
  },
  { of: "*/", may: ["lib/", "parts/"] },
  { of: "dashboard.tsx", may: null },
  { of: "css.d.ts", may: [] },
];

/** An import or re-export: what it names, and whether it is gone after compiling. */
interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly line: number;
}

const STATEMENT = /^(?:import|export)\b(?<type>\s+type\b)?(?:[^"';]*?\bfrom)?\s*"(?<specifier>[^"]+)"/gm;
const CALL = /\bimport\(\s*["'](?<specifier>[^"']+)["']/g;

/** Imports and re-exports of a file, static and dynamic, in this project's formatting. */
export function importsOf(text: string): readonly Import[] {
  return [STATEMENT, CALL].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), (match) => ({
      specifier: match.groups?.["specifier"] ?? "",
      typeOnly: match.groups?.["type"] !== undefined,
      line: lineAt(text, match.index),
    })),
  );
}

/** Imports that go against the borders of ARCHITECTURE.md, of src/ and web/src/; tests are free. */
export function borderFindings(files: readonly TreeFile[]): readonly Finding[] {
  return files.flatMap((file) => {
    if (file.path.startsWith("web/src/") && /\.tsx?$/u.test(file.path) && !isTest(file.path)) return webFindings(file);
    if (!file.path.startsWith("src/") || !file.path.endsWith(".ts") || isTest(file.path)) return [];
    const path = file.path.slice("src/".length);
    const border = BORDERS.find(({ of }) => isIn(path, of));
    if (border === undefined) {
      const message = "stands in no part of src that ARCHITECTURE.md knows: move it, or give it a border in tools/tidy";
      return [{ path: file.path, line: 0, message }];
    }
    return importsOf(file.text).flatMap((found) => {
      const message = breach(border, path, found);
      return message === null ? [] : [{ path: file.path, line: found.line, message }];
    });
  });
}

function webFindings({ path: whole, text }: TreeFile): readonly Finding[] {
  const path = whole.slice("web/src/".length);
  const border = WEB_BORDERS.find(({ of }) => isIn(path, of));
  return importsOf(text).flatMap((found) => {
    const message = border === undefined ? "stands in no folder of web/src" : webBreach(border, path, found);
    return message === null ? [] : [{ path: whole, line: found.line, message }];
  });
}

function webBreach(border: Border, path: string, { specifier, typeOnly }: Import): string | null {
  if (!specifier.startsWith(".")) {
    const allowed = [...PACKAGES, ...(border.outside ?? [])];
    return allowed.includes(specifier) ? null : `imports ${specifier}; ${border.of} may only use ${allowed.join(", ")}`;
  }
  const target = posix.join("web/src", posix.dirname(path), specifier);
  if (!target.startsWith("web/src/")) {
    if (!target.startsWith("src/")) return `imports ${specifier}, which is outside web/src and src`;
    const message = `imports ${target} as a value; pages may only use types of src (import type)`;
    return typeOnly || PURE.has(target) ? null : message;
  }
  const within = target.slice("web/src/".length);
  if (border.may === null || within.startsWith(ownFolder(border, path))) return null;
  return border.may.some((allowed) => isIn(within, allowed)) ? null : `imports ${target}; ${border.of} may not`;
}

function breach(border: Border, path: string, { specifier, typeOnly }: Import): string | null {
  if (!specifier.startsWith(".")) {
    const allowed = border.outside === undefined || border.outside.includes(specifier);
    return allowed ? null : `imports ${specifier}; ${border.of} may only use ${border.outside.join(", ")}`;
  }
  const target = posix.join(posix.dirname(path), specifier);
  // The version is in it.
  if (path === "app/version.ts" && target === "../package.json") return null;
  if (target.startsWith("../")) return `imports ${specifier}, which is outside src`;
  if (border.may === null || target.startsWith(ownFolder(border, path))) return null;
  if (border.may.some((allowed) => isIn(target, allowed))) return null;
  if (border.types?.includes(target) !== true) return `imports src/${target}; ${border.of} may not`;
  return typeOnly ? null : `imports src/${target} as a value; ${border.of} may only use its types (import type)`;
}

/** A single file has no folder of its own: `\0` starts no path. */
function ownFolder(border: Border, path: string): string {
  if (!border.of.endsWith("/")) return "\0";
  return `${path
    .split("/")
    .slice(0, border.of.split("/").length - 1)
    .join("/")}/`;
}

function isIn(path: string, place: string): boolean {
  if (place === "adapters/*/") return /^adapters\/[^/]+\//.test(path);
  if (place === "*/") return path.includes("/");
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}
