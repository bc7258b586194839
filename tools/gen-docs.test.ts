import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingsFile, settingsPage } from "./gen-docs.ts";

test("docs/settings.md is what the schemas say", () => {
  expect(readFileSync(settingsFile, "utf8")).toBe(settingsPage());
});

test("a secret is marked, a missing default is named, and pairs are told from lists", () => {
  const page = settingsPage();
  expect(page).toMatch(/\| `Token` \| text \| empty \| yes \|/u);
  expect(page).toMatch(/\| `BindAddress` \| text \| must be set \|/u);
  expect(page).toMatch(/\| `ReplaceNicks` \| list of pairs \|/u);
  expect(page).toMatch(/\| `IgnoreNicks` \| list \|/u);
});
