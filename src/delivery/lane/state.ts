import type { ChannelRef, MessageRef, Progress } from "../../contract/ids.ts";
import type { OptionalKind } from "../../contract/ops.ts";
import type { Loss, Outcome, Reason } from "../../contract/outcome.ts";
import type { RoomLimits } from "../../contract/session.ts";
import type { EntryHead, Mark, Receipt, Seq, StoredEntry, Subject } from "../../log/log.ts";
import type { Summary } from "./checkpoint.ts";
import type { SetAside } from "../status.ts";
import type { PerformedOps } from "../session/channel-sink.ts";
import type { Found, Search } from "./lookup.ts";
import type { LaneOptions } from "./options.ts";
import type { WindowItem, LaneWindow } from "./window.ts";

/**
 * What a lane is and does: plain data, which only `step` changes. What it has to do with the world are inputs and
 * effects.
 */
export interface LaneState {
  readonly setting: LaneSetting;
  mode: Mode;
  /** Where it can send; null: the channel is not joined. */
  link: ChannelLink | null;
  /**
   * The last reason for which something waits; null: there was none since the channel was joined or a message got
   * through.
   */
  why: Reason | null;
  /** The end of the wait that an outcome or the log asked for, by `Clock.monoMs`; in the past when there is none. */
  untilMs: number;
  /** The same for all channels of the session. */
  gateMs: number;
  readonly window: LaneWindow;
  /** Something may leave, or may still be on its way; doubts.ts says where that counts. Null: it does not. */
  sending: Sending | null;
  /** Handler calls under way, in the order of their starts. */
  calls: readonly HandlerCall[];
  /** When a call last ended or told something, by `Clock.monoMs`. */
  activeMs: number;
  /** Of the next call. */
  nextCall: number;
  readonly reading: ReadState;
  readonly records: Records;
  readonly line: Line;
  /** The oldest message fails; null: it does not. */
  headBlock: HeadBlock | null;
  /** The newest ones that were set aside in this run, oldest first. */
  setAside: readonly SetAside[];
  readonly outage: StuckState;
  newest: Newest | null;
  /** Look-ups in a row that the log did not answer. */
  failures: number;
  /** Entries after it are left to the lane that may follow. */
  upTo: Seq;
  /** When the driver gives the next tick at the latest, by `Clock.monoMs`. */
  timerMs: number;
  /** When a stop is over at the latest, by `Clock.monoMs`. */
  stopByMs: number;
}

/** The lane is in exactly one of these; what each means is said in step.ts. */
type Mode =
  | { readonly is: "opening" | "apart" | "joined" | "weighing" | "stopping" | "closing" | "stopped" }
  /**
   * `until` something is known: whether it belongs to a loop, that what was delivered before it is on the disk, what it
   * refers to.
   */
  | { readonly is: "preparing"; readonly item: WindowItem; readonly until: "verdict" }
  | { readonly is: "preparing"; readonly item: WindowItem; readonly until: "stored" | "found"; readonly search: Search }
  | { readonly is: "unlisting"; readonly summary: Summary };

/** The oldest message fails; head-block.ts says how it goes on. */
export interface HeadBlock {
  readonly item: WindowItem;
  /** When an attempt of it first failed, by `Clock.monoMs`. */
  readonly sinceMs: number;
  stage:
    | { readonly is: "failing" | "again" }
    | { readonly is: "probing"; readonly item: WindowItem }
    | { readonly is: "last tries"; readonly failed: number };
  /** When its last attempt began that has ended, by `Clock.monoMs`. */
  triedMs: number;
  /** When the newest attempt began that delivered a message behind it, by `Clock.monoMs`. */
  passedMs: number;
  /** When the next probe is due, by `Clock.monoMs`. */
  probeAtMs: number;
  probes: number;
  /** Of the last probe. */
  probed: Seq;
}

/** What never changes about a lane. */
export type LaneSetting = Pick<
  LaneOptions,
  "name" | "gateway" | "plan" | "capabilities" | "maxAgeMs" | "catchUp" | "outageNoticeMs"
> & {
  readonly place: Subject;
  /** Whether an entry is for it. */
  readonly admits: (entry: EntryHead) => boolean;
  /** Items after this seq cannot have been sent by an earlier run of the program. */
  readonly newAfter: Seq;
};

/** A channel joined in a session. Another one is another object. */
export interface ChannelLink {
  readonly channel: ChannelRef;
  readonly without: readonly OptionalKind[];
  readonly limits: RoomLimits;
  /** Links with the same one share their pace; it is only compared. */
  readonly gate: object;
}

export interface HandlerCall {
  readonly id: number;
  readonly item: WindowItem;
  readonly link: ChannelLink;
  /** What it loses before any handler sees it. */
  readonly losses: readonly Loss[];
  /** By `Clock.monoMs`, like all moments of calls: a clock that is set must not look like a standstill. */
  readonly startedMs: number;
  /** Of the line that stands for expired messages. */
  readonly isLine: boolean;
  /** When it is given up on; null while it need not end. */
  deadlineMs: number | null;
  aborted: boolean;
  /** An announcement was answered with false: a deferral that follows is of our making. */
  refused: boolean;
}

/**
 * The line that stands for messages that expired: waiting on the disk, or under way and off it, so that it comes at
 * most once.
 */
interface Line {
  waiting: Summary | null;
  underWay: Summary | null;
  attempts: number;
  /** Attempts that ended in doubt. */
  doubts: number;
}

/** What is remembered on the disk, and what has to be; records.ts says how. */
export interface Records {
  /** The marks that the disk has, by name. An absent one is as good as an empty one. */
  readonly written: Map<string, string>;
  reach: Reach;
  /** Not on the disk, and not on their way there. */
  receipts: Receipt[];
  /** All receipts there ever were, and those of them that are on the disk: they go there in their order. */
  added: number;
  stored: number;
  /** Up to this receipt, messages came to their end without a call of their own. */
  decided: number;
  changed: boolean;
  write: "none" | "due" | Write;
  /** They wait for the next write. */
  waiting: Waiter[];
  /** In a row. */
  refusals: number;
  /** A write is due then, whatever happens before; by `Clock.monoMs`. */
  retryAtMs: number;
  /** The disk may get an intent with an entry that is being appended, see early-intent.ts. */
  isRiding: boolean;
  /** No write follows those that are under way or waited for. */
  closed: boolean;
}

/** Another one is another object. */
interface Sending {
  /** Unix ms. */
  readonly sinceMs: number;
}

/** What the disk says of what may have been sent, and of what is done: so many up to the cursor, and these after it. */
interface Reach {
  readonly sending: Sending | null;
  readonly settled: number;
  readonly done: readonly Seq[];
}

export interface Write {
  readonly reach: Reach;
  readonly marks: readonly Mark[];
  readonly receipts: readonly Receipt[];
  readonly waiting: readonly Waiter[];
}

/** Who waits until what is to be remembered now is on the disk. */
export type Waiter =
  | WaitingIntent
  | { readonly for: "search"; readonly search: Search }
  | { readonly for: "opening" | "line" | "closing" };

/** A part that is about to leave, and waits for its intent to be on the disk. */
export interface WaitingIntent {
  readonly for: "announcement";
  readonly call: HandlerCall;
  readonly ask: Ask;
  readonly upTo: Progress;
}

/** Whether it is stuck; outage.ts says how. */
export interface StuckState {
  /** When something last got through, by `Clock.monoMs`. */
  progressMs: number;
  waiting: LongWait | null;
  /** Since when the messages wait that the log was told of, by `Clock.monoMs`. */
  noticedMs: number | null;
  expired: number;
}

/** The oldest message that waits. */
interface LongWait {
  /** Unix ms. */
  readonly sinceMs: number;
  /** The same moment by `Clock.monoMs`. */
  readonly monoMs: number;
  readonly why: Reason | null;
}

/** How far the log was read; reading.ts says how. */
export interface ReadState {
  /** The log may have more. */
  more: boolean;
  underWay: boolean;
  /** In a row. */
  failures: number;
  /** When it is tried again, by `Clock.monoMs`; Infinity: nothing has failed. */
  retryAtMs: number;
  /** The log is closed. */
  over: boolean;
  /** What follows is left to another lane. */
  ended: boolean;
}

/** Of those up to `upTo`, the ones after `after` are to be sent. */
export interface Newest {
  readonly after: Seq;
  readonly upTo: Seq;
}

/** What the clocks, the session and chance say when an input comes. */
export interface Moment {
  /** Unix ms. */
  readonly nowMs: number;
  readonly monoMs: number;
  /** Until when the session's gate is closed, and when its pulse last beat, by `Clock.monoMs`; 0 without a session. */
  readonly gateMs: number;
  readonly pulseMs: number;
  /** 0 <= x < 1. */
  readonly random: number;
}

export interface Input {
  readonly at: Moment;
  readonly fact: Fact;
}

export type Fact =
  /** With what the last run left in doubt. */
  | { readonly is: "opened"; readonly receipts: readonly Receipt[] }
  | { readonly is: "woken" }
  | { readonly is: "read"; readonly entries: readonly StoredEntry[] }
  | { readonly is: "unreadable"; readonly why: string; readonly closed: boolean }
  | { readonly is: "connected"; readonly link: ChannelLink }
  | { readonly is: "disconnected"; readonly why: Reason }
  /** `why`: the message belongs to a loop. */
  | { readonly is: "verdict"; readonly seq: Seq; readonly why: Reason | null }
  | { readonly is: "found"; readonly search: Search; readonly found: Found }
  | { readonly is: "newest"; readonly from: Seq; readonly entries: readonly EntryHead[]; readonly skipped: number }
  | { readonly is: "no newest"; readonly error: string }
  | { readonly is: "announced"; readonly call: number; readonly ask: Ask; readonly upTo: Progress }
  | {
      readonly is: "confirmed";
      readonly call: number;
      readonly upTo: Progress;
      readonly messages: readonly MessageRef[];
    }
  /** Null: the handler threw. */
  | { readonly is: "outcome"; readonly call: number; readonly outcome: Outcome | null }
  /** An intent of the lane is in the commit of an entry; `rode`: what became of it, null: it is not stored. */
  | { readonly is: "rides" }
  | { readonly is: "rode"; readonly seq: Seq | null }
  | { readonly is: "turn over" }
  | { readonly is: "durable" }
  | { readonly is: "refused"; readonly why: string; readonly closed: boolean }
  | { readonly is: "tick" }
  | { readonly is: "ends"; readonly upTo: Seq }
  | { readonly is: "stop" }
  /** What is under way has half a second left. */
  | { readonly is: "break off" };

/** Number of a question that is handed back with its answer. */
export type Ask = number;

export type LaneEffect =
  | { readonly do: "give up" | "turn" | "beat" }
  | { readonly do: "read"; readonly after: Seq; readonly limit: number; readonly bytes: number }
  | { readonly do: "ask loops"; readonly seq: Seq }
  | { readonly do: "find newest"; readonly from: Seq; readonly limit: number }
  | { readonly do: "look up"; readonly search: Search }
  | ({ readonly do: "call"; readonly call: number; readonly seq: Seq; readonly isLine: boolean } & PerformedOps)
  | { readonly do: "abort"; readonly call: number }
  /** The gate of the call's session is closed. */
  | { readonly do: "hold"; readonly call: number; readonly untilMs: number }
  /** Nothing that the call still does counts. */
  | { readonly do: "forget"; readonly call: number }
  | { readonly do: "answer"; readonly ask: Ask; readonly allowed: boolean }
  | { readonly do: "write"; readonly marks: readonly Mark[]; readonly receipts: readonly Receipt[] }
  /** A tick is due then, in place of the one that was set before; Infinity: none. */
  | { readonly do: "set timer"; readonly atMs: number }
  /** The author is to know that it failed for good; null: that it has arrived, because it was sent again. */
  | { readonly do: "tell author"; readonly of: Seq; readonly why: Reason | null }
  | { readonly do: "meter end"; readonly state: Receipt["state"]; readonly ageMs: number }
  | { readonly do: "meter answer"; readonly outcome: Outcome["is"]; readonly ms: number }
  | { readonly do: "end session"; readonly why: Reason }
  | Say;

export interface Say {
  readonly do: "say";
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: object;
  /** Of equal ones, one a minute is said. */
  readonly key?: string;
  /** The number of messages that wait, and so many more, is said with it. */
  readonly counted?: number;
}

/** One step while it is made. */
export interface Step {
  readonly state: LaneState;
  readonly at: Moment;
  readonly effects: LaneEffect[];
}

/** It has not been told to stop. */
export function isRunning({ mode }: LaneState): boolean {
  return mode.is !== "stopping" && mode.is !== "closing" && mode.is !== "stopped";
}

/** It is sent before the oldest message, to see whether the channel works. */
export function isProbe({ headBlock }: LaneState, item: WindowItem): boolean {
  return headBlock?.stage.is === "probing" && headBlock.stage.item === item;
}

/** Whether an entry is for the lane. */
export function admits({ setting, upTo }: LaneState, entry: EntryHead): boolean {
  return entry.seq <= upTo && setting.admits(entry);
}

/** Nothing that its calls still do counts. */
export function hasLetGo({ mode }: LaneState): boolean {
  return mode.is === "closing" || mode.is === "stopped";
}
