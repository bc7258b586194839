import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { Metrics } from "./metrics.ts";

test("the library that writes the text is loaded with the first scrape, and not at the start", async () => {
  const { cache } = createRequire(import.meta.url);
  const isLoaded = (): boolean => Object.keys(cache).some((path) => path.includes("/prom-client/"));
  const metrics = new Metrics("1");
  metrics.appended(1, 1);
  expect(isLoaded()).toBe(false);
  await metrics.scrape();
  expect(isLoaded()).toBe(true);
});
