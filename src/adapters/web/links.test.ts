import { expect, test } from "vitest";
import { hasLink } from "./links.ts";

test.each([
  ["https://example.org", true],
  ["see www.example.org", true],
  ["buy at example.com now", true],
  ["exam\u200bple.com", true],
  ["[here](x)", true],
  ["mailto:a@b.example", true],
  ["end.Next sentence", false],
  ["v1.2.3 of file.txt", false],
  ["hello", false],
])("%j: %j", (text, is) => expect(hasLink(text)).toBe(is));
