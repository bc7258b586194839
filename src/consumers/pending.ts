import type { Seq } from "../log/log.ts";
import type { Range } from "./ranges.ts";
import type { DeliveryCount, HolderId, Pending } from "./saved.ts";

/** Holders of one event that are remembered; an older one has lost its deadline many times. */
const HOLDERS_MAX = 8;

/** Pending events in the order of their positions. */
type PendingMap = ReadonlyMap<Seq, Pending>;

/** When the oldest of them was handed out first; null: none was. */
export function oldestOf(pending: PendingMap): number | null {
  let oldest: number | null = null;
  for (const { firstMs } of pending.values()) {
    if (firstMs !== null && (oldest === null || firstMs < oldest)) oldest = firstMs;
  }
  return oldest;
}

/** How many of them were handed out more than once. */
export function redeliveredOf(pending: PendingMap): number {
  let count = 0;
  for (const { deliveries } of pending.values()) if (deliveries > 1) count += 1;
  return count;
}

/** As they are stored: the settled ranges between them, from the floor to the cursor, and their deliveries. */
export function savedOf(
  pending: PendingMap,
  { floor, cursor }: { readonly floor: Seq; readonly cursor: Seq },
): { readonly ranges: readonly Range[]; readonly counts: readonly (readonly [Seq, DeliveryCount])[] } {
  const ranges: Range[] = [];
  const counts: [Seq, DeliveryCount][] = [];
  let last = floor;
  for (const [seq, { prev, deliveries, failures }] of pending) {
    if (prev > last) ranges.push([last + 1, seq - 1]);
    counts.push([seq, { deliveries, failures }]);
    last = seq;
  }
  if (cursor > last) ranges.push([last + 1, cursor]);
  return { ranges, counts };
}

/** What has to go out again now, at most `most`, in order. `ordered`: nothing passes an event that waits. */
export function dueOf(
  pending: PendingMap,
  now: number,
  how: { readonly most: number; readonly ordered: boolean },
): Seq[] {
  const due: Seq[] = [];
  for (const [seq, { dueMs }] of pending) {
    if (due.length >= how.most) break;
    if (dueMs === null) continue;
    if (dueMs <= now) due.push(seq);
    else if (how.ordered) break;
  }
  return due;
}

/** When the next of those that wait goes out again; Infinity: none waits. */
export function nextDueOf(pending: PendingMap, ordered: boolean): number {
  let next = Infinity;
  for (const { dueMs } of pending.values()) {
    if (dueMs === null) continue;
    next = Math.min(next, dueMs);
    if (ordered) break;
  }
  return next;
}

/** With this one as the newest. */
export const withHolder = (holders: readonly HolderId[], holder: HolderId): readonly HolderId[] =>
  [...holders.filter((other) => other !== holder), holder].slice(-HOLDERS_MAX);
