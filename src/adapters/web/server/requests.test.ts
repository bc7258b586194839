import { expect, test } from "vitest";
import { netOf, ownerOf } from "./requests.ts";
import { Rates } from "./rates.ts";
import { AddressShares } from "./shares.ts";

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::7", "2001:db8:0:0::/64"],
  ["2001:0db8:0001::", "2001:db8:1:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["nonsense", ""],
])("%s is banned as %s", (address, net) => expect(netOf(address)).toBe(net));

test.each([
  ["192.0.2.77", "192.0.2.77"],
  ["::ffff:192.0.2.77", "192.0.2.77"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
])("%s counts as %s", (address, owner) => expect(ownerOf(address)).toBe(owner));

test("so much of something at a time, and again when it is given back", () => {
  const shares = new AddressShares(2);
  const first = shares.take("a");
  expect([shares.take("a"), shares.take("a"), shares.take("b")]).toEqual([
    expect.any(Function),
    null,
    expect.any(Function),
  ]);
  first?.();
  first?.();
  expect([shares.take("a"), shares.take("a")]).toEqual([expect.any(Function), null]);
});

test("so many in a time, and then one after the other", () => {
  let now = 0;
  const rates = new Rates(2, 60_000, () => now);
  expect([rates.take("a"), rates.take("a"), rates.take("a"), rates.take("b")]).toEqual([0, 0, 30, 0]);
  now = 30_000;
  expect([rates.take("a"), rates.take("a")]).toEqual([0, 30]);
  // Of some keys more.
  expect([1, 2, 3, 4].map(() => rates.take("c", 1))).toEqual([0, 0, 0, 20]);
});
