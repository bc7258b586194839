import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { pages } from "./gen-docs.ts";

test.each(pages)("$file is what the code says", ({ file, make }) => {
  expect(readFileSync(file, "utf8")).toBe(make());
});

const page = (name: string): string => pages.find(({ file }) => basename(file) === name)?.make() ?? "";

test("a secret is marked, a missing default is named, and pairs are told from lists", () => {
  const settings = page("settings.md");
  expect(settings).toMatch(/\| `Token` \| text \| empty \| yes \|/u);
  expect(settings).toMatch(/\| `BindAddress` \| text \| must be set \|/u);
  expect(settings).toMatch(/\| `ReplaceNicks` \| list of pairs \|/u);
  expect(settings).toMatch(/\| `IgnoreNicks` \| list \|/u);
});

test("every exit code has its line", () => {
  expect(page("errors.md")).toMatch(/\| 78 \| `config` \|/u);
});
