import { expect, test } from "vitest";
import { cookiesNamed } from "./cookies.ts";

test.each([
  [undefined, []],
  ["", []],
  ["a=1", ["1"]],
  ["b=0; a=1;a=2 ; aa=3; a=1", ["1", "2"]],
  ["a; a=; x=a=4", [""]],
  ["a=b=c", ["b=c"]],
])("%j", (header, values) => {
  expect(cookiesNamed("a", header)).toEqual(values);
});

test("not without end", () => {
  expect(cookiesNamed("a", Array.from({ length: 99 }, (_, at) => `a=${at}`).join("; "))).toHaveLength(50);
});
