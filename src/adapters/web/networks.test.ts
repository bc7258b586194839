import { expect, test } from "vitest";
import type { LinkedChannel } from "../../contract/host.ts";
import type { UserRef } from "../../contract/ids.ts";
import { changeOf, LISTED_MAX, networksOf } from "./networks.ts";

const channel = (
  account: string,
  names: readonly string[] | null,
  more: Partial<LinkedChannel> = {},
): LinkedChannel => ({
  account,
  title: "Net",
  isJoined: true,
  members: names?.map((name) => ({ id: `${name}@secret.example` as UserRef, name, bot: false, present: true })) ?? null,
  count: names?.length ?? null,
  ...more,
});

const shown = (channels: readonly LinkedChannel[]) =>
  networksOf(channels).map(({ title, count, members, offline }) => ({
    title,
    count,
    names: members?.map(({ name }) => name) ?? null,
    offline,
  }));

test("members are listed by network and by name, and channels of one account are one list", () => {
  const channels = [channel("net.a", ["bob", "Ann"]), channel("net.a", ["ann", "bob"]), channel("net.b", ["cyd"])];
  expect(shown(channels)).toEqual([
    { title: "Net (a)", count: 3, names: ["Ann", "ann", "bob"], offline: false },
    { title: "Net (b)", count: 1, names: ["cyd"], offline: false },
  ]);
  expect(JSON.stringify(networksOf(channels))).not.toContain("secret.example");
});

test.each([
  [channel("net.a", null), { count: null, names: null, offline: false }],
  [channel("net.a", null, { count: 7 }), { count: 7, names: null, offline: false }],
  [channel("net.a", null, { isJoined: false }), { count: null, names: null, offline: true }],
])("a network without a list has what is known of it: %#", (one, expected) =>
  expect(shown([one])).toEqual([{ title: "Net", ...expected }]),
);

test("of thousands of members the first 300 are listed, and all are counted", () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `m${String(at).padStart(4, "0")}`);
  const [network] = networksOf([channel("net.a", names.toReversed())]);
  expect([network?.count, network?.members?.length, network?.members?.at(-1)?.name]).toEqual([
    5_000,
    LISTED_MAX,
    "m0299",
  ]);
});

test("a change names who has come and gone in the networks that have changed, and nothing else", () => {
  const before = networksOf([channel("net.a", ["ann", "bob"]), channel("net.b", ["cyd"])]);
  const after = networksOf([channel("net.a", ["bob", "zoe"]), channel("net.b", ["cyd"])]);
  const change = changeOf(before, after);
  const [ann] = before[0]?.members ?? [];
  expect(change?.ids).toEqual(after.map(({ id }) => id));
  expect(change?.networks.map(({ id, here, gone }) => [id, here.map(({ name }) => name), gone])).toEqual([
    [after[0]?.id, ["zoe"], [ann?.id]],
  ]);
  expect(changeOf(after, after)).toBeNull();
  expect(changeOf(after, [])).toEqual({ ids: [], networks: [] });
});

test("a list that comes or goes, another count and a lost connection are changes", () => {
  const listed = networksOf([channel("net.a", ["ann"])]);
  const counted = networksOf([channel("net.a", null, { count: 1 })]);
  const down = networksOf([channel("net.a", null, { count: 1, isJoined: false })]);
  expect(changeOf(listed, counted)?.networks).toMatchObject([{ listed: false, here: [], gone: [expect.any(String)] }]);
  expect(changeOf(counted, listed)?.networks).toMatchObject([{ listed: true, here: [{ name: "ann" }], gone: [] }]);
  expect(changeOf(counted, down)?.networks).toMatchObject([{ offline: true, here: [], gone: [] }]);
});
