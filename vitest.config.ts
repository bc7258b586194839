import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { ALIASES } from "./tools/build/packages.ts";
import { LeftOut } from "./tools/left-out.ts";
import { SlowestFiles } from "./tools/slowest-files.ts";
import { SuitesFirst } from "./tools/suites-first.ts";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `The tests need Node 22.18 or newer, and this is ${process.version}. "npm test" brings its own Node.\n`,
  );
  process.exit(1);
}

// The log's worker is a new thread for each log that a test opens; without this each one compiles its files again,
// which takes most of the time.
process.env["NODE_COMPILE_CACHE"] ??= path.join(import.meta.dirname, "node_modules/.cache/compiled");

const FOLDERS = ["src", "test", "tools", "bench", "web"];
/** The kind of a test file is in its name (CONTRIBUTING.md); those without one are units. */
const KINDS = ["main", "process", "servers"];

const named = (kind: string): string[] => FOLDERS.map((folder) => `${folder}/**/*.${kind}.test.ts`);

export default defineConfig({
  // As in the build.
  resolve: { alias: { ...ALIASES } },
  test: {
    retry: 0,
    // The last resort: each wait has a limit of its own, which says what did not come.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A wait, as those of test/support/wait.ts: vitest's own would be a second, which a busy machine needs for itself.
    expect: { poll: { timeout: 20_000 } },
    // Most of the time goes into waiting for programs that the tests start.
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: SuitesFirst },
    setupFiles: ["tools/file-costs.ts"],
    reporters: ["default", new SlowestFiles(), new LeftOut(KINDS, FOLDERS)],
    projects: [
      {
        extends: true,
        // They share what they have loaded.
        test: {
          name: "unit",
          include: FOLDERS.map((folder) => `${folder}/**/*.test.ts`),
          exclude: KINDS.flatMap(named),
          isolate: false,
        },
      },
      ...KINDS.map((kind) => ({ extends: true as const, test: { name: kind, include: named(kind) } })),
    ],
  },
});
