import type { Clock } from "../contract/host.ts";

/** What a timer of the system can hold, in ms; a longer one would go off at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * The system's time; a timer waits for 24 days at most. Its timers keep the program alive; whoever sets one cancels it
 * when it stops.
 */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monoMs: () => performance.now(),
  after: (ms, task) => {
    // What was due before now is due at once.
    const timer = setTimeout(task, Math.max(0, Math.min(ms, TIMER_MAX_MS)));
    return () => clearTimeout(timer);
  },
};
