import { afterEach, expect, test, vi } from "vitest";
import type { Logger } from "../logger.ts";
import { stopWithin } from "./run.ts";

const quiet = { info: () => undefined, error: vi.fn() } as unknown as Logger;

afterEach(() => {
  vi.useRealTimers();
});

test("a stop that takes too long ends the program with its own exit code", async () => {
  vi.useFakeTimers();
  const code = stopWithin(9_000, { stop: () => new Promise(() => undefined) }, quiet);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(await code).toBe(71);
  expect(quiet.error).toHaveBeenCalledWith({ code: "stop_timeout" }, expect.stringContaining("too long"));
});

test("a stop that ends in time is a good end", async () => {
  expect(await stopWithin(9_000, { stop: () => Promise.resolve() }, quiet)).toBe(0);
});
