import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import { JsonSlices } from "./json-slices.ts";

/** As it is parsed with slices of so many characters. */
function sliced(text: string, chars: number): unknown {
  const slices = new JsonSlices(text, chars);
  while (slices.step());
  return slices.value;
}

function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

test("slices of any size give what JSON.parse gives", () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 6 }),
      fc.nat({ max: 40 }),
      fc.constantFrom("", " ", "\n\t"),
      (json, chars, space) => {
        const text = space + json.replaceAll(/(?<=[[{])(?=[[{])/g, space) + space;
        // A text without an array and an object is parsed at once.
        fc.pre(/^\s*[[{]/.test(text));
        expect(sliced(text, chars)).toEqual(whole(text));
      },
    ),
  );
});

test("a text that is damaged anywhere is refused where JSON.parse refuses it", () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 4 }),
      fc.nat({ max: 10 }),
      fc.nat(),
      fc.constantFrom(",", "]", "}", "[", "{", '"', ":", "1", " ", ""),
      (json, chars, place, sign) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + sign + json.slice(sign === "" ? at + 1 : at);
        fc.pre(/^\s*[[{]/.test(text));
        expect(sliced(text, chars)).toEqual(whole(text));
      },
    ),
  );
});

test.each([
  "[1,2,]",
  "[,1]",
  "[1,,2]",
  "[[1,2]3,4]",
  "[3[1,2],4]",
  '{"a":[1,2],}',
  '{"a" [1,2]}',
  '{[1,2]:"a"}',
  "[1,2]]",
  "[1,2",
  "[1}",
  '["a]',
  '["a\\"]',
  "x[1]",
  "[1]x",
  '[1,2]["a"]',
])("%s is no JSON", (text) => {
  expect(sliced(text, 0)).toBeUndefined();
});

test.each([
  '{"__proto__":[1,2],"a":{"__proto__":{"b":[3,4]}}}',
  '{"a":[1,2],"b":[3,4],"a":[5,6]}',
  '{"2":[1,2],"1":[3,4],"x":{"y":[5,[6,[7]]]}}',
  '[[],[[]],{},[{},{"a":[]}]]',
  String.raw`["\\",["\"",["\\\""],"]"],"[{,"]`,
])("%s is read with its keys as they are", (text) => {
  const value = sliced(text, 0);
  expect(value).toEqual(JSON.parse(text));
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
});

test("a step reads one slice, and a long string with it", () => {
  const slices = new JsonSlices(JSON.stringify(Array.from({ length: 1_000 }, () => "x".repeat(8))), 1_000);
  let steps = 1;
  while (slices.step()) steps += 1;
  expect(steps).toBeGreaterThanOrEqual(10);
  expect(slices.value).toHaveLength(1_000);
});

test.each([66, 70, 2_000])("what is nested %d deep is read", (depth) => {
  const deep = `${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`;
  const text = `[1,${deep},{"b":[${deep},2]}]`;
  expect(JSON.stringify(sliced(text, 8))).toBe(JSON.stringify(JSON.parse(text)));
  expect(sliced(`[${deep.replace(/\]\}$/u, "}")}]`, 8)).toBeUndefined();
});

test.each([
  ["nested deep for too long", "[".repeat(600_000) + "]".repeat(600_000)],
  ["of too many values", `[${"[],".repeat(500_000)}0]`],
  ["of too many numbers", `[${"1,".repeat(1_000_001)}0]`],
])("what is %s is refused", (_, text) => {
  expect(sliced(text, 64)).toBeUndefined();
});
