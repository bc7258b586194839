import { expect, test } from "vitest";
import { EscapedText } from "./escapes.ts";

/** What the place at the start of a text may be, when all of the text belongs to it. */
const whole = (text: string): readonly string[] =>
  new EscapedText(text)
    .readings(0)
    .filter(({ end }) => end === text.length)
    .map(({ code }) => String.fromCodePoint(code));

test.each([
  ["x", "x"],
  ["😀", "😀"],
  [String.raw`\/`, "/"],
  [String.raw`\"`, '"'],
  [String.raw`\n`, "\n"],
  [String.raw`\u00e9`, "é"],
  [String.raw`\u003C`, "<"],
  [String.raw`\ud83d\ude00`, "😀"],
  [String.raw`\xe9`, "é"],
  [String.raw`\xc3\xa9`, "é"],
  [String.raw`\xf0\x9f\x98\x80`, "😀"],
  [String.raw`\\xc3\\xa9`, "é"],
  [String.raw`\\u00e9`, "é"],
  [String.raw`\\\\/`, "/"],
  ["&#34;", '"'],
  ["&#0043;", "+"],
  ["&#x2F;", "/"],
  ["&#X2f;", "/"],
  ["&#128512;", "😀"],
  ["&eacute;", "é"],
  ["&alpha;", "α"],
  ["&amp;", "&"],
  ["&quot;", '"'],
  ["&amp;eacute;", "é"],
  ["&amp;amp;#43;", "+"],
  ["%2f", "/"],
  ["%C3%A9", "é"],
  ["%E9", "é"],
  ["%F0%9F%98%80", "😀"],
  ["%25E9", "é"],
  ["%26eacute%3B", "é"],
  [String.raw`\u0026#x2F;`, "/"],
  [String.raw`%5Cu00e9`, "é"],
  ["&#37;E9", "é"],
  ["+", " "],
  ["%2B", " "],
])("%s may be %s", (text, character) => {
  expect(whole(text)).toContain(character);
});

test.each(["%C3%A9", String.raw`\xc3\xa9`, "%2B", "&#x2b;"])("%s has more than one meaning", (text) => {
  expect(new EscapedText(text).readings(0).length).toBeGreaterThan(2);
});

test.each([
  "\\",
  String.raw`\u00`,
  String.raw`\q`,
  "&",
  "&nothing;",
  "&#;",
  "&#1114112;",
  "%",
  "%4",
  "%zz",
  "&#x;",
  "",
])("%s is nothing but itself", (text) => {
  expect(new EscapedText(text).readings(0)).toEqual(text === "" ? [] : [{ code: text.codePointAt(0), end: 1 }]);
});

test.each(["\\", "&", "%", "&#", "%25", "&amp;", String.raw`\u005c`, "&#000038;"])(
  "a long row of %s is read, place by place",
  (sign) => {
    const text = sign.repeat(20_000);
    const escaped = new EscapedText(text);
    let most = 0;
    for (let at = 0; at < text.length; at += 1) most = Math.max(most, escaped.readings(at).length);
    expect(most).toBeLessThanOrEqual(8);
  },
);
