import type { Clock } from "../contract/host.ts";

/** One timer that is set again and again. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #atMs = Infinity;
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings once at this moment, by `Clock.monoMs`, and not when it was set to before; Infinity: never. */
  set(atMs: number): void {
    if (atMs === this.#atMs) return;
    this.#cancel?.();
    this.#atMs = atMs;
    this.#cancel =
      atMs === Infinity
        ? null
        : this.#clock.after(atMs - this.#clock.monoMs(), () => {
            this.#atMs = Infinity;
            this.#ring();
          });
  }
}
