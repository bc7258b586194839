import type { Config } from "../config/config.ts";
import { systemClock } from "../delivery/clock.ts";
import type { RemoteFiles } from "../delivery/remote-files.ts";
import { StartError, type StartErrorCode } from "../errors.ts";
import type { FileStore, KnownUploads } from "../files/files.ts";
import { openFiles } from "../files/open-files.ts";
import type { SharedContents } from "../files/shared.ts";
import { isStored } from "../gateway/codec.ts";
import { compilePattern } from "../gateway/regex.ts";
import type { LogSearch, LogObserver } from "../log/search.ts";
import { LogError, type LogErrorCode } from "../log/errors.ts";
import type { Log } from "../log/log.ts";
import { openSqliteLog } from "../log/sqlite/open.ts";
import type { Logger } from "../logger.ts";
import { describe } from "../lib/describe.ts";

/** Rejects with a StartError. */
export async function openLog(
  { general }: Config,
  observer: LogObserver,
): Promise<Log & { readonly archive: LogSearch }> {
  try {
    return await openSqliteLog({ ...general, observer, isSound: isStored });
  } catch (error) {
    throw error instanceof LogError ? startErrorOf(error) : error;
  }
}

/** The messages of these say what to do. */
const REMEDIED: ReadonlySet<LogErrorCode> = new Set([
  "locked",
  "damaged",
  "unwritable",
  "format",
  "disk_full",
  "diverged",
]);

/** Why a log that cannot be opened or read keeps the program from starting. */
export function startErrorOf(error: LogError): StartError {
  const codes: Partial<Record<LogErrorCode, StartErrorCode>> = {
    locked: "data_locked",
    damaged: "log_damaged",
    unreachable: "log_servers",
    stream: "log_stream",
    diverged: "log_failed",
  };
  const remedy = REMEDIED.has(error.code) ? { remedy: "" } : {};
  return new StartError(codes[error.code] ?? "data_path", error.message, { cause: error, ...remedy });
}

/**
 * To be called when the log is open: it has made sure that nobody else uses the data folder. `servers`: those
 * that several machines have together; null: this is the only one. Rejects with a StartError.
 */
export async function openStore(
  { general }: Config,
  sources: RemoteFiles,
  { log, marks }: { readonly log: Logger; readonly marks: Log["marks"] },
  servers: (Pick<Log, "tail"> & { files(bytesMax: number): Promise<SharedContents> }) | null,
): Promise<FileStore> {
  const { dataPath, retentionDays, media } = general;
  const forbidden = media.blackList.map((pattern) => compilePattern(pattern));
  const blacklisted = (name: string): boolean => forbidden.some(({ test }) => test(name));
  try {
    const shared = (await servers?.files(media.storeBytes)) ?? null;
    const uploads = async (): Promise<KnownUploads> =>
      await (await import("../http/v1/saying/uploads.ts")).uploadsOf({ marks });
    const parts = { blacklisted, sources, uploads, clock: systemClock, log, ...(shared !== null && { shared }) };
    const files = await openFiles({ dataPath, retentionDays, media, ...parts });
    if (servers !== null) {
      const { fetchForOthers } = await import("./files-for-others.ts");
      servers.tail(fetchForOthers(files, sources));
    }
    return files;
  } catch (error) {
    if (error instanceof LogError) throw startErrorOf(error);
    throw new StartError("data_path", `the folder for files cannot be used: ${describe(error)}`, { cause: error });
  }
}
