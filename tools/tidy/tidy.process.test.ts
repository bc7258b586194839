import { join } from "node:path";
import { expect, test } from "vitest";
import { borderFindings } from "./borders.ts";
import { circleFindings } from "./circles.ts";
import { linkFindings, unlinkedFindings } from "./docs.ts";
import { kindFindings } from "./kinds.ts";
import { limitFindings } from "./limits.ts";
import { columnFindings, nameFindings } from "./names.ts";
import { changelogFindings, pinFindings } from "./package.ts";
import { readTree, show } from "./tree.ts";
import { placeFindings, protocolFindings, suppressionFindings } from "./words.ts";

const root = join(import.meta.dirname, "../..");
const files = readTree(root);

test("the tree was read", () => {
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(["package.json", "src/main.ts"]));
});

test.each([
  ["size limits, no any, no console outside cli", () => limitFindings(root, "src")],
  ["the same for the pages", () => limitFindings(root, "web")],
  ["tests are named by what they need", () => kindFindings(files)],
  ["import directions", () => borderFindings(files)],
  ["no circles of imports", () => circleFindings(files)],
  ["type names have one meaning", () => nameFindings(files)],
  ["comments are narrow enough to read", () => columnFindings(files)],
  ["the core names no protocol", () => protocolFindings(files)],
  ["no path or package host of one machine", () => placeFindings(files)],
  ["suppressions have a reason", () => suppressionFindings(files)],
  ["links in the docs lead somewhere", () => linkFindings(files)],
  ["every page of docs/ is linked", () => unlinkedFindings(files)],
  ["dependencies are pinned", () => pinFindings(files)],
  ["the changelog knows this version", () => changelogFindings(files)],
])("%s", (_, findings) => {
  expect(findings().map(show)).toStrictEqual([]);
});
