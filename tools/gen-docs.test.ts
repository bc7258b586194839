import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";
import { pages, splice } from "./gen-docs.ts";

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
  expect(settings).toMatch(/\| `MaxAge` \| duration from 1m to 720h \| `"6h"` \|/u);
});

test("every exit code has its line", () => {
  expect(page("errors.md")).toMatch(/\| 78 \| `config` \|/u);
});

test("options of channels, and what a protocol ignores, stand with it", () => {
  const irc = page("settings.md")
    .split(/^## /mu)
    .find((part) => part.startsWith("IRC"));
  expect(irc).toMatch(/\| `key` \| yes \|/u);
  expect(irc).toMatch(/\| `MessageQueue` \| not needed \|/u);
});

test("a generated part replaces what was there, and nothing around it", () => {
  const page = (made: string) =>
    `before\n<!-- generated: a (tools/gen-docs.ts) -->${made}<!-- end of generated -->\nafter <!-- end of generated -->`;
  expect(splice(page("old"), "a", "new")).toBe(page("\n\nnew\n\n"));
  expect(splice(page("\n\nnew\n\n"), "a", "new")).toBe(page("\n\nnew\n\n"));
  expect(() => splice(page(""), "b", "new")).toThrow("generated: b");
});
