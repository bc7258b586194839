import { expect, test } from "vitest";
import { parse } from "../../content/formats.ts";
import { namesIn } from "./text.ts";

const MAY = { users: true, everyone: false };

test.each([
  ["hi", []],
  ["@Ann hi", ["ann", "ann hi"]],
  ["ann: hi", ["ann"]],
  ["ann lee, hi @bo.", ["ann lee", "bo", "bo."]],
  ["a@b.c and https://e.example/@ann", []],
  ["@everyone @here @all", []],
  ["`@ann` is code", ["ann"]],
])("names in %j", (text, expected) => {
  expect(namesIn(parse("plain", text), MAY)).toEqual(expected);
});

test("nobody is looked up who may not be notified, and no more than ten", () => {
  expect(namesIn(parse("plain", "@ann"), { users: false, everyone: true })).toEqual([]);
  const many = Array.from({ length: 50 }, (_, at) => `@p${at}`).join("\n");
  expect(namesIn(parse("plain", many), MAY)).toHaveLength(10);
});
