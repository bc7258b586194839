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

test("what should have been done two hours ago is done at once, without a warning", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  onTestFinished(() => {
    warned.mockRestore();
  });
  await new Promise<void>((resolve) => {
    systemClock.after(-7_200_000, resolve);
  });
  expect(warned).not.toHaveBeenCalled();
});
