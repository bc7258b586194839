import path from "node:path";
import { defineConfig } from "vitest/config";

/** `npm run faults`: faults made for real, which take about a minute and need root for the disk that is filled. */
export default defineConfig({
  root: path.join(import.meta.dirname, "../.."),
  test: { include: ["test/faults/*.faults.ts"], retry: 0, maxWorkers: 1, bail: 1 },
});
