import type { Log } from "../log/log.ts";

/** Where the consumers of all accounts are kept. */
export const CONSUMERS_STEM = "v1/c/";

/**
 * Forgets the consumers of accounts that are not among these keys. `stem`: of which kind. Rejects with the log's
 * LogError.
 */
export async function forgetConsumers(
  log: Pick<Log, "marks" | "unmark">,
  accounts: Iterable<string>,
  stem: string = CONSUMERS_STEM,
): Promise<void> {
  const kept = [...accounts].map((key) => `${stem}${key}/`);
  const names = [...(await log.marks(stem)).keys()];
  const gone = names.filter((name) => !kept.some((prefix) => name.startsWith(prefix)));
  if (gone.length > 0) await log.unmark(gone);
}
