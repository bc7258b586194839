import { expect, test } from "vitest";
import { looksElsewhere } from "./links.ts";

test.each<[string, string, boolean]>([
  ["https://bank.example", "https://evil.example/", true],
  ["log in at https://bank.example/now", "https://evil.example/", true],
  ["HTTPS://BANK.EXAMPLE", "https://bank.example/", false],
  ["https://bank.example/a", "https://bank.example/b", false],
  ["https://bank.example", "https://bank.example.evil.com/", true],
  ["https://bank.example", "https://www.bank.example/", false],
  ["https://bank.example", "https://docs.bank.example/", false],
  ["https://docs.bank.example", "https://bank.example/", true],
  ["http\u200bs://bank.example", "https://evil.example/", true],
  ["https://b\u0430nk.example", "https://bank.example/", true],
  ["https://bank.example:8080", "https://bank.example/", false],
  ["https://user@bank.example", "https://bank.example/", false],
  ["https://[", "https://bank.example/", false],
  ["www.bank.example", "https://evil.example/", true],
  ["bank.com", "https://evil.example/", true],
  [" paypal.com/login ", "https://evil.example/", true],
  ["paypal.com", "https://www.paypal.com/login", false],
  ["ircs://irc.libera.chat", "https://evil.example/", true],
  ["https://bank.example", "mailto:a@evil.example", true],
  ["the bank", "https://evil.example/", false],
  ["README.md", "https://code.example/README.md", false],
  ["src/main.rs", "https://code.example/x", false],
  ["v1.2.3", "https://code.example/x", false],
  ["etc. and so on", "https://code.example/x", false],
  ["alice@bank.com", "mailto:alice@bank.com", false],
  ["", "https://code.example/x", false],
])("words that look like another address are found: %j on %s: %j", (words, href, is) => {
  expect(looksElsewhere(words, href)).toBe(is);
});
