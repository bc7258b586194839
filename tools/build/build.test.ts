import { describe, expect, test } from "vitest";
import { requiredIn } from "./lazy-packages.ts";
import { thirdPartyPage } from "./licences.ts";

describe("what a source loads by require", () => {
  test.each([
    ['const load = createRequire(import.meta.url);\nload("a"); other("b");', ["a"]],
    ['createRequire(import.meta.url)("@x/y/z")', ["@x/y/z"]],
    [
      'const a = createRequire(import.meta.url);\nconst b = createRequire(import.meta.url);\na("1"); b("2"); a("3")',
      ["1", "2", "3"],
    ],
    [
      'let other: A;\nconst load: ((name: "a") => typeof A) & ((name: "b") => B) = createRequire(import.meta.url);\nload("a"); other("c")',
      ["a"],
    ],
    ['const load = createRequire(import.meta.url);\nreload("a"); load(name);', []],
    ['import { x } from "x"; load("a");', []],
  ])("%s", (source, names) => {
    const found = requiredIn(source);
    expect(found.map(({ name }) => name)).toEqual(names);
    expect(found.map(({ name, at }) => source.slice(at, at + name.length))).toEqual(names);
  });
});

test("the page has the whole text of each licence, between fences that it does not end", () => {
  const page = thirdPartyPage([
    {
      name: "a",
      version: "1.0.0",
      licence: "MIT",
      homepage: "https://a.example",
      texts: ["MIT\n```\nof a", "more of a"],
    },
    { name: "@b/c", version: "2.0.0", licence: "ISC", homepage: "", texts: ["ISC of c"] },
  ]);
  expect(page).toContain("| `a` | 1.0.0 | MIT |\n| `@b/c` | 2.0.0 | ISC |\n");
  expect(page).toContain(
    "## a 1.0.0\n\nMIT, https://a.example\n\n````text\nMIT\n```\nof a\n````\n\n````text\nmore of a\n````\n",
  );
  expect(page).toContain("## @b/c 2.0.0\n\nISC\n\n```text\nISC of c\n```\n");
});
