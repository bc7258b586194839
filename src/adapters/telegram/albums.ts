/** An album is whole when an answer so long after its last message brings nothing more of it … */
const SILENCE_MS = 500;
/** … or it has been waited for so long … */
const MOST_MS = 5_000;
/** … or has so many files, which is as many as the network allows. */
const MEMBERS_MAX = 10;
/** Where more waits than this, nothing waits for albums any more. */
const WAITING_MAX = 1_000;

interface Waiting<T> {
  readonly group: string;
  readonly items: T[];
  readonly firstMs: number;
  lastMs: number;
  isWhole: boolean;
}

interface AlbumPlace {
  readonly place: number;
  /** What the messages of one album have in common; empty: it is in none. */
  readonly group: string;
}

/**
 * What happens in each place, in order. The messages of an album come one by one, often in answers to different
 * requests, and nothing says which is the last: it waits until no more come, and with it what comes after it in its
 * place.
 */
export class TelegramAlbums<T> {
  readonly #places = new Map<number, Waiting<T>[]>();
  #count = 0;

  push(item: T, { place, group }: AlbumPlace, nowMs: number): void {
    const lane = this.#places.get(place) ?? [];
    this.#places.set(place, lane);
    this.#count += 1;
    const album =
      group === ""
        ? undefined
        : lane.find((one) => one.group === group && !one.isWhole && one.items.length < MEMBERS_MAX);
    if (album === undefined) lane.push({ group, items: [item], firstMs: nowMs, lastMs: nowMs, isWhole: false });
    else {
      album.items.push(item);
      album.lastMs = nowMs;
    }
  }

  /** An answer has come, with all that was there. `cut`: in the middle of this one it may have broken off. */
  heard(nowMs: number, cut: AlbumPlace | null): void {
    for (const [place, lane] of this.#places) {
      for (const one of lane) {
        const isCut = cut !== null && cut.group !== "" && place === cut.place && one.group === cut.group;
        if (!isCut && nowMs - one.lastMs >= SILENCE_MS) one.isWhole = true;
      }
    }
  }

  /** What need not wait any more: albums, and others alone. `isReady`: whether nothing else keeps it back. */
  take(nowMs: number, isReady: (item: T) => boolean): readonly (readonly T[])[] {
    const taken: T[][] = [];
    for (const [place, lane] of this.#places) {
      let [head] = lane;
      while (head !== undefined && this.#leftMs(head, nowMs) <= 0 && head.items.every(isReady)) {
        taken.push(head.items);
        this.#count -= head.items.length;
        lane.shift();
        [head] = lane;
      }
      if (lane.length === 0) this.#places.delete(place);
    }
    return taken;
  }

  /** When to take again, though nothing has come; null: nothing waits for the time. */
  dueMs(nowMs: number): number | null {
    let due: number | null = null;
    for (const [head] of this.#places.values()) {
      const left = head === undefined ? 0 : this.#leftMs(head, nowMs);
      if (left > 0) due = Math.min(due ?? left, left);
    }
    return due;
  }

  clear(): void {
    this.#places.clear();
    this.#count = 0;
  }

  #leftMs({ group, items, firstMs, isWhole }: Waiting<T>, nowMs: number): number {
    if (group === "" || isWhole || items.length >= MEMBERS_MAX || this.#count > WAITING_MAX) return 0;
    return firstMs + MOST_MS - nowMs;
  }
}
