import { expect, test } from "vitest";
import type { Log, Mark } from "../../log/log.ts";
import { settleMembership } from "./membership.ts";

/** A log that only keeps marks. */
function logAt(head: number, marks: Map<string, string>): Log {
  return {
    head,
    mark: (written: readonly Mark[]) => {
      for (const { name, value } of written) marks.set(name, value);
      return Promise.resolve();
    },
    unmark: (names: readonly string[]) => {
      for (const name of names) marks.delete(name);
      return Promise.resolve();
    },
  } as unknown as Log;
}

const settle = async (head: number, marks: Map<string, string>, reads: readonly [string, readonly string[]][]) => {
  const since = await settleMembership(logAt(head, marks), "api/api.x/", new Map(marks), new Map(reads));
  return Object.fromEntries([...since].map(([gateway, subjects]) => [gateway, Object.fromEntries(subjects)]));
};

test("a gateway is remembered from the first time on, and so is each place in it", async () => {
  const marks = new Map<string, string>();
  expect(await settle(5, marks, [["a/#x", ["g"]]])).toEqual({ g: { "a/#x": 5 } });
  // What was said at b/#secret before it joined the gateway is nobody's business there.
  const later = await settle(9, marks, [
    ["a/#x", ["g"]],
    ["b/#secret", ["g", "h"]],
  ]);
  expect(later).toEqual({ g: { "a/#x": 5, "b/#secret": 9 }, h: { "b/#secret": 9 } });
});

test("a gateway that the account leaves is forgotten, and begins anew when it comes back", async () => {
  const marks = new Map<string, string>();
  await settle(5, marks, [["a/#x", ["g"]]]);
  expect(await settle(6, marks, [])).toEqual({});
  expect([...marks.keys()]).toEqual([]);
  expect(await settle(8, marks, [["a/#x", ["g"]]])).toEqual({ g: { "a/#x": 8 } });
});
