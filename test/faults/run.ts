import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

/**
 * `npm run faults`, with what vitest takes after it; `--cluster`: several machines and the servers of their log instead
 * of one machine, `--minutes`, `--seed`: and then random faults for so long.
 */
const { values, tokens } = parseArgs({
  allowPositionals: true,
  strict: false,
  tokens: true,
  options: { cluster: { type: "boolean" }, minutes: { type: "string" }, seed: { type: "string" } },
});
const own = tokens.flatMap((token) =>
  token.kind === "option" && ["cluster", "minutes", "seed"].includes(token.name)
    ? [token.index, ...(token.inlineValue === false ? [token.index + 1] : [])]
    : [],
);
const others = process.argv.slice(2).filter((_, index) => !own.includes(index));
const vitest = path.join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
const config = path.join(import.meta.dirname, values["cluster"] === true ? "cluster" : ".", "vitest.config.ts");
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", config, ...others], {
  stdio: "inherit",
  env: {
    ...process.env,
    ...(values["minutes"] !== undefined && { FAULTS_MINUTES: String(values["minutes"]) }),
    ...(values["seed"] !== undefined && { FAULTS_SEED: String(values["seed"]) }),
  },
});
process.exitCode = status ?? 1;
