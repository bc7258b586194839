import { listOf } from "../lib/shapes.ts";

/** How long something was up, and how long it was down; what is not known is neither. */
export interface UpTime {
  readonly upMs: number;
  readonly downMs: number;
}

/**
 * Time in the last so many stretches, of which each has a number that grows with the calendar. Pure: who holds it has
 * the clock. When the calendar is set back, what would be to come is forgotten.
 */
export class TimeRing {
  readonly #length: number;
  readonly #stretches = new Map<number, UpTime>();

  constructor(length: number) {
    this.#length = length;
  }

  add(at: number, { upMs, downMs }: UpTime): void {
    for (const each of this.#stretches.keys()) {
      if (each > at || each <= at - this.#length) this.#stretches.delete(each);
    }
    const known = this.#stretches.get(at);
    this.#stretches.set(at, { upMs: (known?.upMs ?? 0) + upMs, downMs: (known?.downMs ?? 0) + downMs });
  }

  /** Of as many stretches as there are, up to this one. */
  sum(upTo: number): UpTime {
    let [upMs, downMs] = [0, 0];
    for (const [at, time] of this.#stretches) {
      if (at > upTo || at <= upTo - this.#length) continue;
      upMs += time.upMs;
      downMs += time.downMs;
    }
    return { upMs, downMs };
  }

  /** Lists of the stretch, the seconds up and the seconds down. */
  encode(): readonly unknown[] {
    const seconds = (ms: number): number => Math.round(ms / 1000);
    return Array.from(this.#stretches, ([at, { upMs, downMs }]) => [at, seconds(upMs), seconds(downMs)]);
  }

  /** As far as it can be read. */
  static decode(saved: unknown, length: number): TimeRing {
    const ring = new TimeRing(length);
    for (const each of listOf(saved)) {
      const [at, up, down] = listOf(each).map((part) => (Number.isSafeInteger(part) ? Math.max(0, Number(part)) : 0));
      if (at !== undefined && ring.#stretches.size < length)
        ring.#stretches.set(at, { upMs: (up ?? 0) * 1000, downMs: (down ?? 0) * 1000 });
    }
    return ring;
  }
}
