import { expect, test } from "vitest";
import { passed } from "./garbage.ts";

const MEBIBYTE = 1024 * 1024;

test("what has passed does not pile up", () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < 48; count += 1) {
    for (let part = 0; part < 16; part += 1) passed(Buffer.allocUnsafeSlow(MEBIBYTE / 16).length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most / MEBIBYTE).toBeLessThan(16);
});
