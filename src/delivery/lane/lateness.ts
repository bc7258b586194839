import { EventLabel } from "../../contract/message.ts";
import type { Reason } from "../../contract/outcome.ts";
import type { EntryHead, Seq } from "../../log/log.ts";
import type { Moment, Newest, LaneSetting } from "./state.ts";
import { CHANGES, type WindowItem } from "./window.ts";

/**
 * Which messages have waited too long to be sent. Pure.
 *
 * `maxAgeMs` holds for everything. CatchUp holds for messages that are late, and not for what changes one or sends one
 * again, nor for one that was begun: of late ones it lets through none, those that are young enough, or the newest few.
 * Which are the newest few is asked of the log when the first late one has its turn, and again when one that came after
 * that is late.
 */
export type LatenessVerdict =
  | { readonly is: "in time" }
  | { readonly is: "too late"; readonly why: Reason }
  /** The log has to be asked for the newest ones. */
  | { readonly is: "unknown" };

/** Labels of what is no message by itself. */
export const NO_MESSAGES: ReadonlySet<string> = new Set([
  ...CHANGES,
  EventLabel.outage,
  EventLabel.failure,
  EventLabel.again,
  EventLabel.withdrawal,
]);

/** What waits for so long is late: a pace alone seldom makes it that. */
const LATE_MS = 30_000;

const IN_TIME: LatenessVerdict = { is: "in time" };
const TOO_OLD: Reason = { code: "timeout", message: "It waited longer than MaxAge." };
const LEFT_OUT: LatenessVerdict = {
  is: "too late",
  why: { code: "timeout", message: "It came late, and CatchUp leaves it out." },
};

/** Of a message whose turn has come; `isChange`: it acts on another one. */
export function lateness(
  { maxAgeMs, catchUp }: Pick<LaneSetting, "maxAgeMs" | "catchUp">,
  newest: Newest | null,
  { nowMs }: Pick<Moment, "nowMs">,
  item: WindowItem,
  isChange: () => boolean,
): LatenessVerdict {
  const ageMs = nowMs - item.at;
  if (ageMs > maxAgeMs) return { is: "too late", why: TOO_OLD };
  if (catchUp === null || ageMs <= LATE_MS || !item.untouched || isChange()) return IN_TIME;
  switch (catchUp.is) {
    case "none":
      return LEFT_OUT;
    case "younger":
      return ageMs > catchUp.ms ? LEFT_OUT : IN_TIME;
    case "newest":
      if (newest === null || item.seq > newest.upTo) return { is: "unknown" };
      return item.seq > newest.after ? IN_TIME : LEFT_OUT;
  }
}

/** Most entries that are looked at to find the newest messages. */
export const NEWEST_ENTRIES = 10_000;

/** Of the entries from `from` on, of which so many older ones were `skipped`. */
export function newestOf(
  count: number,
  admits: (entry: EntryHead) => boolean,
  { from, entries, skipped }: { readonly from: Seq; readonly entries: readonly EntryHead[]; readonly skipped: number },
): Newest {
  const messages = entries.filter((entry) => admits(entry) && !NO_MESSAGES.has(entry.label));
  const older = skipped === 0 ? 0 : (entries[0]?.seq ?? 1) - 1;
  return { after: messages.at(-count - 1)?.seq ?? older, upTo: entries.at(-1)?.seq ?? from };
}
