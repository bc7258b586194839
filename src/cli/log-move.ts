import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { GeneralSettings } from "../config/config.ts";
import { logServers } from "../app/log-servers.ts";
import { exampleConfig, exampleName, findConfigFile } from "../config/example.ts";
import { StartError } from "../errors.ts";
import { isStored } from "../gateway/codec.ts";
import { LogError } from "../log/errors.ts";
import type { Imported } from "../log/nats/import.ts";
import { SHARD } from "../log/nats/stream.ts";
import { type CopiedState, stateOfCopy } from "../log/sqlite/copied.ts";
import { logFile } from "../log/sqlite/database.ts";
import { openFailure, toError } from "../log/sqlite/failure.ts";
import { exportLog, importLog, type MovedLog } from "../log/sqlite/move.ts";
import type { ReportProgress } from "../log/sqlite/upkeep.ts";
import type { LogCommand } from "./args.ts";
import type { Whereabouts } from "./data-path.ts";
import { load } from "./load.ts";

interface Result {
  readonly text: string;
  readonly json: object;
  readonly code: number;
}

/** What is known of a log of several machines that was exported: whether the servers have more. */
export type Completeness = "alone" | "asked" | "gone" | "unasked";

/** `rialto log export FILE`. Rejects with a LogError or a StartError. */
export async function exportAction(
  dataPath: string,
  command: LogCommand,
  where: Whereabouts,
  progress: ReportProgress,
): Promise<Result> {
  const file = resolve(where.cwd, command.file ?? "");
  if (existsSync(file)) throw new LogError("unwritable", `${file} already exists.`);
  const known = stateIn(dataPath);
  const completeness = await complete(dataPath, known, command, where);
  const { from, ...moved } = await exportLog(dataPath, file, { isSound: isStored, progress });
  const { stream, applied } = from;
  const isComplete = completeness === "alone" || completeness === "asked";
  return {
    text: exportText(file, moved, from, completeness),
    json: { file, ...moved, stream, applied, complete: isComplete ? true : null },
    code: 0,
  };
}

/** `rialto log import FILE`. Rejects with a LogError or a StartError. */
export async function importAction(
  dataPath: string,
  command: LogCommand,
  where: Whereabouts,
  progress: ReportProgress,
): Promise<Result> {
  const file = resolve(where.cwd, command.file ?? "");
  const { cluster } = generalOf(command, where, "an import has to know what Log in [general] says");
  if (cluster === null) {
    const moved = await importLog(dataPath, file, { isSound: isStored, progress });
    const to = logFile(dataPath);
    return { text: importText(file, to, moved), json: { file, to, ...moved }, code: 0 };
  }
  const { importIntoStream } = await import("../log/nats/import.ts");
  const imported = await importIntoStream({
    ...logServers(cluster),
    shard: SHARD,
    file,
    dataPath,
    isSound: isStored,
    progress,
    nowMs: Date.now(),
  });
  return { text: clusterText(file, imported), json: { file, ...imported }, code: 0 };
}

/** Brings the log of several machines to what the servers have, where they can say it. */
async function complete(
  dataPath: string,
  known: CopiedState | null,
  command: LogCommand,
  where: Whereabouts,
): Promise<Completeness> {
  if (known !== null && known.stream === null) return "alone";
  if (command.local) return known === null ? "alone" : "unasked";
  const general = generalOf(command, where, "--local exports what the data folder has, without it");
  const { cluster } = general;
  if (cluster === null) return known === null ? "alone" : "unasked";
  const { catchUp } = await import("../log/nats/catch-up.ts");
  const warn = ({ message }: LogError): void => where.tell(`rialto: ${message}\n`);
  where.tell(`rialto: reading what the servers of the log have\n`);
  try {
    const options = { ...general, ...logServers(cluster), dataPath, shard: SHARD, warn, isSound: isStored };
    return (await catchUp(options, known?.stream ?? null)) ? "asked" : "gone";
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== "unreachable") throw error;
    throw new LogError(
      error.code,
      `${error.message} With --local, what this data folder has is exported without them.`,
    );
  }
}

/** Null: there is no log. */
function stateIn(dataPath: string): CopiedState | null {
  const file = logFile(dataPath);
  if (!existsSync(file)) return null;
  try {
    return stateOfCopy(file);
  } catch (error) {
    throw toError(openFailure(error, dataPath, file));
  }
}

/** [general] of the configuration that Rialto runs with. Throws a StartError where that cannot be read. */
function generalOf({ conf }: LogCommand, { env, cwd }: Whereabouts, why: string): GeneralSettings {
  const path = conf ?? findConfigFile(cwd);
  const source = path === null ? { text: exampleConfig, format: "toml" as const, name: exampleName } : { path };
  const loaded = load(source, { env, cwd });
  if (loaded.ok) return loaded.config.general;
  throw new StartError("config", `${path ?? exampleName} has errors (see "rialto check"), and ${why}.`);
}

/** Pure. */
export function exportText(
  file: string,
  moved: MovedLog,
  { stream, applied }: Pick<CopiedState, "stream" | "applied">,
  completeness: Completeness,
): string {
  const place = `It has what the stream ${stream ?? ""} brought up to ${applied}`;
  const more = {
    alone: null,
    asked: `${place}: all that the servers have.`,
    gone: `${place}. The servers no longer have that stream, so other nodes may have more: export on each, and use the file with the highest number.`,
    unasked: `${place}. The servers were not asked, so they and other nodes may have more: export on each, and use the file with the highest number.`,
  }[completeness];
  return `The log is exported to ${file}: ${movedText(moved)}\n${more === null ? "" : `${more}\n`}`;
}

const importText = (file: string, to: string, moved: MovedLog): string =>
  `${file} is imported to ${to}: ${movedText(moved)}\n`;

const clusterText = (file: string, { stream, isRepeated, ...moved }: Imported): string =>
  `${file} ${isRepeated ? "was imported before," : "is imported"} into the stream ${stream}: ${movedText(moved)}
Start the nodes now, each with a data folder that has no log: all begin with it.
`;

function movedText({ entries, marks, head, bytes, sha256 }: MovedLog): string {
  const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  return `entries: ${entries}, marks: ${marks}, last number: ${head}, ${size}, SHA-256 ${sha256}`;
}
