import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type OpenedLog, openedOf, type SuiteOptions } from "../suite/kit.suite.ts";
import { openSqliteLog, type SqliteLogOptions } from "./open.ts";

const SETTINGS = { durability: "process", retentionDays: 7, retentionBytes: 1024 ** 3, messageIdDays: 30 } as const;

/** An empty folder, removed when the test ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens the log of a folder with the default settings, closed when the test ends. */
export async function openAt(
  dataPath: string,
  options: Partial<SqliteLogOptions> = {},
): Promise<Awaited<ReturnType<typeof openSqliteLog>>> {
  const log = await openSqliteLog({ dataPath, ...SETTINGS, ...options });
  onTestFinished(() => log.close());
  return log;
}

/** As the shared suites want it. */
export async function openForSuite(options: SuiteOptions): Promise<OpenedLog> {
  const dataPath = mkdtempSync(join(tmpdir(), "rialto-log-"));
  const open = async (): Promise<OpenedLog> => {
    const log = await openSqliteLog({ dataPath, ...SETTINGS, ...options });
    return openedOf(log, { open, forget: () => rmSync(dataPath, { recursive: true, force: true }) });
  };
  return open();
}
