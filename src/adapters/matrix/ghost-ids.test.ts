import * as fc from "../../../test/support/property.ts";
import { expect, test } from "vitest";
import { localpartsOf } from "./ghost-ids.ts";

const of = (id: string, account = "irc") => localpartsOf({ id, account });

test("an id that fits is as the sender's", () => {
  expect(of("alice")).toMatchObject({ own: "irc_alice", plain: "irc_alice", others: [] });
});

test.each(["Alice", "ali ce", "alice:evil.example", "@alice", "ålice", "a\nb", "x".repeat(500)])(
  "%j becomes an id of ours, and no other's",
  (id) => {
    const { own, hashed, plain, others } = of(id);
    expect([own, plain, others]).toEqual([hashed, null, []]);
    expect(own.length).toBeLessThanOrEqual(131);
    expect(own).toMatch(/^irc_[a-z\d._=/+-]+$/u);
    // Whoever takes what the id of somebody else became for a name of their own is still somebody else.
    const taken = of(own.slice("irc_".length));
    expect([taken.own, taken.plain]).not.toContain(own);
  },
);

test("who else would have the same id", () => {
  expect(of("ops_alice", "api.team")).toMatchObject({ own: "api.team_ops_alice", others: ["alice"] });
  const hashed = expect.stringMatching(/^api\.team_ops_alice-[\da-f]{10}$/u) as string;
  expect(of("alice", "api.team_ops")).toEqual({
    own: hashed,
    hashed,
    plain: "api.team_ops_alice",
    others: ["ops_alice"],
  });
  expect(of("a_b", "api.x_y").others).toEqual(["y_a_b", "b"]);
});

test("no two senders share an id, wherever the account ends", () => {
  const part = fc.array(fc.constantFrom("a", "b", "_"), { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
  const sender = fc.tuple(part, part);
  fc.assert(
    fc.property(sender, sender, (one, other) => {
      const isSame = one.join("\0") === other.join("\0");
      const [left, right] = [of(one[1], `api.${one[0]}`), of(other[1], `api.${other[0]}`)];
      expect([left.own === right.own, left.hashed === right.hashed]).toEqual([isSame, isSame]);
      // Each of two that had the same id knows of the other.
      const isDisputed = !isSame && left.plain === right.plain;
      expect(isDisputed && !left.others.includes(other[1])).toBe(false);
    }),
    { seed: 11, numRuns: 10_000 },
  );
});
