import type { Clock } from "../contract/host.ts";
import type { Gate, Pulse } from "./outlet.ts";

/** Open at first. */
export function createGate(): Gate {
  let untilMs = 0;
  return {
    get untilMs() {
      return untilMs;
    },
    hold: (ms) => {
      untilMs = Math.max(untilMs, ms);
    },
  };
}

export function createPulse(clock: Clock): Pulse {
  let lastMs = clock.monoMs();
  return {
    get lastMs() {
      return lastMs;
    },
    beat: () => {
      lastMs = clock.monoMs();
    },
  };
}
