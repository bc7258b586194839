import type crypto from "node:crypto";
import { expect, test, vi } from "vitest";

const compared = vi.hoisted((): [number, number][] => []);
vi.mock("node:crypto", async (original) => {
  const real = await original<typeof crypto>();
  const timingSafeEqual = (a: Buffer, b: Buffer): boolean => {
    compared.push([a.byteLength, b.byteLength]);
    return real.timingSafeEqual(a, b);
  };
  return { ...real, timingSafeEqual };
});

const { compileGuard } = await import("../../src/http/auth.ts");

test.each([
  ["hunter2-hunter2", true],
  ["hunter2-hunter3", false],
  ["xunter2-hunter2", false],
  ["h", false],
  ["hunter2-hunter2-and-more", false],
  ["x".repeat(10_000), false],
])("a token is compared whole, in constant time: %s", (token, passes) => {
  compared.length = 0;
  expect(compileGuard("hunter2-hunter2")(`Bearer ${token}`)).toBe(passes);
  // Of SHA-256, whatever the length of what was given.
  expect(compared).toEqual([[32, 32]]);
});
