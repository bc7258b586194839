import { expect, test } from "vitest";
import { compileGuard } from "./auth.ts";

const cases: readonly [header: string | undefined, passes: boolean][] = [
  ["Bearer s3cret", true],
  ["bearer s3cret", true],
  ["BEARER   s3cret", true],
  ["Bearer s3cret ", true],
  ["Bearer S3cret", false],
  ["Bearer s3cre", false],
  ["Bearer s3cret2", false],
  ["Bearer", false],
  ["Bearer ", false],
  ["Basic s3cret", false],
  ["s3cret", false],
  ["", false],
  [undefined, false],
];

test.each(cases)("header %j passes a token guard: %s", (header, passes) => {
  expect(compileGuard("s3cret")(header)).toBe(passes);
});

test.each(cases)("header %j passes where there is no token", (header) => {
  expect(compileGuard(null)(header)).toBe(true);
  expect(compileGuard("")(header)).toBe(true);
});
