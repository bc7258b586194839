import { expect, test } from "vitest";
import { BodyParts } from "./body-parts.ts";

const MEBIBYTE = 1024 * 1024;

test.each([[[1]], [[1, 1, 1]], [[1024, 1]], [[1023, 3, 70_000]], [[65_536, 65_536, 1_000_000, 5]], [[0, 7, 0]]])(
  "parts of %j bytes are joined as they came",
  (sizes) => {
    const parts = sizes.map((size, index) => Buffer.alloc(size, `${index}`));
    const [first = Buffer.alloc(0), ...rest] = parts;
    const body = new BodyParts(first);
    for (const part of rest) body.add(part);
    expect(body.joined().equals(Buffer.concat(parts))).toBe(true);
  },
);

test("what is freed is given back at once, and parts that have passed do not pile up", () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < 20; count += 1) {
    const body = new BodyParts(Buffer.alloc(1));
    for (let part = 0; part < 8 * 16; part += 1) body.add(Buffer.allocUnsafeSlow(MEBIBYTE / 16));
    body.free();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most / MEBIBYTE).toBeLessThan(16);
});
