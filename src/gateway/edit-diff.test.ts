import * as fc from "../../test/support/property.ts";
import { expect, test } from "vitest";
import { diffLine } from "./edit-diff.ts";

test.each<[string, string, string | null]>([
  ["the cat sat there for a long while", "the dog sat there for a long while", "s/cat/dog/"],
  ["I like tea and I like it hot", "I like tea and I like it cold", "s/hot/cold/"],
  ["one two three four", "one two 3 four", "s/three/3/"],
  // The old words stand once, so that it is clear which are meant.
  ["a big dog and a big cat lay in the sun", "a big dog and a small cat lay in the sun", "s/big cat/small cat/"],
  ["no no no that is not what was meant", "no yes no that is not what was meant", "s/no no no/no yes no/"],
  ["something was left out here of course", "something important was left out here of course", "s/was/important was/"],
  ["that is very very nice of you, thanks", "that is very nice of you, thanks", "s/very nice/nice/"],
  [
    "you can have it now and/or later, as it suits you",
    "you can have it now or later, as it suits you",
    "s/and\\/or/or/",
  ],
  ["hello World, how are you today my friend?", "hello world, how are you today my friend?", "s/World,/world,/"],
  ["the two  spaces were not really intended", "the two spaces were not really intended", "s/two  spaces/two spaces/"],
  ["the end of a rather long line here", "the end of a rather long line here, really", "s/here/here, really/"],
  // The whole text is as short.
  ["teh", "the", null],
  ["a b", "b a", null],
  ["same as before", "same as before", null],
  ["", "all of it is new", null],
  [
    "first line\nsecond line is rather long here",
    "first line\nand second line is rather long here",
    "s/second/and second/",
  ],
  ["join the lines\nof this long text together now", "join the lines of this long text together now", null],
])("%j to %j", (before, after, expected) => {
  expect(diffLine(before, after, after.length + 2)).toBe(expected);
});

test.each<[string, string, string | null]>([
  [
    "it is in C:\\old\\ somewhere, I believe",
    "it is in C:\\new\\ somewhere, I believe",
    String.raw`s/C:\old\\/C:\new\\/`,
  ],
  ["write it as a\\/b if you have to", "write it as a/b if you have to", String.raw`s/a\\\/b/a\/b/`],
  ["no line ends here, whatever they are", "no line ends here, whatever\u2028they are", null],
])("backslashes and other line ends: %j to %j", (before, after, expected) => {
  expect(diffLine(before, after, 1000)).toBe(expected);
});

test("a text that has become very long is not compared", () => {
  expect(diffLine("a short text", `a short ${"\\".repeat(8_000_000)} text`, Infinity)).toBeNull();
});

test("what may have been cut is not compared, nor is one change made of many", () => {
  const long = "word ".repeat(200).slice(0, 1000);
  expect(diffLine(long, `${long.slice(0, 900)}new ${long.slice(900)}`, 2000)).toBeNull();
  const words = Array.from({ length: 60 }, (_, index) => `w${index}`);
  expect(
    diffLine(words.join(" "), words.map((word, index) => (index > 9 && index < 40 ? "x" : word)).join(" "), 2000),
  ).toBeNull();
});

/** As people read it: of backslashes before a slash each two are one, and an odd one takes the slash along. */
function partsOf(line: string): readonly string[] {
  const parts = [""];
  for (const [piece = "", run] of line.matchAll(/(\\*)\/|[^/\\]+|\\+/g)) {
    const told = run === undefined ? piece : "\\".repeat(run.length / 2);
    parts.push(`${parts.pop() ?? ""}${told}${(run?.length ?? 0) % 2 === 1 ? "/" : ""}`);
    if (run !== undefined && run.length % 2 === 0) parts.push("");
  }
  return parts;
}

test("applied to the old text the line gives the new one", () => {
  const text = fc
    .array(
      fc.constantFrom(
        "a",
        "bb",
        "c/d",
        "e",
        " ",
        "  ",
        "\n",
        "\\",
        "\\/",
        "\\\\",
        "f\\",
        "/",
        "$&",
        "é",
        "e\u0301",
        "👨‍👩‍👧",
        "a",
      ),
      { maxLength: 14 },
    )
    .map((parts) => parts.join(" "));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const line = diffLine(before, after, Infinity);
      if (line === null) return;
      const [, old = "", fresh = ""] = partsOf(line);
      expect(partsOf(line)).toEqual(["s", old, fresh, ""]);
      expect(before.split(old)).toHaveLength(2);
      expect(before.replace(old, () => fresh)).toBe(after);
    }),
  );
});
