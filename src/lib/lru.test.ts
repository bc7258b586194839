import { expect, test } from "vitest";
import { Lru } from "./lru.ts";

test("what was used last stays", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  expect(lru.get("a")).toBe(1);
  lru.set("c", 3);
  expect([lru.get("a"), lru.get("b"), lru.get("c")]).toEqual([1, undefined, 3]);
  lru.delete("a");
  lru.set("c", 4);
  expect([lru.get("a"), lru.get("c")]).toEqual([undefined, 4]);
});
