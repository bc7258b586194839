import type { Clock } from "../contract/host.ts";
import type { Gate, Pulse } from "./outlet.ts";

/** Open at first. A clock that is set back opens it, or it could stay closed for as long as that. */
export function createGate(clock: Clock): Gate {
  let heldAtMs = 0;
  let untilMs = 0;
  const gate: Gate = {
    get untilMs() {
      return clock.nowMs() < heldAtMs ? 0 : untilMs;
    },
    hold: (ms) => {
      untilMs = Math.max(gate.untilMs, ms);
      heldAtMs = clock.nowMs();
    },
  };
  return gate;
}

export function createPulse(clock: Clock): Pulse {
  let lastMs = clock.nowMs();
  return {
    get lastMs() {
      return lastMs;
    },
    beat: () => {
      lastMs = clock.nowMs();
    },
  };
}
