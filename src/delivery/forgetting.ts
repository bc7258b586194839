import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { CURSOR_STEM, PAUSED_STEM } from "./cursors.ts";
import { marksOf } from "./lane/checkpoint.ts";

/** Where lanes keep what outlives the program. */
const STEMS = Object.values(marksOf(""));

const SHOWN_MAX = 20;

/**
 * Lets go of what lanes and accounts left behind that are no longer in the configuration: nobody is handed it later,
 * should they come back. So it is with those that were taken out of it while an earlier program ran, which ended before
 * it could forget them. `lanes`: the names of those that are in it; `accounts`: the keys. Rejects with the log's
 * LogError.
 */
export async function forgetRemoved(
  log: Pick<Log, "marks" | "unmark">,
  logger: Logger,
  { lanes, accounts }: { readonly lanes: ReadonlySet<string>; readonly accounts: ReadonlySet<string> },
): Promise<void> {
  const marks: string[] = [];
  const removed = new Set<string>();
  const stem = marksOf("").removed;
  const taken = new Set(Array.from((await log.marks(stem)).keys(), (mark) => mark.slice(stem.length)));
  for (const each of STEMS) {
    for (const mark of (await log.marks(each)).keys()) {
      const name = mark.slice(each.length);
      if (lanes.has(name) && !taken.has(name)) continue;
      marks.push(mark);
      removed.add(name);
    }
  }
  for (const stem of [CURSOR_STEM, PAUSED_STEM]) {
    for (const mark of (await log.marks(stem)).keys()) if (!accounts.has(mark.slice(stem.length))) marks.push(mark);
  }
  if (marks.length > 0) await log.unmark(marks);
  if (removed.size === 0) return;
  logger.warn(
    { removed: [...removed].slice(0, SHOWN_MAX), count: removed.size },
    "bridges are no longer in the configuration: the messages that waited for them are not delivered",
  );
}
