import { expect, test } from "vitest";
import { adapters } from "../src/adapters/registry.ts";
import { besideTable } from "./docs-beside.ts";

test("one column for each network and the API, and what is other than with matterbridge stands out", () => {
  const [heads = "", line = "", ...rows] = besideTable(adapters.values()).split("\n");
  expect(heads.split(" | ")).toHaveLength(adapters.size + 2);
  for (const row of [line, ...rows]) expect(row.split("|")).toHaveLength(heads.split("|").length);
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const [, ...titles] = heads.split("|").map((cell) => cell.trim());
  const cell = (what: string, title: string): string | undefined =>
    cells.find(([, first]) => first === what)?.[titles.indexOf(title) + 1];
  expect(cell("edits", "Matrix")).toBe("native");
  expect(cell("deletions", "XMPP")).toBe("**native**, not none");
  expect(cell("reactions", "HTTP API")).toBe("**native**, not none");
});
