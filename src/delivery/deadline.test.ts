import { describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { pause, within } from "./deadline.ts";

const never = (): Promise<never> => new Promise(() => undefined);

describe("within", () => {
  test("hands back what came in time, and leaves no timer", async () => {
    const clock = new FakeClock();
    expect(await within({ clock, ms: 10 }, () => Promise.resolve("yes"))).toEqual({ late: false, value: "yes" });
    expect(clock.waiting).toBe(0);
  });

  test("gives up when the time is over, and tells the task", async () => {
    const clock = new FakeClock();
    let seen: AbortSignal | null = null;
    const timed = within({ clock, ms: 10 }, (signal) => {
      seen = signal;
      return never();
    });
    await clock.advance(9);
    expect(seen!.aborted).toBe(false);
    await clock.advance(1);
    expect(await timed).toEqual({ late: true });
    expect(seen!.aborted).toBe(true);
  });

  test("gives up with the signal, also one that was aborted before", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const timed = within({ clock, ms: 10, signal: stop.signal }, never);
    stop.abort();
    expect(await timed).toEqual({ late: true });
    expect(await within({ clock, ms: 10, signal: stop.signal }, never)).toEqual({ late: true });
    expect(clock.waiting).toBe(0);
  });

  test("rejects with what the task rejects with, but not when it is late", async () => {
    const clock = new FakeClock();
    await expect(within({ clock, ms: 10 }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const task = Promise.withResolvers<void>();
    const timed = within({ clock, ms: 10 }, () => task.promise);
    await clock.advance(10);
    expect(await timed).toEqual({ late: true });
    task.reject(new Error("nobody is there to hear this"));
    await clock.advance(1);
  });
});

test("pause ends with the time or with the signal", async () => {
  const clock = new FakeClock();
  const ends: string[] = [];
  const stop = new AbortController();
  void pause({ clock, ms: 10 }).then(() => ends.push("time"));
  void pause({ clock, ms: 20, signal: stop.signal }).then(() => ends.push("signal"));
  await clock.advance(9);
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends).toEqual(["time"]);
  stop.abort();
  await clock.advance(0);
  expect(ends).toEqual(["time", "signal"]);
  await pause({ clock, ms: 20, signal: stop.signal });
  expect(clock.waiting).toBe(0);
});
