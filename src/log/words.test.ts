import * as fc from "../../test/support/property.ts";
import { describe, expect, test } from "vitest";
import { compileTerms, QUERY_WORDS, termsOf, tokensOf, wordsOf } from "./words.ts";

describe("wordsOf", () => {
  test.each([
    ["Hello, World! it's 42", ["hello", "world", "it", "s", "42"]],
    ["Café CAFE\u0301 ﬁle Ｗide", ["cafe", "cafe", "file", "wide"]],
    ["İstanbul ΟΔΟΣ Straße", ["istanbul", "οδοσ", "straße"]],
    ["abc日本語def 東京タワー", ["abc", "日本語", "def", "東京タワー"]],
    ["हिन्दी", ["हिन्दी"]],
    ["--- !!! \u0000 😀", []],
  ])("of %j", (text, words) => expect(wordsOf(text)).toEqual(words));
});

describe("termsOf", () => {
  const one = (word: string, open = false): unknown => ({ words: [word], open });
  test.each([
    ["Hello world", [one("hello"), one("world")]],
    ['"Hello world" x', [{ words: ["hello", "world"], open: false }, one("x")]],
    ['"unclosed phrase', [{ words: ["unclosed", "phrase"], open: false }]],
    ["begin* mid*dle", [one("begin", true), one("mid"), one("dle")]],
    [
      "a-b* NEAR(x y) col:z ^q",
      ["a", "b*", "near", "x", "y", "col", "z", "q"].map((w) => one(w.replace("*", ""), w.endsWith("*"))),
    ],
    ["\" ' ; -- *", []],
  ])("of %j", (query, terms) => expect(termsOf(query)).toEqual(terms));

  test("takes so many words and no more", () => {
    const terms = termsOf(`${"w ".repeat(10)}"${"p ".repeat(40)}" ${"x ".repeat(40)}`);
    expect(terms.flatMap(({ words }) => words)).toHaveLength(QUERY_WORDS);
  });
});

test("the index is asked for one beginning at most, the longest, and for none where there is a whole word", () => {
  const asked = (query: string): unknown => compileTerms(termsOf(query), "words");
  expect(asked("a* bcd* ef*")).toMatchObject({ match: '"bcd"*', begins: "bcd" });
  expect(asked("a* bcd* ef")).toMatchObject({ match: '"ef"', begins: null });
  expect(asked("bcd*")).toMatchObject({ match: '"bcd"*', begins: "bcd", isSure: true });
});

test("of a text that is very long the beginning counts", () => {
  for (const text of ["a".repeat(1 << 25), "本".repeat(1 << 24), "\uFDFA".repeat(1 << 22)]) {
    expect(tokensOf(text, "trigrams").length).toBeLessThan(1000);
  }
});

const finds = (query: string, text: string, mode: "words" | "trigrams"): boolean => {
  const { match, holds, isSure } = compileTerms(termsOf(query), mode);
  const tokens = tokensOf(text, mode).split(" ");
  const all = match.split(" AND ").every((part) => {
    const [, word = "", open] = /^"([^"]*)"(\*?)$/u.exec(part) ?? [];
    return tokens.some((token) => (open === "*" ? token.startsWith(word) : token === word));
  });
  // Where the index is sure, it is right; and what is read without it is found as well.
  if (isSure) expect(all).toBe(holds(text));
  else if (holds(text)) expect(all).toBe(true);
  return holds(text);
};

describe("what is found", () => {
  test.each([
    ["hello", "Hello, World", true, true],
    ["ell", "Hello, World", false, true],
    ["hel*", "Hello, World", true, true],
    ["lo", "Hello, World", false, true],
    ["hello worlds", "Hello, World", false, false],
    ["日本", "これは日本語です", true, true],
    ["本", "日本", true, true],
    ["日語", "これは日本語です", false, false],
    ["語日", "日本語 語学 学日", false, false],
    ['"hello world"', "say: hello, world!", true, true],
    ['"world hello"', "hello world", false, false],
    ['"lo wor"', "hello world", false, true],
    ["bcabc", "abcab cabca", false, false],
    ["hel* wor*", "Hello, World", true, true],
    ["hel* wol*", "Hello, World", false, false],
    ["wor* hello", "Hello, World", true, true],
    ["wol* hello", "Hello, World", false, false],
    ["本 wor*", "日本 World", true, true],
    ["本 wor*", "日木 World", false, false],
  ])("%j in %j", (query, text, words, trigrams) => {
    expect(finds(query, text, "words")).toBe(words);
    expect(finds(query, text, "trigrams")).toBe(trigrams);
  });

  test("any word of a text finds it, whatever it is", () => {
    const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.string());
    const property = fc.property(texts, fc.constantFrom("words" as const, "trigrams" as const), (text, mode) => {
      for (const word of wordsOf(text).slice(0, 3)) expect(finds(word, text, mode)).toBe(true);
    });
    fc.assert(property);
  });
});
