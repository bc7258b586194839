import type { Log } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { CURSOR_STEM, PAUSED_STEM } from "./cursors.ts";
import { marksOf } from "./lane/checkpoint.ts";

/** Where lanes keep what outlives the program. */
const STEMS = Object.values(marksOf(""));
const REMOVED = marksOf("").removed;

const SHOWN_MAX = 20;

/**
 * Names of the lanes that were taken out of the configuration by a program that may have ended before it could forget
 * them. Rejects with the log's LogError.
 */
export async function removedLanes(log: Pick<Log, "marks">): Promise<ReadonlySet<string>> {
  const noted = [...(await log.marks(REMOVED))].filter(([, value]) => value !== "");
  return new Set(noted.map(([mark]) => mark.slice(REMOVED.length)));
}

/**
 * Lets go of what lanes and accounts left behind that are no longer in the configuration: nobody is handed it later,
 * should they come back. `lanes`: the names of those that are in it; `accounts`: the keys. Rejects with the log's
 * LogError.
 */
export async function forgetRemoved(
  log: Pick<Log, "marks" | "unmark">,
  logger: Logger,
  { lanes, accounts }: { readonly lanes: ReadonlySet<string>; readonly accounts: ReadonlySet<string> },
): Promise<void> {
  const marks: string[] = [];
  const removed = new Set<string>();
  for (const each of STEMS) {
    for (const mark of (await log.marks(each)).keys()) {
      const name = mark.slice(each.length);
      // That a lane was removed means nothing once the configuration has it.
      if (!lanes.has(name) || each === REMOVED) marks.push(mark);
      if (!lanes.has(name)) removed.add(name);
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
