import type { AccountStatus, LoopStatus } from "../delivery/status.ts";
import type { Dropped } from "../gateway/drops.ts";
import type { Damage } from "../log/search.ts";
import type { Delay } from "./loop-delay.ts";
import type { StateRun } from "./state-ring.ts";
import type { UpTime } from "./time-ring.ts";

/** What the admin server answers, as JSON; moments are Unix ms. The commands read the same. */
export interface StatusView {
  /** No troubles. */
  readonly ok: boolean;
  readonly version: string;
  readonly nowMs: number;
  readonly startedMs: number;
  /** Worst first; none: all is well. */
  readonly troubles: readonly Alert[];
  /** What waits for a person although all is well. */
  readonly notices: readonly Alert[];
  readonly log: LogView;
  readonly loop: Delay;
  readonly accounts: readonly AccountStatus[];
  readonly readers: readonly ReaderView[];
  readonly gateways: readonly string[];
  /** Who takes part in which gateway; also what the log cannot show, because nothing goes out there. */
  readonly bridges: readonly BridgeView[];
  /** Loops through other bridges of which messages are withheld. */
  readonly loops: readonly LoopStatus[];
  /** How much flows, account by account. */
  readonly traffic: readonly AccountTraffic[];
  /** Of a log that several machines have together; absent: it is of this one alone. */
  readonly cluster?: ClusterView;
}

export interface ClusterView {
  /** Name of this one among them. */
  readonly node: string;
  /** Most servers of the log acknowledge what it says, and it applies what they have; or soon it runs nothing. */
  readonly hasVoice: boolean;
  /** Those that live, this one first. `isAlike`: its configuration is that of this one. */
  readonly nodes: readonly { readonly name: string; readonly accounts: number; readonly isAlike: boolean }[];
  /** By key, of this machine's configuration. */
  readonly accounts: readonly ClusterAccountView[];
  /** Messages of the stream that this machine has skipped since its start: they are damaged or of another program. */
  readonly skipped: number;
  /** Gaps in the stream since its start, where commits were deleted. */
  readonly gaps: number;
}

interface ClusterAccountView {
  readonly account: string;
  /** The machine that runs it, as far as is known here; null: none ever did. */
  readonly node: string | null;
  /** How often it has changed hands, and when last, Unix ms; null: before this machine was started. */
  readonly epoch: number;
  readonly sinceMs: number | null;
}

/** What flowed of one thing lately, as of the last look, which is at most 10 s ago. */
export interface FlowView {
  /** Messages since the start. */
  readonly total: number;
  /** Over the last minute. */
  readonly perMinute: number;
  /** Of each of the last 30 whole minutes, the oldest first; empty: there was nothing. */
  readonly minutes: readonly number[];
}

export interface AccountTraffic {
  /** Its key. */
  readonly account: string;
  readonly rooms: readonly RoomTraffic[];
}

export interface RoomTraffic {
  /** Of an account of the API: the gateway. */
  readonly channel: string;
  /** What was accepted from there. */
  readonly in: FlowView;
  /** None for an account of the API: nobody waits for its readers. */
  readonly lanes: readonly LaneTraffic[];
}

/** What goes out to a room in one gateway. */
export interface LaneTraffic {
  readonly gateway: string;
  /** Messages that have arrived. */
  readonly out: FlowView;
  /** How long they took from being accepted, over the last 2.5 to 5 minutes, in ms; null: there was none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** An entry of a gateway, as the configuration has it. */
export interface BridgeView {
  readonly gateway: string;
  /** Key of the account. */
  readonly account: string;
  readonly channel: string;
  readonly direction: "in" | "out" | "inout";
}

/** How accounts and lanes were. */
export interface HistoryView {
  readonly nowMs: number;
  /** How long one stretch of `day` is; one of `quarter` is a day (UTC). */
  readonly slotMs: number;
  readonly accounts: readonly AccountHistory[];
}

/** The oldest first; the last one is now. */
export interface HistoryTrack {
  /** 288 stretches of 5 minutes. */
  readonly day: readonly StateRun[];
  /** 90 days. */
  readonly quarter: readonly StateRun[];
}

export interface AccountHistory extends HistoryTrack {
  /** Its key. */
  readonly account: string;
  /** In the last 24 hours, and in the last 90 days. A degraded account is up. */
  readonly time: { readonly day: UpTime; readonly quarter: UpTime };
  readonly lanes: readonly LaneHistory[];
}

interface LaneHistory extends HistoryTrack {
  readonly gateway: string;
  readonly channel: string;
}

/** Something that a person should look at. */
export interface Alert {
  /** Of the program, or the account that has it. */
  readonly of: string;
  readonly what: string;
  readonly remedy: string | null;
  readonly sinceMs: number | null;
  /** The message that it is about; absent: none. */
  readonly seq?: number;
}

/** How the configuration on disk stands to the one that runs. */
export interface ConfigFileView {
  /** When Rialto last read it and did not refuse it; a start counts. Unix ms. */
  readonly readMs: number;
  /** Why it is refused now; null: it is not. */
  readonly trouble: Alert | null;
}

/** Whether messages are taken, and what stands in the way of that now or at the next start. */
export interface Readiness {
  readonly ready: boolean;
  readonly troubles: readonly Alert[];
}

export interface LogView {
  /** The newest position. */
  readonly head: number;
  /** Entries that were ever stored; null: the log did not say. */
  readonly total: number | null;
  /** Whether it takes messages. */
  readonly takes: boolean;
  /** Why it does not. */
  readonly why: string | null;
  /** Bytes of free disk; null: nobody knows. */
  readonly freeBytes: number | null;
  readonly damage: Damage;
}

/** An account of the API. */
export interface ReaderView {
  readonly account: string;
  readonly key: string;
  readonly url: string | null;
  /** Why it does not listen; null: it does, or will soon. */
  readonly down: { readonly reason: string; readonly remedy: string } | null;
  readonly accepted: number;
  readonly dropped: Readonly<Record<string, number>>;
  /** Messages that fell out of `Buffer` unread. */
  readonly skipped: number;
  /** What a person should look at of its webhooks; absent: nothing. */
  readonly troubles?: readonly Alert[];
}

/** The way of one message. */
export interface Story {
  readonly seq: number;
  readonly atMs: number;
  readonly account: string;
  readonly channel: string;
  /** Name of who said it. */
  readonly by: string;
  /** What kind of event it is; empty for an ordinary message. */
  readonly event: string;
  /** The first words. */
  readonly words: string;
  /** What it acts on. */
  readonly about: { readonly is: string; readonly seq: number | null } | null;
  /** The message itself has gone from the log; what is known of it is not all. */
  readonly gone: boolean;
  /** Its ids where it was said. */
  readonly refs: readonly string[];
  readonly destinations: readonly Destination[];
  /** How it stands at all of them: the worst counts. */
  readonly state: StoryState;
}

/** `refused`: it did not arrive, and is not tried any more. `none`: there is nothing to say. */
export type StoryState = "arrived" | "waiting" | "unconfirmed" | "refused" | "none";

export interface Destination {
  readonly gateway: string;
  readonly account: string;
  readonly channel: string;
  /**
   * `read`: a reader of the API has it. `settled`: the lane is behind it and had nothing to note: it was sent, or an
   * event of its kind is not shown there. `before`: it was said before the bridge existed. `unknown`: the log has
   * forgotten.
   */
  readonly state:
    | "sent"
    | "unconfirmed"
    | "failed"
    | "expired"
    | "folded"
    | "cancelled"
    | "omitted"
    | "withheld"
    | "settled"
    | "sending"
    | "waiting"
    | "read"
    | "unread"
    | "before"
    | "unknown";
  /** Why it is so, for people. */
  readonly why: string | null;
  readonly remedy: string | null;
  /** When it is tried again. */
  readonly retryMs: number | null;
  /** Of one that waits, and is the next: how often it was tried in the life of this program. */
  readonly tries: number | null;
  /** Ids of its copies there. */
  readonly refs: readonly string[];
  /** What could not cross, and why. */
  readonly losses: readonly { readonly what: string; readonly note: string }[];
}

/** A message that went no further than its source. `why`: for people. */
export interface DropView extends Dropped {
  readonly why: string;
}

export interface ExplainView {
  readonly stories: readonly Story[];
  /** Newest first. */
  readonly drops: readonly DropView[];
  /** There is more than is shown, or not all of the log was looked through. */
  readonly more: boolean;
}

/** A line of `tail`. */
export interface TailLine {
  readonly seq: number;
  readonly atMs: number;
  readonly account: string;
  readonly channel: string;
  readonly gateways: readonly string[];
  readonly by: string;
  readonly event: string;
  readonly text: string;
}
