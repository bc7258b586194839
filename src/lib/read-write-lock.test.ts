import { describe, expect, test } from "vitest";
import { ReadWriteLock } from "./read-write-lock.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a read-write lock", () => {
  test("lets tasks through at once, side by side", async () => {
    const lock = new ReadWriteLock();
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const passing = lock.shared(async () => {
      seen.push("first");
      await first.promise;
    });
    await lock.shared(() => Promise.resolve(seen.push("second")));
    expect(seen).toEqual(["first", "second"]);
    first.resolve();
    await passing;
  });

  test("waits for those inside, and stops those who come", async () => {
    const lock = new ReadWriteLock();
    const seen: string[] = [];
    const [inside, alone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const passing = lock.shared(() => inside.promise.then(() => void seen.push("inside")));
    const change = lock.exclusive(60_000, async () => {
      seen.push("alone");
      await alone.promise;
      seen.push("changed");
    });
    const late = [1, 2].map((each) => lock.shared(() => Promise.resolve(seen.push(`late ${each}`))));
    await turn();
    expect(seen).toEqual([]);
    inside.resolve();
    await passing;
    await turn();
    expect(seen).toEqual(["inside", "alone"]);
    alone.resolve();
    await Promise.all([change, ...late]);
    expect(seen).toEqual(["inside", "alone", "changed", "late 1", "late 2"]);
  });

  test("does not wait forever for one who stays inside", async () => {
    const lock = new ReadWriteLock();
    void lock.shared(() => new Promise(() => undefined));
    await expect(lock.exclusive(1, () => Promise.resolve("done"))).resolves.toBe("done");
    await expect(lock.shared(() => Promise.resolve("open"))).resolves.toBe("open");
  });

  test("opens again after a task that failed, of either kind", async () => {
    const lock = new ReadWriteLock();
    await expect(lock.shared(() => Promise.reject(new Error("inside")))).rejects.toThrow("inside");
    await expect(lock.exclusive(1, () => Promise.reject(new Error("alone")))).rejects.toThrow("alone");
    await expect(lock.shared(() => Promise.resolve("open"))).resolves.toBe("open");
  });

  test("who waited through one that is alone waits through the next one as well", async () => {
    const lock = new ReadWriteLock();
    const seen: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
    };
    const [a, b, c] = ["a", "b", "c"].map((name) => lock.exclusive(60_000, work(name)));
    const passing = lock.shared(() => Promise.resolve(void seen.push("inside")));
    await Promise.all([a, b, c, passing]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends", "inside"]);
  });
});

test("who goes in and leaves without a promise counts as inside, and is kept out while it is shut", async () => {
  const lock = new ReadWriteLock();
  expect(lock.enter()).toBe(true);
  const shut = Promise.withResolvers<void>();
  const seen: string[] = [];
  const change = lock.exclusive(60_000, async () => {
    seen.push("alone");
    await shut.promise;
  });
  await turn();
  expect(seen).toEqual([]);
  expect(lock.enter()).toBe(false);
  lock.leave();
  await turn();
  expect(seen).toEqual(["alone"]);
  shut.resolve();
  await change;
  expect(lock.enter()).toBe(true);
});
