import type { LogError } from "../errors.ts";
import type { TailEntry } from "../tail.ts";
import type { Commit } from "./group-commit.ts";
import type { CommittedReply } from "./protocol.ts";
import type { StreamPlace } from "./stream-place.ts";

/** What brings the commits of several logs into one order, and each of them back to all. */
export interface Carrier {
  /** Resolves when it cannot go on by itself. */
  readonly failed: Promise<LogError>;
  /** Most entries of a commit of several batches. */
  readonly groupEntries: number;
  /** Once, before anything else. */
  attach(site: CarrierSite): void;
  /** Whether this node says what retention deletes. */
  readonly sweeps: boolean;
  /** In which epoch this process holds the account; 0: in none. */
  epochOf(account: string): number;
  /** One at a time; `done` is told when it was applied here, or that it never will be. */
  send(commit: Commit, done: (reply: CommittedReply | LogError) => void): void;
  /** No more is to come: what is under way has a short time left. */
  end(): void;
  close(): Promise<void>;
}

/** The log to which a carrier brings commits. */
export interface CarrierSite {
  apply(commit: Commit, done: (reply: CommittedReply | LogError) => void, place: StreamPlace): void;
  /** Entries of another node, stored. */
  publish(entries: readonly TailEntry[]): void;
  /** Refuses appends that have waited for so long and are in no commit yet. */
  refuse(ageMs: number, error: LogError): void;
  /** What becomes of the commit under way is not known in time. */
  abandon(error: LogError): void;
}
