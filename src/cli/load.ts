import { protocols } from "../adapters/registry.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import type { Loaded, LoadRequest } from "../config/load.ts";
import { checkPattern } from "../gateway/regex.ts";
import { findLoops } from "../gateway/loops.ts";

/** Loads a configuration by the rules of this program; `check` and every start go through here. */
export function load(
  source: LoadRequest["source"],
  surroundings: { readonly env: Environment; readonly cwd: string },
): Loaded {
  return loadConfig({ source, ...surroundings, rules: { protocols, checkPattern, findLoops } });
}
