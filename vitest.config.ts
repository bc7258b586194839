import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts", "bench/**/*.test.ts"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    retry: 0,
  },
});
