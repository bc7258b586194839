import path from "node:path";
import { defineConfig } from "vitest/config";

/** `npm run faults -- --cluster`: one case after the other on the same machines, about a minute each. */
export default defineConfig({
  root: path.join(import.meta.dirname, "../../.."),
  test: { include: ["test/faults/cluster/*.faults.ts"], retry: 0, maxWorkers: 1 },
});
