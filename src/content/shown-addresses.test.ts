import { describe, expect, test } from "vitest";
import type { Block, Inline } from "../contract/content.ts";
import { parse, readSource, render } from "./formats.ts";
import { plainText } from "./plain.ts";
import { looksElsewhere, showAddresses } from "./shown-addresses.ts";
import { slackRichText } from "./slack-rich.ts";
import { writeTelegram } from "./telegram-write.ts";

const EVIL = "https://evil.example/";
const BANK = "https://bank.example/";

test.each<[string, string]>([
  ["https://bank.example", EVIL],
  ["https://bank.com/login", "https://evil.example"],
  ["log in at https://bank.example/now", EVIL],
  ["https://evil.example/ or https://bank.example/", EVIL],
  ["bank.com", EVIL],
  [" paypal.com/login ", EVIL],
  ["(bank.com)", EVIL],
  ["“bank.com”!", EVIL],
  ["bank.example", EVIL],
  ["bank.co.uk", EVIL],
  ["bank.com:8443", EVIL],
  ["bank.com?x=1", EVIL],
  ["Bank.COM", EVIL],
  ["bank.com.", EVIL],
  ["https://bank.com./login", EVIL],
  ["www.bank.example", EVIL],
  ["WWW.BANK.MUSEUM", EVIL],
  ["ircs://irc.libera.chat", EVIL],
  ["ftp://bank.example", EVIL],
  ["https://bank.example", "mailto:a@evil.example"],
  ["https://bank.example", "xmpp:a@evil.example"],
  // Hosts that contain the shown one.
  ["https://bank.example", "https://bank.example.evil.com/"],
  ["https://bank.example", "https://notbank.example/"],
  ["https://docs.bank.example", BANK],
  // The name before an `@`.
  ["https://bank.com@evil.example", EVIL],
  ["https://bank.com", "https://bank.com@evil.example/"],
  ["bank.com", "https://bank.com:443@evil.example/"],
  // Letters that look alike, and names that are not ASCII.
  ["https://b\u0430nk.example", BANK],
  ["b\u00e4nk.com", "https://bank.com/"],
  ["xn--bnk-qla.com", "https://bank.com/"],
  ["\u0431\u0430\u043d\u043a.\u0440\u0444", EVIL],
  ["\uff42\uff41\uff4e\uff4b.com", EVIL],
  ["bank\u3002com", EVIL],
  ["bank\u2024com", EVIL],
  ["https:\u2215\u2215bank.example", EVIL],
  ["https\uff1a//bank.example", EVIL],
  // Characters that nobody sees.
  ["http\u200bs://bank.example", EVIL],
  ["bank\u200b.com", EVIL],
  ["ba\u00adnk\u2060.c\ufe0fom", EVIL],
  ["\u115fbank.com\u3164", EVIL],
  ["bank.com\u202e", EVIL],
  // IP addresses.
  ["192.0.2.1", EVIL],
  ["192.0.2.1:8080/x", EVIL],
  ["http://192.0.2.1", "http://192.0.2.2/"],
  ["[2001:db8::1]", EVIL],
  ["https://[2001:db8::1]/", EVIL],
  // Other places of one host.
  ["https://bank.example/a", "https://bank.example/b"],
  ["https://code.example/good/tool", "https://code.example/evil/tool"],
  ["https://bank.example/login", "https://bank.example/login-now"],
  ["https://bank.example/?id=1", "https://bank.example/?id=2"],
  ["https://bank.example:8080", BANK],
  // What is no address, and looks like one all the same.
  ["https://[", BANK],
  // Addresses of people.
  ["alice@bank.com", "mailto:eve@evil.example"],
  ["mailto:alice@bank.com", "mailto:eve@evil.example"],
  ["alice@bank.com", EVIL],
])("words that are another address are found: %j on %s", (words, href) => {
  expect(looksElsewhere(words, href)).toBe(true);
});

test.each<[string, string]>([
  ["HTTPS://BANK.EXAMPLE", BANK],
  ["bank.example", BANK],
  ["bank.example/", "http://bank.example"],
  ["http://bank.example", BANK],
  ["https://bank.example", "https://www.bank.example/"],
  ["https://www.bank.example", BANK],
  ["https://bank.example", "https://docs.bank.example/"],
  ["paypal.com", "https://www.paypal.com/login"],
  ["https://bank.example.", BANK],
  ["https://bank.example:443/", BANK],
  ["https://bank.example/a/", "https://bank.example/a"],
  ["https://bank.example/a b/\u00fc", "https://bank.example/a"],
  ["https://bank.example/\u00fc", "https://bank.example/%C3%BC"],
  ["https://bank.example/%7Ealice", "https://bank.example/~alice"],
  ["https://bank.example/Login", "https://bank.example/login"],
  ["https://bank.example/a", "https://bank.example/a?from=feed"],
  ["https://bank.example/a/long/pa…", "https://bank.example/a/long/path"],
  ["bank.example/a/…/z", "https://bank.example/a/b/c/z"],
  ["https://bank.example/a...", "https://bank.example/a/b"],
  ["(see https://bank.example/a)", "https://bank.example/a"],
  ["https://bank.example/100%", "https://bank.example/100%25"],
  ["https://user@bank.example", BANK],
  ["b\u00e4nk.com", "https://xn--bnk-qla.com/"],
  ["ircs://IRC.libera.chat", "ircs://irc.libera.chat"],
  ["alice@bank.com", "mailto:Alice@bank.com?subject=x"],
  ["alice@bank.com", "xmpp:alice@bank.com"],
  ["192.0.2.1", "http://192.0.2.1/x"],
  ["https://[2001:db8::1]", "https://[2001:DB8::1]/"],
  // No addresses at all.
  ["the bank", EVIL],
  ["click here", EVIL],
  ["README.md", EVIL],
  ["src/main.rs", EVIL],
  ["backup.tar.gz", EVIL],
  ["v1.2.3", EVIL],
  ["Fix crash in session.io", EVIL],
  ["@alice@social.example", EVIL],
  ["#dock", EVIL],
  ["etc. and so on", EVIL],
  ["", EVIL],
])("words that are the address itself, or none, are not: %j on %s", (words, href) => {
  expect(looksElsewhere(words, href)).toBe(false);
});

const text = (words: string): Inline => ({ t: "text", text: words });
const para = (...of: readonly Inline[]): Block => ({ t: "para", of });
const link = (href: string, ...of: readonly Inline[]): Inline => ({ t: "link", href, of });

describe("a link whose words are another address", () => {
  const shown = [text("bank.com"), text(" ("), link(EVIL, text(EVIL)), text(")")];

  test.each<[string, Block, Block]>([
    ["a paragraph", para(link(EVIL, text("bank.com"))), para(...shown)],
    ["a style", para({ t: "bold", of: [link(EVIL, text("bank.com"))] }), para({ t: "bold", of: shown })],
    [
      "styled words",
      para(link(EVIL, text("bank."), { t: "bold", of: [text("com")] })),
      para(text("bank."), { t: "bold", of: [text("com")] }, ...shown.slice(1)),
    ],
    [
      "a list in a quote",
      { t: "quote", of: [{ t: "list", ordered: false, items: [[para(link(EVIL, text("bank.com")))]] }] },
      { t: "quote", of: [{ t: "list", ordered: false, items: [[para(...shown)]] }] },
    ],
    ["a link of other words", para(link(EVIL, text("click here"))), para(link(EVIL, text("click here")))],
  ])("shows both in %s", (_, block, expected) => {
    expect(showAddresses([block])).toEqual([expected]);
  });

  const SOURCES: readonly (readonly [string, string])[] = [
    ["markdown", "[https://bank.com/login](https://evil.example)"],
    ["mattermost", "[bank.com/login](https://evil.example)"],
    ["discord", "[bank.com/login](https://evil.example)"],
    ["slack", "<https://evil.example|https://bank.com/login>"],
    ["html", '<a href="https://evil.example">https://bank.com/login</a>'],
  ];
  const FORMATS = ["plain", "irc", "markdown", "mattermost", "discord", "slack", "html", "styling"];
  const WRITERS = new Map<string, (blocks: readonly Block[]) => string>([
    ...FORMATS.map((format) => [format, (blocks: readonly Block[]) => render(format, blocks)] as const),
    ["slack blocks", (blocks) => JSON.stringify(slackRichText(blocks))],
    ["telegram", (blocks) => writeTelegram(blocks).text],
  ]);

  test.each(SOURCES.flatMap(([from, source]) => [...WRITERS.keys()].map((to) => [from, to, source] as const)))(
    "of %s shows both in %s",
    (from, to, source) => {
      const blocks = parse(from, source);
      expect(plainText(blocks)).toMatch(/bank\.com\/login \(https:\/\/evil\.example\)$/u);
      const written = WRITERS.get(to)?.(blocks) ?? "";
      // The words, and what is seen of the address.
      const seen = written.replaceAll(/href="[^"]*"|"url":"https:\/\/evil[^"]*"/gu, "");
      expect(seen).toContain("bank.com/login");
      expect(to === "slack blocks" ? written : seen).toContain("https://evil.example");
      // No link has the words for its own.
      expect(written).not.toMatch(/\]\(https:\/\/evil|evil\.example\|https?:\/\/bank|<a[^>]*>[^<]*bank/u);
    },
  );

  test.each(SOURCES)("of %s shows both also where the same format passes as it is", (format, text) => {
    const { source } = readSource({ format, text });
    expect(source.format).toBe(format);
    expect(plainText(parse(format, source.text))).toMatch(/bank\.com\/login \(https:\/\/evil\.example\/?\)$/u);
    expect(source.text).not.toBe(text);
  });

  test("any other text passes as it was written", () => {
    const source = { format: "markdown", text: "[click  here](https://evil.example) __x__" };
    expect(readSource(source).source).toEqual(source);
  });
});
