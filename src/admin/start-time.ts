import type { Clock } from "../contract/host.ts";

/** A greater difference means that the clock was set. */
const SET_MS = 1_000;

/**
 * When the program started, by the clock as it is set now. It is the same number until somebody sets the clock, so that
 * the time since then is always how long the program has run.
 */
export function startTime(clock: Pick<Clock, "nowMs" | "monoMs">): () => number {
  const startedMono = clock.monoMs();
  let startedMs = clock.nowMs();
  return () => {
    const derived = clock.nowMs() - (clock.monoMs() - startedMono);
    if (Math.abs(derived - startedMs) > SET_MS) startedMs = Math.round(derived);
    return startedMs;
  };
}
