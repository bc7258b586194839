import { expect, test } from "vitest";
import { ranking } from "./eviction.ts";

const uploads = {
  owners: new Map([
    ["a1", new Set(["a"])],
    ["a2", new Set(["a"])],
    ["b1", new Set(["b"])],
    ["b2", new Set(["b"])],
    ["c1", new Set(["c"])],
    ["c2", new Set(["c"])],
    ["ab", new Set(["a", "b"])],
  ]),
  shown: new Set(["a2", "b2", "c2"]),
};
const ALL = ["fetched", "c2", "ab", "c1", "b2", "b1", "a2", "a1"];

test.each<[string, ReadonlyMap<string, number>, readonly (readonly string[])[]]>([
  [
    "nobody has uploaded lately",
    new Map(),
    [
      ["ab", "c1", "b1", "a1"],
      ["fetched", "c2", "b2", "a2"],
    ],
  ],
  ["one has", new Map([["a", 1]]), [["a1"], ["a2"], ["ab", "c1", "b1"], ["fetched", "c2", "b2"]]],
  [
    "two have, one of them more",
    new Map([
      ["a", 1],
      ["b", 2],
    ]),
    [["b1"], ["b2"], ["a1"], ["a2"], ["ab", "c1"], ["fetched", "c2"]],
  ],
])("what goes first when %s", (_, recent, expected) => {
  const rank = ranking(uploads, recent);
  const groups = Map.groupBy(ALL, rank);
  expect([...groups].sort(([a], [b]) => a - b).map(([, names]) => names)).toEqual(expected);
});
