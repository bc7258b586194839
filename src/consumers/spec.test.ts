import { expect, test } from "vitest";
import { FILTER_BYTES_MAX, type FilterBody, filterOf, type SpecFlaw } from "./spec.ts";

const flawsOf = (body: FilterBody): readonly SpecFlaw[] => {
  const flaws: SpecFlaw[] = [];
  filterOf(body, "/filter", (flaw) => flaws.push(flaw));
  return flaws;
};
const names = (count: number, name: string): readonly string[] => Array.from({ length: count }, () => name);

test.each<[string, FilterBody, boolean]>([
  ["no names", {}, true],
  ["1000 names of accounts", { accounts: names(1000, "irc.libera-chat") }, true],
  ["as many bytes as there may be", { accounts: names(64, "x".repeat(FILTER_BYTES_MAX / 64)) }, true],
  ["a byte more", { accounts: [...names(64, "x".repeat(FILTER_BYTES_MAX / 64)), "x"] }, false],
  ["1000 long names", { accounts: names(1000, "x".repeat(200)) }, false],
  ["few characters of many bytes", { gateways: names(100, "\u{1F600}".repeat(64)) }, false],
  [
    "lists that are too large together",
    { gateways: names(40, "x".repeat(250)), accounts: names(40, "x".repeat(250)) },
    false,
  ],
  ["types, again and again", { types: names(1000, "message.*") }, true],
  ["types that are too large together", { types: names(1200, "message.deleted") }, false],
])("a filter of %s", (_, body, isTaken) => {
  const expected = { pointer: "/filter", detail: `must not have more than ${FILTER_BYTES_MAX} bytes in all its names` };
  expect(flawsOf(body)).toEqual(isTaken ? [] : [expected]);
});
