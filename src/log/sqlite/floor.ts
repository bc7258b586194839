/** Free space that is never filled with messages, in bytes: room for marks, retention and the operator. */
export const DISK_FLOOR = 16 * 1024 * 1024;

/** How much may pass between two looks at the disk. */
const LOOK_EVERY_MS = 1000;
const LOOK_EVERY_CHARS = 4 * 1024 * 1024;

/** Watches the free space without asking at every commit; below the floor it asks each time, to see it end. */
export class DiskFloor {
  readonly #freeBytes: () => number;
  readonly #floor: number;
  #free = 0;
  #lookedAt = -Infinity;
  #written = 0;

  constructor(freeBytes: () => number, floor: number) {
    this.#freeBytes = freeBytes;
    this.#floor = floor;
  }

  get bytes(): number {
    return this.#floor;
  }

  /** Free bytes when they are below the floor, else null. `now`: monotonic ms; `chars`: about to be written. */
  below(now: number, chars: number): number | null {
    this.#written += chars;
    const stale = now - this.#lookedAt >= LOOK_EVERY_MS || this.#written >= LOOK_EVERY_CHARS;
    if (stale || this.#free < this.#floor) {
      this.#free = this.#freeBytes();
      this.#lookedAt = now;
      this.#written = 0;
    }
    return this.#free < this.#floor ? this.#free : null;
  }

  /** Something went wrong: look again before the next commit. */
  doubt(): void {
    this.#lookedAt = -Infinity;
  }
}
