import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemoryLogger } from "../delivery/scripted.suite.ts";
import { LogError } from "../log/errors.ts";
import { reportIndexing } from "./indexing.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** What is said while the index comes to these positions, one at each look. */
async function told(head: number, positions: readonly (number | null)[]): Promise<readonly unknown[]> {
  const logger = new MemoryLogger();
  const left = [...positions];
  const indexed = vi.fn(() => Promise.resolve(left.shift() ?? null));
  reportIndexing({ head, archive: { indexed } }, logger.logger);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(indexed).toHaveBeenCalledTimes(positions.length);
  return logger.lines;
}

test("says how far the index is until it is complete", async () => {
  const lines = await told(100_000, [0, 50_000, 99_000]);
  expect(lines).toMatchObject([
    { level: "info", fields: { indexed: 0, head: 100_000 } },
    { level: "info", fields: { indexed: 50_000 } },
    { message: "the index of words for Search is complete" },
  ]);
});

test("says nothing without an index, or when little is missing", async () => {
  expect(await told(100_000, [null])).toEqual([]);
  expect(await told(100_000, [99_999])).toEqual([]);
});

test.each([
  ["closed", []],
  ["io", [{ level: "warn", fields: { error: "the words of the log" } }]],
] as const)("ends when the log says %s", async (code, lines) => {
  const logger = new MemoryLogger();
  const indexed = vi.fn(() => Promise.reject(new LogError(code, "the words of the log")));
  reportIndexing({ head: 1, archive: { indexed } }, logger.logger);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(indexed).toHaveBeenCalledTimes(1);
  expect(logger.lines).toMatchObject(lines);
});
