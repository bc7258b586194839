import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts", "bench/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    // Most of the time goes into waiting for programs that the tests start.
    maxWorkers: Math.max(2, availableParallelism()),
  },
});
