import { expect, test } from "vitest";
import { STATE_VERSION } from "../sqlite/state-hash.ts";
import { decodeVote, encodeVote, Votes } from "./votes.ts";

test.each([
  ["alone", { n1: "a" }, "n1", "same"],
  ["all agree", { n1: "a", n2: "a", n3: "a" }, "n2", "same"],
  ["one other differs", { n1: "a", n2: "a", n3: "b" }, "n3", "same"],
  ["two others agree, also against the holder", { n1: "a", n2: "b", n3: "b" }, "n1", "outvoted"],
  ["as many of both, and the holder here", { n1: "a", n2: "b" }, "n1", "same"],
  ["as many of both, and the holder there", { n1: "a", n2: "b" }, "n2", "outvoted"],
  ["as many of both, and the holder silent", { n1: "a", n2: "b" }, "n3", "unclear"],
  ["as many of both, and nobody holds it", { n1: "a", n2: "b" }, "", "unclear"],
  ["as many of both, and the holder alone", { n1: "a", n2: "a", n3: "b", n4: "b", n5: "c" }, "n5", "unclear"],
  ["fewer than of two others, and the holder here", { n1: "c", n2: "a", n3: "a", n4: "b", n5: "b" }, "n1", "outvoted"],
  ["all differ, and nobody holds it", { n1: "a", n2: "b", n3: "c" }, "", "unclear"],
  ["all differ, and the holder here", { n1: "a", n2: "b", n3: "c" }, "n1", "same"],
  ["nothing of its own", { n2: "b", n3: "b" }, "n2", "absent"],
] as const)("a node, of %s", (_what, votes, holder, verdict) => {
  const own = new Votes("n1");
  const differs = Object.entries(votes).map(([node, hash]) => own.add(7, node, hash));
  expect(differs.at(-1)).toBe(new Set(Object.values(votes)).size > 1);
  expect(own.judge(7, holder)).toBe(verdict);
});

test("old places are forgotten", () => {
  const votes = new Votes("n1");
  for (let place = 0; place < 20; place += 1) votes.add(place, "n1", "a");
  expect([votes.judge(3, ""), votes.judge(4, "")]).toEqual(["absent", "same"]);
});

test("a vote of another version is none: its hash is of something else", () => {
  const vote = { place: 7, state: "a" };
  const other = (version: unknown): Buffer => Buffer.from(JSON.stringify({ version, ...vote }));
  expect(decodeVote(encodeVote(vote))).toMatchObject(vote);
  expect(decodeVote(other(STATE_VERSION))).toMatchObject(vote);
  for (const version of [STATE_VERSION + 1, undefined]) expect(decodeVote(other(version))).toBeNull();
});
