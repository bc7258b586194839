import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

test("a wait that no timer can hold does not end at once", () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const task = vi.fn<() => void>();
  const cancel = systemClock.after(2 ** 31, task);
  vi.advanceTimersByTime(60_000);
  expect(task).not.toHaveBeenCalled();
  cancel();
  expect(vi.getTimerCount()).toBe(0);
});
