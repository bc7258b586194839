import { expect, test } from "vitest";
import { runSeed, stepsOf } from "./story.ts";

/** Those that found a fault once. */
const FOUND = [16_709, 16_746, 40_114, 60_219, 71_887, 80_775, 81_656, 97_386];
/** A small sample; `npm run sim` runs as many as you like. */
const SEEDS = [...Array.from({ length: 30 }, (_, at) => at + 1), ...FOUND];

test.each(SEEDS)("seed %i", { timeout: 120_000 }, async (seed) => {
  const { violations } = await runSeed(seed);
  expect(violations).toEqual([]);
});

test("a seed is the same story every time", { timeout: 120_000 }, async () => {
  expect(stepsOf(7)).toEqual(stepsOf(7));
  expect(await runSeed(7)).toEqual(await runSeed(7));
});
