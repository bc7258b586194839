import { expect, test } from "vitest";
import { EventLabel } from "../contract/message.ts";
import { aConfig, aGateway, aMessage } from "../gateway/samples.suite.ts";
import { encode } from "../gateway/codec.ts";
import { compileRoutes } from "../gateway/routes.ts";
import type { Entry } from "../log/log.ts";
import { type Follower, Followers } from "./followers.ts";

const routes = compileRoutes(
  aConfig([
    aGateway("one", ["inout net.a #x", "inout net.b #x"]),
    aGateway("two", ["inout net.b #x", "inout net.c #x"]),
  ]),
);

function aFollower(gateway: string | null, unsent = 0) {
  const seen: string[] = [];
  const follower: Follower = {
    by: "socket",
    gateway,
    unsent: () => unsent,
    write: (line) => void seen.push(line),
    end: () => void seen.push("end"),
    cut: () => void seen.push("cut"),
  };
  return { seen, follower };
}

const entryOf = (seq: number, subject: string): Entry => {
  return { seq, subject, at: 5, label: "", payload: encode(aMessage({ text: `t${seq}`, username: "ann" })) };
};

test("followers are shown what is said in their gateway, or everything", () => {
  const followers = new Followers(routes, () => undefined);
  const [all, one, two] = [aFollower(null), aFollower("one"), aFollower("two")];
  for (const { follower } of [all, one, two]) followers.add(follower);
  followers.show([entryOf(1, "net.a/#x"), entryOf(2, "net.b/#x"), entryOf(3, "net.z/#x")]);
  const seqs = ({ seen }: { seen: string[] }) => seen.map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect([seqs(all), seqs(one), seqs(two)]).toEqual([[1, 2, 3], [1, 2], [2]]);
  expect(JSON.parse(all.seen[1] ?? "")).toEqual({
    seq: 2,
    atMs: 5,
    account: "net.libera",
    channel: "#room",
    gateways: ["one", "two"],
    by: "ann",
    event: "",
    text: "t2",
  });
});

test("one that does not keep up is cut, and holds up nobody", () => {
  const followers = new Followers(routes, () => undefined);
  const [slow, quick] = [aFollower(null, 2 ** 30), aFollower(null)];
  for (const { follower } of [slow, quick]) followers.add(follower);
  followers.show([entryOf(1, "net.a/#x")]);
  expect(slow.seen).toEqual(["cut"]);
  expect(quick.seen).toHaveLength(1);
  expect(followers.size).toBe(1);
});

test("one may leave 1 MiB untaken, and no more", () => {
  const followers = new Followers(routes, () => undefined);
  const [atLimit, above] = [aFollower(null, 1024 * 1024), aFollower(null, 1024 * 1024 + 1)];
  for (const { follower } of [atLimit, above]) followers.add(follower);
  followers.show([entryOf(1, "net.a/#x")]);
  expect(atLimit.seen).toEqual([expect.stringContaining('"t1"')]);
  expect(above.seen).toEqual(["cut"]);
});

test("there is a most; who leaves makes room, and at the end all are told", () => {
  const followers = new Followers(routes, () => undefined);
  const all = Array.from({ length: 16 }, () => aFollower(null));
  const leave = all.map(({ follower }) => followers.add(follower));
  expect(followers.add(aFollower(null).follower)).toBeNull();
  expect(followers.add({ ...aFollower(null).follower, by: "address" })).not.toBeNull();
  leave[0]?.();
  const last = aFollower(null);
  expect(followers.add(last.follower)).not.toBeNull();
  followers.endAll();
  expect([all[0]?.seen, all[1]?.seen, last.seen]).toEqual([[], ["end"], ["end"]]);
  followers.show([entryOf(1, "net.a/#x")]);
  expect(last.seen).toEqual(["end"]);
});

test("an entry that cannot be shown is left out, and told of", () => {
  const bad: unknown[] = [];
  const followers = new Followers(routes, (...told) => bad.push(told));
  const { seen, follower } = aFollower(null);
  followers.add(follower);
  followers.show([{ ...entryOf(1, "net.a/#x"), payload: "somebody's words" }, entryOf(2, "net.a/#x")]);
  expect(seen.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([2]);
  expect(bad).toEqual([[1, expect.any(SyntaxError)]]);
});

test("the wish to send a message again is no message", () => {
  const followers = new Followers(routes, () => undefined);
  const { seen, follower } = aFollower(null);
  followers.add(follower);
  followers.show([{ ...entryOf(1, "rialto.again/x"), label: EventLabel.again }]);
  expect(seen).toEqual([]);
});
