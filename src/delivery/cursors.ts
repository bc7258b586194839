import { type Cursor, mint } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";

/** The newest cursor of an account that is durable. Rejects with the log's LogError. */
export async function readCursor(log: Pick<Log, "marks">, accountKey: string): Promise<Cursor | null> {
  const name = markOf(accountKey);
  const found = (await log.marks(name)).get(name);
  return found === undefined ? null : mint("Cursor", found);
}

/** Where the cursors of accounts are kept, by key. */
export const CURSOR_STEM = "cursor/";

/** The name of that mark. */
export function markOf(accountKey: string): string {
  return `${CURSOR_STEM}${accountKey}`;
}

/** Where it is kept which accounts an operator has paused, by key. */
export const PAUSED_STEM = "paused/";

/** Whether an operator has paused an account, and nobody resumed it. Rejects with the log's LogError. */
export async function readPaused(log: Pick<Log, "marks">, accountKey: string): Promise<boolean> {
  const name = `${PAUSED_STEM}${accountKey}`;
  return (await log.marks(name)).has(name);
}
