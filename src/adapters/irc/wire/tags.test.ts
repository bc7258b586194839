import * as fc from "../../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { formatTags, parseTags } from "./tags.ts";

describe("parseTags", () => {
  test.each([
    ["a=b;c=d", { a: "b", c: "d" }],
    ["a;b=", { a: "", b: "" }],
    ["a=1;a=2", { a: "2" }],
    ["time=2026-01-01T00:00:00.000Z;+draft/x=y", { time: "2026-01-01T00:00:00.000Z", "+draft/x": "y" }],
    [String.raw`a=\:\s\\\r\n`, { a: "; \\\r\n" }],
    [String.raw`a=\b;c=x\ `.trim(), { a: "b", c: "x" }],
    ["a=b=c", { a: "b=c" }],
    [";;=x;", {}],
    ["__proto__=x", { ["__proto__"]: "x" }],
  ])("%j", (text, tags) => {
    expect([...parseTags(text)]).toStrictEqual(Object.entries(tags));
  });
});

describe("formatTags", () => {
  test.each([
    [{ label: "a1" }, "label=a1"],
    [{ "+rialto/check": "7", x: "" }, "+rialto/check=7;x"],
    [{ a: "; \\\r\n\0" }, String.raw`a=\:\s\\\r\n`],
    [{ "a b": "" }, null],
    [{ "a;b": "" }, null],
    [{ "": "x" }, null],
  ])("%j", (tags, text) => {
    expect(formatTags(new Map(Object.entries(tags)))).toBe(text);
  });

  test("reading gives back what was written, and nothing ends the line or the tags", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const text = formatTags(new Map([["key", value]])) ?? "";
        expect(text).not.toMatch(/[\r\n\0 ;]/);
        expect(parseTags(text).get("key")).toBe(value.replaceAll("\0", ""));
      }),
    );
  });
});
