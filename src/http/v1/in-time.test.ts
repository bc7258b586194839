import { expect, test } from "vitest";
import { FakeClock, settled } from "../../../test/support/fake-clock.ts";
import { inTime, SILENCE_MS, wholeMs } from "./in-time.ts";

const PART = new Uint8Array(1024);

/** A body whose parts come when the test says so. */
function body(bytes: number) {
  const clock = new FakeClock();
  const waiting: ((part: IteratorResult<Uint8Array>) => void)[] = [];
  const parts = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<Uint8Array>>((resolve) => waiting.push(resolve)),
      return: () => new Promise<never>(() => undefined),
    }),
  };
  let taken = 0;
  const end = (async () => {
    for await (const part of inTime(parts, bytes, clock)) taken += part.length;
    return "whole";
  })().catch((error: unknown) => (error as Error).message);
  const part = async (): Promise<void> => {
    waiting.shift()?.({ done: false, value: PART });
    await settled();
  };
  const done = (): void => waiting.shift()?.({ done: true, value: undefined });
  return { clock, part, done, end, taken: () => taken };
}

test("a body that goes on may take longer than any other request", async () => {
  const { clock, part, done, end, taken } = body(1024 * 1024);
  for (let count = 0; count < 4; count++) {
    await clock.advance(SILENCE_MS / 2);
    await part();
  }
  done();
  expect([await end, taken()]).toEqual(["whole", 4096]);
  expect(clock.waiting).toBe(0);
});

test("one that stands still is ended", async () => {
  const { clock, part, end, taken } = body(1024 * 1024);
  await part();
  await clock.advance(SILENCE_MS);
  expect([await end, taken()]).toEqual(["nothing came in for 60 s", 1024]);
});

test("one that trickles is ended by its size", async () => {
  const bytes = 6_400 * 1024;
  const { clock, part, end } = body(bytes);
  expect(wholeMs(bytes)).toBe(120_000 + 102_400);
  for (let ms = 0; ms < wholeMs(bytes); ms += SILENCE_MS / 4) {
    await clock.advance(SILENCE_MS / 4);
    await part();
  }
  expect(await end).toBe("a file may take 2 minutes, and a second more for each 64 KiB");
});
