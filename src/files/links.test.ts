import { expect, test } from "vitest";
import { readLink, signLink } from "./links.ts";

const secret = Buffer.alloc(32, 7);
const link = { content: "00112233445566778899aabbccddeeff", name: "котик.png", untilS: 2_000_000_000 };
const token = signLink(secret, link);

test("a token says what it was made of", () => {
  expect(token).toMatch(/^[\w-]{43}$/u);
  expect(readLink(secret, token, link.name)).toEqual(link);
});

test("each character of a token counts, and so do its name and the secret", () => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const passed: string[] = [];
  for (let at = 0; at < token.length; at += 1) {
    for (const other of alphabet) {
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      if (readLink(secret, changed, link.name) !== null) passed.push(changed);
    }
  }
  // Once for each place, where it is the token itself.
  expect(passed).toEqual(Array.from({ length: token.length }, () => token));
  expect(readLink(secret, token, "a.html")).toBeNull();
  expect(readLink(Buffer.alloc(32, 8), token, link.name)).toBeNull();
});

test.each([
  "",
  "x",
  `${token}A`,
  token.slice(1),
  `${token.slice(0, 42)}!`,
  "../../../../../../../../../../../etc/passwd",
])("%j is no token", (text) => {
  expect(readLink(secret, text, link.name)).toBeNull();
});
