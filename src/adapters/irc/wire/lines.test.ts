import * as fc from "../../../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { LineBuffer } from "./lines.ts";

function linesOf(chunks: readonly (string | Uint8Array)[]): readonly (string | null)[] {
  const buffer = new LineBuffer();
  return chunks
    .flatMap((chunk) => buffer.push(Buffer.from(chunk)))
    .map((line) => (line === null ? null : Buffer.from(line).toString("latin1")));
}

describe("LineBuffer", () => {
  test.each([
    [["a\r\nb\r\n"], ["a", "b"]],
    [["a\nb"], ["a"]],
    [
      ["a", "b\r", "\nc\n"],
      ["ab", "c"],
    ],
    [["\r\n\n\r\r\na\r\r\n"], ["a"]],
    [["a\rb\n"], ["a\rb"]],
    [[""], []],
  ])("%j", (chunks, lines) => {
    expect(linesOf(chunks)).toStrictEqual(lines);
  });

  test("a line of the longest length passes; one byte more is told, and the next line is whole", () => {
    const most = 16 * 1024;
    expect(linesOf([`${"a".repeat(most)}\n`])).toStrictEqual(["a".repeat(most)]);
    expect(linesOf([`${"a".repeat(most + 1)}\nb\n`])).toStrictEqual([null, "b"]);
    expect(linesOf([...Array.from({ length: 100 }, () => "a".repeat(1000)), "\nb\n"])).toStrictEqual([null, "b"]);
  });

  test("where the chunks end makes no difference", () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => array.map((byte) => (byte % 5 === 0 ? 10 : byte)));
    fc.assert(
      fc.property(bytes, fc.integer({ min: 1, max: 10 }), (all, size) => {
        const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
          all.subarray(index * size, (index + 1) * size),
        );
        expect(linesOf(chunks)).toStrictEqual(linesOf([all]));
      }),
    );
  });
});
