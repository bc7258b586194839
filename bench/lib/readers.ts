import { type Child, startChild } from "./child.ts";
import type { Percentiles } from "./stats.ts";

export type ReaderCommand =
  /**
   * Opens streams; answered when each has its greeting. `exact`: numbers of messages are checked one by one, and delays
   * recorded.
   */
  | { readonly do: "open"; readonly port: number; readonly count: number; readonly exact: boolean }
  /** Opens a stream and never reads from it. */
  | { readonly do: "open-stuck"; readonly port: number }
  /** Answered when each reader has had so many messages since it was opened, or when none has come for `quiet` ms. */
  | { readonly do: "await"; readonly messages: number; readonly quiet: number }
  /** Forgets what has been counted; exact readers pass over messages numbered below `from` then. */
  | { readonly do: "reset"; readonly from: number };

/** What the readers have had since the last reset. */
export interface ReaderReport {
  readonly readers: number;
  /** Streams that the server ended. */
  readonly ended: number;
  /** Messages of the reader that had the fewest, and the most. */
  readonly fewest: number;
  readonly most: number;
  /** Of exact readers: messages whose number had come before. */
  readonly doubled: number;
  /** From the first message to the last. */
  readonly seconds: number;
  /** From sending to arrival, of exact readers. */
  readonly delay: Percentiles;
  /** Share of one core since the last reset. */
  readonly cpu: number;
}

/** Stream readers in a process of their own. */
export function startReaders(): Child<ReaderCommand, ReaderReport> {
  return startChild("readers");
}
