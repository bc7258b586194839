import { expect, test } from "vitest";
import { CONSUMED_TYPES, FILTER_BYTES_MAX, type FilterBody, filterOf, type SpecFlaw, specOf } from "./spec.ts";

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

test.each([
  "receipt.changed",
  "receipt.*",
  "typing",
  "presence",
  "presence.*",
  "skipped",
  "message",
  "mess*",
  "message.posted.*",
  "",
])("a consumer cannot ask for events of the type %j, which it would never get", (type) => {
  const read = specOf({ filter: { types: ["message.posted", type] } });
  const detail = `must be one of ${CONSUMED_TYPES.join(", ")}, or message.*`;
  expect(read).toEqual({ flaws: [{ pointer: "/filter/types/1", detail }] });
  expect(CONSUMED_TYPES).not.toContain("receipt.changed");
});

test.each([...CONSUMED_TYPES, "message.*", "place.*", "*"])("a consumer can ask for events of the type %j", (type) => {
  expect(specOf({ filter: { types: [type] } })).toMatchObject({ spec: { filter: { types: [type] } } });
});
