import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { saslprep } from "./saslprep.ts";

test("the tables are loaded for the first text that is not plain ASCII, and not before", async () => {
  const { cache } = createRequire(import.meta.url);
  const isLoaded = (): boolean => Object.keys(cache).some((path) => path.includes("/saslprep/"));
  await saslprep("rialto");
  await saslprep("correct horse battery staple");
  expect(isLoaded()).toBe(false);
  await saslprep("zoë");
  expect(isLoaded()).toBe(true);
});
