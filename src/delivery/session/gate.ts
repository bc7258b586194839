import type { Clock } from "../../contract/host.ts";
import type { Gate, Activity } from "./channel-sink.ts";

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

export function createActivity(clock: Clock): Activity {
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
