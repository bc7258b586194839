import { expect, test } from "vitest";
import type { WebMember, WebMembersChange, WebNetwork } from "../../../src/contract/web-chat.ts";
import { changeMembers, forgetMembers, members, networksAfter, presentCount, readMembers } from "./people.ts";

const member = (name: string): WebMember => ({
  id: name,
  name,
  guest: false,
  network: "Net",
  present: true,
  mine: false,
});
const network = (id: string, names: readonly string[] | null, count = names?.length ?? null): WebNetwork => ({
  id,
  title: id,
  count,
  members: names?.map(member) ?? null,
  offline: false,
});
const change = (from: number, here: readonly string[], gone: readonly string[], count = 1): WebMembersChange => ({
  type: "members",
  from,
  version: from + 1,
  ids: ["a"],
  networks: [{ id: "a", title: "a", count, offline: false, listed: true, here: here.map(member), gone }],
});
const names = (): readonly string[] => members.value.map(({ name }) => name);

test("a change adds and removes people, and drops networks that are not named any more", () => {
  const before = [network("a", ["ann", "bob"]), network("b", ["cyd"]), network("c", null, 5)];
  const after = networksAfter(before, { ids: ["c", "a"], networks: change(1, ["zoe"], ["ann"], 2).networks });
  expect(after).toEqual([network("c", null, 5), network("a", ["bob", "zoe"])]);
  const unlisted = { id: "a", title: "a", count: 2, offline: false, listed: false, here: [], gone: ["bob", "zoe"] };
  expect(networksAfter(after, { ids: ["a"], networks: [unlisted] })).toEqual([network("a", null, 2)]);
});

test("changes are applied in their order, and the list is read again where one is missing", () => {
  forgetMembers();
  expect(readMembers({ members: [member("gus")], networks: [network("a", ["ann"])], version: 3 })).toBe(true);
  expect(changeMembers(change(2, ["old"], []))).toBe(true);
  expect(names()).toEqual(["gus", "ann"]);
  expect(changeMembers(change(3, ["bob"], ["ann"]))).toBe(true);
  expect([names(), presentCount.value]).toEqual([["gus", "bob"], 2]);
  expect(changeMembers(change(5, ["cyd"], []))).toBe(false);
  expect(names()).toEqual(["gus", "bob"]);
  // It was read before the change.
  expect(readMembers({ members: [], networks: [network("a", ["bob"])], version: 4 })).toBe(false);
  expect(readMembers({ members: [], networks: [network("a", ["cyd"])], version: 6 })).toBe(true);
  expect(names()).toEqual(["cyd"]);
});

test("a change that comes before the list was read is not lost", () => {
  forgetMembers();
  expect(changeMembers(change(0, ["ann"], []))).toBe(true);
  expect(readMembers({ members: [], networks: [], version: 0 })).toBe(false);
  expect(readMembers({ members: [], networks: [network("a", ["ann"])], version: 1 })).toBe(true);
});
