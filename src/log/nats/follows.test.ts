import { expect, test } from "vitest";
import { Follows, followsText, parseFollows } from "./follows.ts";

const at = (run: string, number: number) => ({ run, number });

test.each([
  ["the first commit of a node", [], at("r1", 1), null, true],
  ["a commit of a version that names none", [at("r1", 4)], at("r1", 9), null, true],
  ["the next commit", [at("r1", 4)], at("r1", 5), at("r1", 4), true],
  ["a commit behind one that was refused and never stored", [at("r1", 4)], at("r1", 6), at("r1", 4), true],
  ["a commit behind one that was deleted", [at("r1", 4)], at("r1", 6), at("r1", 5), false],
  ["a commit that comes again", [at("r1", 4)], at("r1", 4), at("r1", 3), true],
  ["the first commit of the next process", [at("r1", 4)], at("r2", 1), at("r1", 4), true],
  [
    "the first commit of the next process, when the last of this one was deleted",
    [at("r1", 4)],
    at("r2", 1),
    at("r1", 5),
    false,
  ],
  ["a commit whose node is not known, although it has stored one before", [], at("r1", 2), at("r1", 1), false],
  ["a late commit of the process before the last", [at("r2", 1), at("r1", 4)], at("r1", 5), at("r1", 4), true],
] as const)("%s", (_what, known, commit, named, isWhole) => {
  const follows = new Follows(known.map((each) => ({ node: "n", ...each })));
  expect(follows.take("n", commit, named)).toBe(isWhole);
});

test("a gap is reported once, and the commits of other nodes have no part in it", () => {
  const follows = new Follows([]);
  expect(follows.last("a")).toBeNull();
  expect(follows.take("a", at("r", 1), null)).toBe(true);
  expect(follows.take("b", at("s", 7), null)).toBe(true);
  expect(follows.take("a", at("r", 3), at("r", 2))).toBe(false);
  expect(follows.take("a", at("r", 4), at("r", 3))).toBe(true);
  expect(follows.last("a")).toEqual(at("r", 4));
});

test("the header is read as it was written, and anything else is none", () => {
  expect(parseFollows(followsText(at("0b0-1", 12)))).toEqual(at("0b0-1", 12));
  for (const text of ["", "r", "r/", "/1", "r/x", "r/1/2", "r r/1"]) expect(parseFollows(text)).toBeNull();
});
