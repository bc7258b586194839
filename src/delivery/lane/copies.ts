import { hasLetGo, type LaneState } from "./state.ts";
import type { WindowItem } from "./window.ts";

/**
 * Copies of messages that the network may show by now, and that nobody would find yet: their calls have not come to an
 * end, or their receipts are not on the disk. What comes from there and is about one of them waits for it.
 */
export interface CopiesUnderWay {
  readonly items: readonly WindowItem[];
  /** How many receipts have to be on the disk, once the items are done. */
  receipts: number | null;
}

/** Null: there are none. */
export function copiesUnderWay(state: LaneState): CopiesUnderWay | null {
  const items = hasLetGo(state) ? [] : state.window.underWay;
  const copies: CopiesUnderWay = { items, receipts: null };
  return haveLanded(state, copies) ? null : copies;
}

/** All of them have ended, with receipts on the disk, or never will. */
export function haveLanded(state: LaneState, copies: CopiesUnderWay): boolean {
  const { records } = state;
  if (!hasLetGo(state) && copies.items.some((item) => item.state !== "done")) return false;
  // What has ended while the last of them did has its receipt by now.
  copies.receipts ??= records.added;
  return records.stored >= copies.receipts || (records.closed && records.write === "none");
}
