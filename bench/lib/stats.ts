import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

/** Percentiles of a set of durations, in milliseconds. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** The middle of the values (the mean of the two middle ones); NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? Number.NaN)) / 2;
}

/** Least-squares slope of y over x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: 0 | 1): number => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [mx, my] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

/** Durations from 1 µs to 10 minutes in three digits; cheap to record. */
export class Durations {
  readonly #histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: 600_000_000, figures: 3 });

  record(ms: number): void {
    this.#histogram.record(Math.min(600_000_000, Math.max(1, Math.round(ms * 1000))));
  }

  percentiles(): Percentiles {
    const { count, max } = this.#histogram;
    if (count === 0) return { count, p50: Number.NaN, p99: Number.NaN, max: Number.NaN };
    const at = (percent: number): number => this.#histogram.percentile(percent) / 1000;
    return { count, p50: at(50), p99: at(99), max: max / 1000 };
  }
}

const offset = Number(process.hrtime.bigint() / 1000n) / 1000 - performance.now();

/** Milliseconds of the machine's monotonic clock: comparable between processes, unlike `performance.now()`. */
export function monotonic(): number {
  return performance.now() + offset;
}
