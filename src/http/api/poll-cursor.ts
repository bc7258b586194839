/**
 * What polls have read of a feed, as ranges of item indexes.
 *
 * Unread is everything from `#claimed` on, plus ranges that were claimed by an answer whose socket broke. A poll claims
 * all unread items, so that two polls at once never get the same item; the claim ends by `done` (the answer was handed
 * to the socket whole) or `giveBack`. The durable position is the end of the gap-free part that was read.
 */
export interface ItemRange {
  readonly from: number;
  readonly to: number;
}

export interface Claim {
  readonly range: ItemRange;
  /** Items up to `to` were delivered; those after it become unread again. */
  done(to: number): void;
  giveBack(): void;
}

export class PollCursor {
  /** Everything below was claimed at least once. */
  #claimed: number;
  /** Unread ranges below `#claimed`, ascending. */
  #returned: ItemRange[] = [];
  readonly #inFlight = new Set<ItemRange>();

  constructor(start: number) {
    this.#claimed = start;
  }

  /** Everything below this index was read, or was skipped because it fell out of the buffer. */
  get watermark(): number {
    let lowest = this.#claimed;
    for (const range of this.#returned) lowest = Math.min(lowest, range.from);
    for (const range of this.#inFlight) lowest = Math.min(lowest, range.from);
    return lowest;
  }

  /**
   * Claims the oldest unread stretch of [start, end); what lies before `start` has fallen out of the buffer and counts
   * as skipped. Null when nothing is unread.
   */
  claim(start: number, end: number): { readonly claim: Claim | null; readonly skipped: number } {
    let skipped = 0;
    const unread = [...this.#returned, { from: this.#claimed, to: end }];
    const kept: ItemRange[] = [];
    for (const range of unread) {
      const from = Math.min(Math.max(range.from, start), range.to);
      skipped += from - range.from;
      if (from < range.to) kept.push({ from, to: range.to });
    }
    this.#claimed = Math.max(this.#claimed, end);
    const range = kept.shift();
    this.#returned = kept;
    if (range === undefined) return { claim: null, skipped };
    // Neighbours are one stretch again, so that an answer is not cut at an old claim's border.
    let { to } = range;
    while (kept[0]?.from === to) to = kept.shift()?.to ?? to;
    return { claim: this.#open({ from: range.from, to }), skipped };
  }

  #open(range: ItemRange): Claim {
    this.#inFlight.add(range);
    const end = (unreadFrom: number): void => {
      if (!this.#inFlight.delete(range) || unreadFrom >= range.to) return;
      this.#returned.push({ from: unreadFrom, to: range.to });
      this.#returned.sort((a, b) => a.from - b.from);
    };
    return { range, done: end, giveBack: () => end(range.from) };
  }
}
