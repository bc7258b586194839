import { expect, test } from "vitest";
import { keyed } from "./keyed.ts";

test("an alert keeps its key when its words change, and no two have the same", () => {
  const keysOf = (...alerts: readonly (readonly [of: string, what: string])[]): readonly string[] =>
    keyed(alerts.map(([of, what]) => ({ of, what, remedy: null, sinceMs: null }))).map(({ key }) => key);
  const before = keysOf(["web.a lobby", "1 message"], ["web.a lobby", "1 report"], ["web.a attic", "1 message"]);
  expect(keysOf(["web.a lobby", "2 messages"], ["web.a lobby", "1 report"], ["web.a attic", "1 message"])).toEqual(
    before,
  );
  expect(new Set(before).size).toBe(3);
});
