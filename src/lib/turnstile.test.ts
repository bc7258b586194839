import { describe, expect, test } from "vitest";
import { Turnstile } from "./turnstile.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a turnstile", () => {
  test("lets tasks through at once, side by side", async () => {
    const turnstile = new Turnstile();
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const passing = turnstile.pass(async () => {
      seen.push("first");
      await first.promise;
    });
    await turnstile.pass(() => Promise.resolve(seen.push("second")));
    expect(seen).toEqual(["first", "second"]);
    first.resolve();
    await passing;
  });

  test("waits for those inside, and stops those who come", async () => {
    const turnstile = new Turnstile();
    const seen: string[] = [];
    const [inside, alone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const passing = turnstile.pass(() => inside.promise.then(() => void seen.push("inside")));
    const change = turnstile.alone(60_000, async () => {
      seen.push("alone");
      await alone.promise;
      seen.push("changed");
    });
    const late = [1, 2].map((each) => turnstile.pass(() => Promise.resolve(seen.push(`late ${each}`))));
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
    const turnstile = new Turnstile();
    void turnstile.pass(() => new Promise(() => undefined));
    await expect(turnstile.alone(1, () => Promise.resolve("done"))).resolves.toBe("done");
    await expect(turnstile.pass(() => Promise.resolve("open"))).resolves.toBe("open");
  });

  test("opens again after a task that failed, of either kind", async () => {
    const turnstile = new Turnstile();
    await expect(turnstile.pass(() => Promise.reject(new Error("inside")))).rejects.toThrow("inside");
    await expect(turnstile.alone(1, () => Promise.reject(new Error("alone")))).rejects.toThrow("alone");
    await expect(turnstile.pass(() => Promise.resolve("open"))).resolves.toBe("open");
  });

  test("who waited through one that is alone waits through the next one as well", async () => {
    const turnstile = new Turnstile();
    const seen: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      seen.push(`${name} begins`);
      await turn();
      seen.push(`${name} ends`);
    };
    const [a, b, c] = ["a", "b", "c"].map((name) => turnstile.alone(60_000, work(name)));
    const passing = turnstile.pass(() => Promise.resolve(void seen.push("inside")));
    await Promise.all([a, b, c, passing]);
    expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends", "inside"]);
  });
});

test("who goes in and leaves without a promise counts as inside, and is kept out while it is shut", async () => {
  const turnstile = new Turnstile();
  expect(turnstile.enter()).toBe(true);
  const shut = Promise.withResolvers<void>();
  const seen: string[] = [];
  const change = turnstile.alone(60_000, async () => {
    seen.push("alone");
    await shut.promise;
  });
  await turn();
  expect(seen).toEqual([]);
  expect(turnstile.enter()).toBe(false);
  turnstile.leave();
  await turn();
  expect(seen).toEqual(["alone"]);
  shut.resolve();
  await change;
  expect(turnstile.enter()).toBe(true);
});
