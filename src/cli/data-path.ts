import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Environment } from "../config/environment.ts";
import { exampleConfig, exampleName, findConfigFile } from "../config/example.ts";
import { formatProblems } from "../config/problem-lines.ts";
import { generalSchema } from "../config/schema.ts";
import { StartError } from "../errors.ts";
import { isUnreadable, load } from "./load.ts";

export interface Whereabouts {
  readonly env: Environment;
  readonly cwd: string;
  /** Takes whole lines: notes that are not part of the result. */
  readonly tell: (text: string) => void;
}

/** A longer file is no configuration. */
const FILE_MAX = 4 * 1024 * 1024;

/**
 * The data folder to use: the one that is named, or the one in the configuration, even if that has errors. Throws a
 * StartError where the configuration cannot be read at all: the default folder may belong to another Rialto.
 */
export function findDataPath(
  { conf, data }: { readonly conf: string | null; readonly data: string | null },
  { env, cwd, tell }: Whereabouts,
): string {
  if (data !== null) return resolve(cwd, data);
  const path = conf ?? findConfigFile(cwd);
  const source = path === null ? { text: exampleConfig, format: "toml" as const, name: exampleName } : { path };
  const loaded = load(source, { env, cwd });
  if (loaded.ok) return loaded.config.general.dataPath;
  if (isUnreadable(loaded)) {
    throw new StartError("config", `${formatProblems(loaded.problems).trimEnd()}; or name the data folder with --data`);
  }
  const file = path === null ? cwd : resolve(cwd, path);
  const said = env["RIALTO_GENERAL_DATAPATH"] || env["MATTERBRIDGE_GENERAL_DATAPATH"] || writtenIn(file);
  const found = resolve(path === null ? cwd : dirname(file), said || generalSchema.properties.DataPath.default);
  tell(`rialto: ${path ?? exampleName} has errors (see "rialto check"); using the data folder ${found}\n`);
  return found;
}

/** DataPath as written in a file that cannot be read as a whole. */
function writtenIn(file: string): string | null {
  try {
    const { size } = statSync(file);
    if (!statSync(file).isFile() || size > FILE_MAX) return null;
    const line = /^[ \t{]*["']?DataPath["']?[ \t]*[=:][ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'#,}]+))/imu;
    const [, double, single, bare] = line.exec(readFileSync(file, "utf8")) ?? [];
    return double ?? single ?? bare ?? null;
  } catch {
    return null;
  }
}
