import type { Reason } from "../contract/outcome.ts";
import type { Seq, Subject } from "../log/log.ts";

/** How delivery is: what operators are shown. Plain data, made at every call; moments are Unix ms. */
export interface AccountStatus {
  readonly account: string;
  readonly key: string;
  readonly protocol: string;
  /** `paused`: an operator wants it to have no session. */
  readonly state: "connecting" | "online" | "degraded" | "waiting" | "action-needed" | "paused";
  readonly sinceMs: number;
  /** Since when there is no session, over all tries to have one; null while there is one. */
  readonly downSinceMs: number | null;
  /** Who we are there; null while there is no session. */
  readonly as: string | null;
  /** When anything of this network last came or was confirmed, over all sessions; null: never since the start. */
  readonly heardMs: number | null;
  /** The last trouble; null while all goes as it should. */
  readonly why: Reason | null;
  /** What a person can do about `why`. */
  readonly remedy: string | null;
  /** When it is tried again; null: nothing is waited for. */
  readonly retryMs: number | null;
  /** Sessions after one that was lost. */
  readonly reconnects: number;
  /** Events stored since the start, and those that were not, by reason. */
  readonly accepted: number;
  readonly dropped: Readonly<Record<string, number>>;
  /** Messages that it was sent since the start, over all lanes. */
  readonly delivered: number;
  readonly channels: readonly ChannelStatus[];
}

export interface ChannelStatus {
  readonly channel: string;
  /** `offline`: the account has no session. */
  readonly state: "offline" | "joining" | "joined" | "waiting";
  readonly sinceMs: number;
  /** Since when it is not joined, over all sessions and tries; null while it is. */
  readonly downSinceMs: number | null;
  readonly heardMs: number | null;
  readonly why: Reason | null;
  readonly remedy: string | null;
  readonly retryMs: number | null;
  readonly lanes: readonly LaneStatus[];
}

/** One outgoing bridge in one gateway. */
export interface LaneStatus {
  readonly gateway: string;
  readonly channel: string;
  readonly state: "idle" | "sending" | "waiting";
  /** How many messages wait; null: the log cannot say. */
  readonly waiting: number | null;
  /** When the oldest that waits was accepted. */
  readonly oldestMs: number | null;
  /** Which one that is, and how often it was tried in the life of this program. */
  readonly oldest: { readonly seq: Seq; readonly tries: number } | null;
  /** Why it waits; null while it does not. */
  readonly why: Reason | null;
  readonly remedy: string | null;
  readonly retryMs: number | null;
  /** Messages of the last 24 h that were set aside, because others got through and they did not; absent: none. */
  readonly setAside?: readonly SetAside[];
}

/** A message that is not sent any more, so that it does not hold back the others. */
export interface SetAside {
  readonly seq: Seq;
  readonly atMs: number;
  readonly why: Reason;
}

/** A loop through another bridge, as operators are shown it; moments are Unix ms. */
export interface LoopStatus {
  /** Where what we wrote came back: account and channel. */
  readonly place: Subject;
  /** Who said it. */
  readonly through: string;
  /** Messages that were withheld. */
  readonly withheld: number;
  /** What a person can do about it. */
  readonly remedy: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** What an operator asks of an account. */
export type AccountAct = "pause" | "resume" | "reconnect";

/** `refused`: for people. */
export type AccountActed =
  | { readonly is: "done" }
  | { readonly is: "unknown" }
  | { readonly is: "refused"; readonly why: string };
