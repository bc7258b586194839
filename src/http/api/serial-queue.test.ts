import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("what takes time holds up what comes after it, and nothing else does", async () => {
  const turns = new SerialQueue();
  const order: string[] = [];
  const slow = Promise.withResolvers<void>();
  const done = (name: string) => () => {
    order.push(name);
    return name;
  };
  expect(turns.take(done("first"))).toBe("first");
  const late = turns.take(async () => {
    await slow.promise;
    return done("slow")();
  });
  const behind = turns.take(done("behind"));
  expect(order).toEqual(["first"]);
  slow.resolve();
  expect(await Promise.all([late, behind])).toEqual(["slow", "behind"]);
  expect(order).toEqual(["first", "slow", "behind"]);
  await Promise.resolve();
  expect(turns.take(done("last"))).toBe("last");
});

test("a task that fails fails alone", async () => {
  const turns = new SerialQueue();
  const failing = turns.take(() => Promise.reject(new Error("no")));
  const behind = turns.take(() => "behind");
  await expect(failing).rejects.toThrow("no");
  expect(await behind).toBe("behind");
});
