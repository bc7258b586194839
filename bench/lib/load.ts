import { type Child, startChild } from "./child.ts";
import type { Percentiles } from "./stats.ts";

/** One stretch of POSTs to a server on loopback, on connections that are kept alive and never pipelined. */
export interface LoadPlan {
  readonly port: number;
  /** JSON with a marker in its text, see `messageBody`. */
  readonly body: string;
  /** Absent: that of `/api`. */
  readonly path?: string;
  readonly connections: number;
  /**
   * Ends after so many seconds, or so many messages, whichever comes first. Latencies of the first tenth of the time
   * are not recorded.
   */
  readonly seconds?: number;
  readonly messages?: number;
  /** Messages per second at an even pace; without it, each connection sends as soon as it has its answer. */
  readonly pace?: number;
  /** Number of the first message. */
  readonly firstNumber?: number;
}

export interface LoadReport {
  /** Messages answered with a 2xx; numbers run from `firstNumber` without a gap. */
  readonly accepted: number;
  readonly refused: number;
  /** What the first refusal answered, for people. */
  readonly refusal: string | null;
  readonly seconds: number;
  readonly latency: Percentiles;
  /** Share of one core that the generator took. */
  readonly cpu: number;
  /** Bytes of the last answer's body. */
  readonly answerBytes: number;
}

/** A load generator in a process of its own. */
export function startLoad(): Child<LoadPlan, LoadReport> {
  return startChild("load");
}
