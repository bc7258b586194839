import { expect, test } from "vitest";
import { piecesOf } from "./addresses.ts";

const linksOf = (text: string): readonly string[] =>
  piecesOf(text).flatMap((piece) => (piece.href === null ? [] : [piece.text]));

test.each([
  ["", []],
  ["no address", []],
  ["https://example.org", ["https://example.org"]],
  [
    "see https://example.org/a_b?c=d#e, and (http://example.net/x).",
    ["https://example.org/a_b?c=d#e", "http://example.net/x"],
  ],
  ["HTTPS://EXAMPLE.ORG!", ["HTTPS://EXAMPLE.ORG"]],
  ["https://en.example.org/wiki/A_(b)", ["https://en.example.org/wiki/A_(b)"]],
  ["https://a.example https://b.example", ["https://a.example", "https://b.example"]],
  ["https://a.example/?to=https://b.example", ["https://a.example/?to=https://b.example"]],
  ["xhttps://example.org", []],
  ["https:// https://", []],
  ["https://[", []],
  ["javascript:alert(1) data:text/html,x ftp://www.example.org a.www.example.org", []],
  ["(www.example.org/a_b), WWW.EXAMPLE.NET.", ["www.example.org/a_b", "WWW.EXAMPLE.NET"]],
  ["https://www.example.org www. www.x www..x", ["https://www.example.org"]],
  ["www.bank.example@evil.example", []],
  ["https://bank.example@evil.example", []],
  ["https://example.org/\u202egro.live", []],
])("the links of %j are %j", (text, links) => {
  expect(linksOf(text)).toEqual(links);
  expect(
    piecesOf(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});
