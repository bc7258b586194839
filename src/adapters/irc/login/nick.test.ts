import { describe, expect, test } from "vitest";
import { identOf, nextNick } from "./nick.ts";

describe("nextNick", () => {
  const random = (): number => 0.0042;
  test.each([
    ["rialto", 1, 9, "rialto_"],
    ["rialto", 2, 9, "rialto__"],
    ["rialto", 3, 9, "rialt0042"],
    ["rialto", 3, 30, "rialto0042"],
    ["rialtobot", 1, 9, "rialtobo_"],
    ["ab", 3, 3, "a0042"],
  ])("%s, try %i, at most %i", (wanted, tried, nicklen, next) => {
    expect(nextNick(wanted, tried, nicklen, random)).toBe(next);
  });

  test("each is another one, and short enough", () => {
    let count = 0;
    const tries = Array.from({ length: 10 }, (_, index) =>
      nextNick("rialto", index + 1, 9, () => (count++ % 100) / 100),
    );
    expect(new Set(tries).size).toBe(tries.length);
    expect(tries.every((nick) => nick.length <= 9)).toBe(true);
  });
});

test.each([
  ["rialto", "rialto"],
  ["~-_bridge bot!@x\r\n", "bridgebotx"],
  ["日本", "rialto"],
  ["", "rialto"],
  ["averylongusername", "averylongusername"],
])("identOf %j", (text, ident) => {
  expect(identOf(text)).toBe(ident);
});
