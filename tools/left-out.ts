import { readdirSync } from "node:fs";
import type { Reporter, Vitest } from "vitest/node";

/** Says at the end of a run what it left out, and how that is run. */
export class LeftOut implements Reporter {
  readonly #kinds: readonly string[];
  readonly #folders: readonly string[];
  #vitest: Vitest | null = null;

  constructor(kinds: readonly string[], folders: readonly string[]) {
    this.#kinds = kinds;
    this.#folders = folders;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(): void {
    if (process.env["PROPERTY_RUNS"] !== "all")
      this.#vitest?.logger.log("Properties were tried with a tenth of their inputs.");
    const ran = new Set(this.#vitest?.projects.map(({ name }) => name));
    const left = this.#kinds.filter((kind) => !ran.has(kind));
    if (left.length === 0) return;
    const files = this.#folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }));
    const counts = left.map(
      (kind) => `${kind} (${files.filter((file) => file.endsWith(`.${kind}.test.ts`)).length} files)`,
    );
    this.#vitest?.logger.log(`Left out: ${counts.join(", ")}. Run all tests with: npm run test:all`);
  }
}
