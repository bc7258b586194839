import type { Cursor } from "../contract/ids.ts";
import type { Log } from "../log/log.ts";

/** The newest cursor of an account that is durable. Rejects with the log's LogError. */
export async function readCursor(log: Pick<Log, "marks">, accountKey: string): Promise<Cursor | null> {
  const name = markOf(accountKey);
  return ((await log.marks(name)).get(name) as Cursor | undefined) ?? null;
}

/** Where the cursors of accounts are kept, by key. */
export const CURSOR_STEM = "cursor/";

/** The name of that mark. */
export function markOf(accountKey: string): string {
  return `${CURSOR_STEM}${accountKey}`;
}
