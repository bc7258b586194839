import { capabilitiesOf, protocols } from "../adapters/registry.ts";
import type { Rules } from "../config/context.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/load.ts";
import type { Loaded, LoadRequest } from "../config/load.ts";
import { checkPattern } from "../gateway/regex.ts";
import { findLoops } from "../gateway/loops.ts";

/** Loads a configuration by the rules of this program; `check` and every start go through here. */
export function load(
  source: LoadRequest["source"],
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
  known: Rules["protocols"] = protocols,
): Loaded {
  return loadConfig({ source, env, cwd, rules: { protocols: known, capabilitiesOf, checkPattern, findLoops } });
}

/** There is no such file, or it cannot be opened: nothing is known of what it says. */
export const isUnreadable = ({ ok, problems }: Loaded): boolean =>
  !ok && problems.some(({ code, line }) => code === "unreadable" && line === 0);
