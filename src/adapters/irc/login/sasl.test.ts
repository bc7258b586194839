import { describe, expect, test } from "vitest";
import { externalChunks, plainChunks, takesMechanism } from "./sasl.ts";

describe("PLAIN", () => {
  test("a short one is one chunk", () => {
    expect(plainChunks("jilles", "sesame")).toStrictEqual(["AGppbGxlcwBzZXNhbWU="]);
  });

  // 300 bytes are 400 characters of base64.
  test.each([
    [299, [400, 1]],
    [298, [400, 1]],
    [297, [396]],
    [300, [400, 1]],
    [301, [400, 4]],
    [598, [400, 400, 1]],
  ])("a payload that makes chunks: %i bytes of password and user", (bytes, lengths) => {
    const parts = plainChunks("u", "p".repeat(bytes - 2 - 1));
    expect(Buffer.from(`\0u\0${"p".repeat(bytes - 3)}`)).toHaveLength(bytes);
    expect(parts.map((part) => part.length)).toStrictEqual(lengths);
    expect(Buffer.from(parts.filter((part) => part !== "+").join(""), "base64").toString()).toBe(
      `\0u\0${"p".repeat(bytes - 3)}`,
    );
  });

  test("UTF-8", () => {
    expect(Buffer.from(plainChunks("é", "ü").join(""), "base64").toString()).toBe("\0é\0ü");
  });
});

test("EXTERNAL is an empty answer", () => {
  expect(externalChunks()).toStrictEqual(["+"]);
});

test.each([
  ["", "PLAIN", true],
  ["PLAIN,EXTERNAL", "EXTERNAL", true],
  ["plain", "PLAIN", true],
  ["SCRAM-SHA-256,PLAINER", "PLAIN", false],
] as const)("sasl=%s and %s", (offered, mechanism, takes) => {
  expect(takesMechanism(offered, mechanism)).toBe(takes);
});
