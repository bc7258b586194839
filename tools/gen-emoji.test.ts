import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generate, GENERATED } from "./gen-emoji.ts";

test("the committed emoji table is what the generator makes", () => {
  expect(readFileSync(GENERATED, "utf8") === generate(), "run `node tools/gen-emoji.ts`").toBe(true);
});

test("no short code could end the template literal or be cut by the scanner", () => {
  const codes =
    generate()
      .match(/`([^`]*)`;/)?.[1]
      ?.split("\n")
      .flatMap((line) => line.split(" ").slice(1)) ?? [];
  expect(codes.length).toBeGreaterThan(4772);
  expect(codes.filter((code) => !/^[\p{L}\p{M}\d_+\-.’!&()*#]+$/u.test(code))).toEqual([]);
  expect(new Set(codes).size).toBe(codes.length);
});
