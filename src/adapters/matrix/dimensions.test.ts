import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import { dimensionsOf } from "./dimensions.ts";

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");

test.each([
  ["PNG", "89504e470d0a1a0a 0000000d 49484452 00000140 000000c8 0802000000", { w: 320, h: 200 }],
  ["GIF", "474946383961 4001 c800 f70000", { w: 320, h: 200 }],
  ["JPEG", "ffd8 ffe00010 4a46494600010100000100010000 ffc0 0011 08 00c8 0140 03012200", { w: 320, h: 200 }],
  ["WebP, extended", "52494646 24000000 57454250 56503858 0a000000 10000000 3f0100 c70000", { w: 320, h: 200 }],
  ["WebP, lossless", "52494646 24000000 57454250 5650384c 10000000 2f 3fc13100 00000000", { w: 320, h: 200 }],
  ["WebP, lossy", "52494646 24000000 57454250 56503820 10000000 000000 9d012a 4001 c800", { w: 320, h: 200 }],
  ["a PNG that ends too early", "89504e470d0a1a0a 0000000d 4948", null],
  ["a PNG of no size", "89504e470d0a1a0a 0000000d 49484452 00000000 000000c8", null],
  ["something else", "255044462d312e34", null],
  ["nothing", "", null],
])("%s", (_, hex, size) => {
  expect(dimensionsOf(bytes(hex))).toEqual(size);
});

test("no bytes make it throw", () => {
  const heads = ["", "ffd8", "89504e47", "474946383961", "524946460000000057454250"].map((hex) => bytes(hex));
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 64 }), (head, rest) => {
      dimensionsOf(Uint8Array.from([...head, ...rest]));
    }),
  );
});
