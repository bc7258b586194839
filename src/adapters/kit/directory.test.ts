import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { Directory } from "./directory.ts";

function stage(max = 10) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const waiting: { readonly key: string; readonly done: PromiseWithResolvers<string | null> }[] = [];
  const directory = new Directory<string, string>({
    clock,
    max,
    absentMs: 60_000,
    failedMs: 20_000,
    load: async (key) => {
      asked.push(key);
      const done = Promise.withResolvers<string | null>();
      waiting.push({ key, done });
      return await done.promise;
    },
  });
  const answer = async (value: string | null): Promise<void> => {
    await settled();
    waiting.shift()?.done.resolve(value);
  };
  return { clock, asked, waiting, directory, answer };
}

test("one look-up serves all who want it, and is kept", async () => {
  const { directory, asked, answer } = stage();
  expect(directory.known("a")).toBeUndefined();
  const both = Promise.all([directory.get("a"), directory.get("a")]);
  await answer("A");
  expect(await both).toEqual(["A", "A"]);
  expect([await directory.get("a"), directory.known("a"), asked]).toEqual(["A", "A", ["a"]]);
});

test("what there is none of is not looked up again for a while", async () => {
  const { directory, asked, answer, clock, waiting } = stage();
  const first = directory.get("a");
  await answer(null);
  expect([await first, directory.known("a"), await directory.get("a")]).toEqual([null, null, null]);
  await clock.advance(60_000);
  expect(directory.known("a")).toBeUndefined();
  const failing = directory.get("a");
  await settled();
  waiting.shift()?.done.reject(new Error("no"));
  // Nobody has said that there is none.
  expect([await failing, directory.known("a"), asked]).toEqual([null, undefined, ["a", "a"]]);
});

test("what cannot be looked up is not looked up again for a while, and nobody takes it for nothing", async () => {
  const { directory, asked, clock, waiting, answer } = stage();
  const first = directory.get("a");
  await settled();
  waiting.shift()?.done.reject(new Error("no"));
  expect([await first, await directory.get("a"), directory.known("a"), asked]).toEqual([null, null, undefined, ["a"]]);
  expect([directory.hasFailed("a"), directory.hasFailed("b")]).toEqual([true, false]);
  await clock.advance(20_000);
  expect(directory.hasFailed("a")).toBe(false);
  const second = directory.get("a");
  await answer("A");
  expect([await second, asked]).toEqual(["A", ["a", "a"]]);
});

test("an event is newer than a look-up under way", async () => {
  const { directory, answer } = stage();
  const put = directory.get("a");
  await settled();
  directory.put("a", "new");
  await answer("old");
  expect([await put, directory.known("a")]).toEqual(["new", "new"]);
  const forgotten = directory.get("b");
  await settled();
  directory.forget("b");
  await answer("old");
  expect([await forgotten, directory.known("b")]).toEqual(["old", undefined]);
});

test("what was put or forgotten before the look-up began", async () => {
  const { directory, answer, asked } = stage();
  const put = directory.get("a");
  directory.put("a", "new");
  await answer("old");
  expect([await put, directory.known("a"), asked]).toEqual(["new", "new", ["a"]]);
});

test("only so many are kept, and only so many looked up at once", async () => {
  const { directory, asked } = stage(2);
  for (const key of ["a", "b", "c"]) directory.put(key, key);
  expect(["a", "b", "c"].map((key) => directory.known(key))).toEqual([undefined, "b", "c"]);
  for (let key = 0; key < 1000; key += 1) void directory.get(String(key));
  expect(await directory.get("one more")).toBeNull();
  await settled();
  expect(asked).toHaveLength(1000);
});
