import type { Seq } from "../log/log.ts";
import type { ConsumerSpec, DeadLetter } from "./consumers.ts";
import type { Range } from "./ranges.ts";

/** What of its configuration the state goes by. */
export type StateRules = Pick<
  ConsumerSpec,
  "ack" | "ackWaitMs" | "maxInFlight" | "maxDeliver" | "backoffMs" | "ordered"
>;

/** As it is on the disk; see marks.ts. */
export interface SavedState {
  /** Everything up to it is acknowledged. */
  readonly floor: Seq;
  /** Above the floor, also settled. */
  readonly ranges: readonly Range[];
  /** Of those that are not settled. */
  readonly counts: Iterable<readonly [Seq, DeliveryCount]>;
  readonly dead: Iterable<readonly [Seq, Dead]>;
}

export interface DeliveryCount {
  readonly deliveries: number;
  /** Those that ran out of time or were refused; not those that only came again behind one that did. */
  readonly failures: number;
}

export type Dead = Omit<DeadLetter, "item">;

/** One delivery. `deadlineMs` null: it is settled with it. */
export interface Handed {
  readonly delivery: number;
  readonly deadlineMs: number | null;
}

/** Names the pull or the connection that an event was handed to. */
export type HolderId = number;

/** Handed out, and not acknowledged. */
export interface Pending {
  /** The one that was handed out before it. */
  readonly prev: Seq;
  deliveries: number;
  failures: number;
  firstMs: number | null;
  /** Of the last delivery. */
  deadlineMs: number;
  /** When it goes out again; null: it is out. */
  dueMs: number | null;
  /** All to whom it was handed; the newest is the last. */
  holders: readonly HolderId[];
  /** Those of them to whom it was handed since it was last refused. */
  takers: readonly HolderId[];
}

/** Why an ack is refused. */
export interface AckRefusal {
  readonly code: "unprocessable" | "events_held";
  readonly why: string;
  /** With `events_held`: the events that another pull or connection has. */
  readonly held?: readonly Seq[];
}
