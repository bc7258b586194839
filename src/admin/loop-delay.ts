import { monitorEventLoopDelay } from "node:perf_hooks";

/** How late the event loop was over the last while, in ms. */
export interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 20;
const WINDOW_MS = 15_000;
const NONE: Delay = { p50: 0, p99: 0, max: 0 };

/** Measures over windows of a quarter of a minute, so that what was long ago is not shown as now. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #timer: NodeJS.Timeout;
  #last: Delay = NONE;

  constructor() {
    this.#histogram.enable();
    this.#timer = setInterval(() => {
      this.#last = this.#read();
      this.#histogram.reset();
    }, WINDOW_MS).unref();
  }

  /** The worse of the last whole window and the one that has begun. */
  now(): Delay {
    const current = this.#read();
    return {
      p50: Math.max(current.p50, this.#last.p50),
      p99: Math.max(current.p99, this.#last.p99),
      max: Math.max(current.max, this.#last.max),
    };
  }

  /** As if it began now. */
  forget(): void {
    this.#last = NONE;
    this.#histogram.reset();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #read(): Delay {
    if (this.#histogram.count === 0) return NONE;
    const late = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
    return {
      p50: late(this.#histogram.percentile(50)),
      p99: late(this.#histogram.percentile(99)),
      max: late(this.#histogram.max),
    };
  }
}
