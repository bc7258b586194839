import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const web = join(root, "dist/web");
const FIRST_LOAD_MAX = 40 * 1024;
/** What stands in a file and is no request: names of XML, and where a package explains itself. */
const NAMES = /^https?:\/\/(?:www\.w3\.org\/|(?:www\.)?preactjs\.com\/|codemirror\.net\/)/u;

const files = readdirSync(web, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(web.length + 1));
const textOf = (file: string): string => readFileSync(join(web, file), "utf8");

/** A page and everything that it loads before somebody goes anywhere. */
function firstLoad(page: string): ReadonlySet<string> {
  const loaded = new Set([page]);
  for (const file of loaded) {
    const text = textOf(file);
    const named = file.endsWith(".html")
      ? Array.from(text.matchAll(/(?:src|href)="\/?(?<name>assets\/[^"]+)"/gu), ({ groups }) => groups?.["name"] ?? "")
      : Array.from(text.matchAll(/(?:\bfrom|\bimport)\s*["'](?<name>\.\/[^"']+)["']/gu), ({ groups }) =>
          posix.join(posix.dirname(file), groups?.["name"] ?? ""),
        );
    for (const name of named) loaded.add(name);
  }
  return loaded;
}

describe.each(["index.html", "chat.html"])("%s", (page) => {
  test("its first load is small", () => {
    const sizes = [...firstLoad(page)].map((file) => ({ file, bytes: gzipSync(textOf(file), { level: 9 }).length }));
    expect(sizes.map(({ file }) => file)).toContainEqual(expect.stringMatching(/\.js$/u));
    expect(sizes.map(({ file }) => file)).toContainEqual(expect.stringMatching(/\.css$/u));
    const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
    expect(sum > FIRST_LOAD_MAX ? sizes : []).toEqual([]);
  });

  test("what its policy refuses is not in it: scripts and styles within the page", () => {
    expect(textOf(page)).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|javascript:/iu);
  });
});

test.each(files.filter((name) => /\.(?:js|css|html)$/u.test(name)))(
  "%s asks nothing of anybody else, and makes no code of texts",
  (file) => {
    const text = textOf(file);
    const elsewhere = Array.from(text.matchAll(/\b(?:https?|wss?):\/\/[^\s"'`)]+/gu), ([address]) => address);
    expect(elsewhere.filter((address) => !NAMES.test(address))).toEqual([]);
    expect(text).not.toMatch(/\beval\(|\bnew Function\(|@import\s|sourceMappingURL/u);
  },
);

test("whatever is in the pages is named among the software of others, with its licence", () => {
  const page = readFileSync(join(root, "dist/THIRD-PARTY.md"), "utf8");
  expect(page).toMatch(/^\| `preact` \| [\d.]+ \| MIT \|$/mu);
  expect(page).toMatch(/^\| `@preact\/signals-core` \| [\d.]+ \| MIT \|$/mu);
});
