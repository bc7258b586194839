import { spawnSync } from "node:child_process";
import path from "node:path";

/**
 * `npm run faults`, with what vitest takes after it; `--cluster`: several machines and the servers of their log instead
 * of one machine, `--minutes`, `--seed`: and then random faults for so long.
 */
const others = process.argv.slice(2);

/** Takes the option and what follows it; undefined: it is not there. */
function taken(name: string, count: number): readonly string[] | undefined {
  const at = others.indexOf(name);
  return at < 0 ? undefined : others.splice(at, 1 + count).slice(1);
}

const isCluster = taken("--cluster", 0) !== undefined;
const [minutes] = taken("--minutes", 1) ?? [];
const [seed] = taken("--seed", 1) ?? [];
const vitest = path.join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
const config = path.join(import.meta.dirname, isCluster ? "cluster" : ".", "vitest.config.ts");
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", config, ...others], {
  stdio: "inherit",
  env: {
    ...process.env,
    ...(minutes !== undefined && { FAULTS_MINUTES: minutes }),
    ...(seed !== undefined && { FAULTS_SEED: seed }),
  },
});
process.exitCode = status ?? 1;
