import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { borderFindings, importsOf } from "../../tools/tidy/borders.ts";
import { circleFindings } from "../../tools/tidy/circles.ts";
import { describeAdapter } from "../contract/describe-adapter.ts";
import { toyFixture } from "./toy-fixture.ts";

describeAdapter("the toy network", toyFixture);

const folder = join(import.meta.dirname, "toy");
/** The adapter's files as they would stand under src. */
const files = readdirSync(folder).map((name) => ({
  path: `src/adapters/toy/${name}`,
  text: readFileSync(join(folder, name), "utf8").replaceAll("../../../src/", "../../"),
}));

test("the adapter's folder would pass the borders of src as it is, and has no circles", () => {
  expect(files.map(({ path }) => path)).toContain("src/adapters/toy/index.ts");
  expect(borderFindings(files)).toEqual([]);
  expect(circleFindings(files)).toEqual([]);
});

test("declaring the adapter loads nothing that connects", () => {
  const index = files.find(({ path }) => path.endsWith("/index.ts"));
  const loaded = importsOf(index?.text ?? "").filter(
    ({ specifier, typeOnly }) => !typeOnly && specifier !== "./session.ts",
  );
  expect(loaded.map(({ specifier }) => specifier)).toEqual([
    "../../contract/adapter.ts",
    "./capabilities.ts",
    "./settings.ts",
  ]);
});
