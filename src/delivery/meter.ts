import type { Receipt } from "../log/log.ts";

/** What is counted as it happens. Calls are cheap and never throw. */
export interface Meter {
  /** A message has ended at a destination; `ageMs`: since it was accepted. */
  ended(lane: MeteredLane, state: Receipt["state"], ageMs: number): void;
  /** A handler call has ended; `ms`: how long it took. */
  answered(lane: MeteredLane, outcome: "delivered" | "deferred" | "rejected" | "unknown", ms: number): void;
  /** An account has a session again. */
  reconnected(account: string): void;
}

export interface MeteredLane {
  readonly gateway: string;
  /** As people know it. */
  readonly account: string;
  readonly channel: string;
}

export const NO_METER: Meter = { ended: () => undefined, answered: () => undefined, reconnected: () => undefined };
