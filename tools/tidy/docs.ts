import { posix } from "node:path";
import { type Finding, lineAt, type TreeFile } from "./tree.ts";

interface Link {
  readonly target: string;
  readonly line: number;
}

const INLINE = /\]\(\s*<?(?<target>[^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const REFERENCE = /^\[[^\]]+\]:\s*<?(?<target>[^\s>]+)/gm;

/** Relative links of the Markdown files whose file, or whose heading in it, is not there. */
export function linkFindings(files: readonly TreeFile[]): readonly Finding[] {
  const pages = new Map(markdown(files).map((file) => [file.path, file]));
  const places = new Set(files.flatMap(({ path }) => [path, ...parents(path)]));
  return [...pages.values()].flatMap((page) =>
    linksOf(page.text).flatMap(({ target, line }) => {
      const message = faultOf(page, target, pages, places);
      return message === null ? [] : [{ path: page.path, line, message }];
    }),
  );
}

/** Pages of docs/ that neither README.md nor docs/README.md leads to. */
export function unlinkedFindings(files: readonly TreeFile[]): readonly Finding[] {
  const indexes = files.filter(({ path }) => path === "README.md" || path === "docs/README.md");
  const linked = new Set(indexes.flatMap((page) => linksOf(page.text).map(({ target }) => resolve(page.path, target))));
  return markdown(files)
    .filter(({ path }) => path.startsWith("docs/") && path !== "docs/README.md" && !linked.has(path))
    .map(({ path }) => ({ path, line: 0, message: "no link leads here from README.md or docs/README.md" }));
}

function faultOf(
  page: TreeFile,
  target: string,
  pages: ReadonlyMap<string, TreeFile>,
  places: ReadonlySet<string>,
): string | null {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return null;
  const path = resolve(page.path, target);
  if (!places.has(path)) return `links to ${target}, which is not in the project`;
  const heading = target.split("#")[1];
  const text = pages.get(path)?.text;
  if (heading === undefined || text === undefined || anchorsOf(text).has(heading.toLowerCase())) return null;
  return `links to ${target}, but ${path} has no such heading`;
}

/** The path in the project a link leads to; a bare `#heading` leads to its own page. */
function resolve(from: string, target: string): string {
  const path = decodeURIComponent(target.split("#")[0] ?? "");
  return path === "" ? from : posix.join(posix.dirname(from), path).replace(/\/$/, "");
}

function linksOf(text: string): readonly Link[] {
  const prose = withoutCode(text);
  return [INLINE, REFERENCE].flatMap((pattern) =>
    Array.from(prose.matchAll(pattern), (match) => ({
      target: match.groups?.["target"] ?? "",
      line: lineAt(prose, match.index),
    })),
  );
}

/** Code blocks and spans blanked out, every line kept in its place. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^ {0,3}(```+|~~~+)[^\n]*\n[\s\S]*?^ {0,3}\1[^\n]*$/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .replaceAll(/(`+)[^`\n]+\1/g, "");
}

/** The anchors a forge makes of headings: lower case, punctuation gone, spaces to `-`, repeats numbered. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const prose = text.replaceAll(/^ {0,3}(```+|~~~+)[^\n]*\n[\s\S]*?^ {0,3}\1[^\n]*$/gm, "");
  for (const [, heading = ""] of prose.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-");
    let anchor = slug;
    for (let repeat = 1; anchors.has(anchor); repeat += 1) anchor = `${slug}-${repeat}`;
    anchors.add(anchor);
  }
  return anchors;
}

function markdown(files: readonly TreeFile[]): readonly TreeFile[] {
  return files.filter(({ path }) => path.endsWith(".md"));
}

function parents(path: string): readonly string[] {
  const parent = posix.dirname(path);
  return parent === "." ? ["."] : [parent, ...parents(parent)];
}
