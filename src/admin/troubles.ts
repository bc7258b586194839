import type { AccountStatus, ChannelStatus, LaneStatus } from "../delivery/status.ts";
import type { LogView, StatusView, Trouble } from "./views.ts";

/** The loop being so late is felt by everybody. */
const LATE_MS = 1_000;
/** The log's clock is this far behind the newest entry before that is worth a word: the clock was set back. */
const BACK_MS = 60_000;

export interface Circumstances extends Pick<StatusView, "nowMs" | "log" | "loop" | "accounts"> {
  /** When the newest entry was accepted; null: there is none. */
  readonly newestMs: number | null;
  /** How long a message may wait before somebody should know. */
  readonly waitingMs: number;
}

/** Everything that a person should look at, worst first. Pure; empty: all is well. */
export function troublesOf(now: Circumstances): readonly Trouble[] {
  return [...ofLog(now.log), ...ofClock(now), ...ofLoop(now), ...now.accounts.flatMap((each) => ofAccount(each, now))];
}

function ofLog({ takes, why }: LogView): readonly Trouble[] {
  if (takes) return [];
  const remedy = "See to the disk of the data folder; nothing that was accepted is lost, and Rialto goes on by itself.";
  return [{ of: "the log", what: `takes no messages: ${why ?? "nobody knows why"}`, remedy, sinceMs: null }];
}

function ofClock({ newestMs, nowMs }: Circumstances): readonly Trouble[] {
  if (newestMs === null || newestMs - nowMs < BACK_MS) return [];
  const behind = Math.round((newestMs - nowMs) / 1000);
  return [
    {
      of: "the clock",
      what: `was set back: it is ${behind} s behind the newest message`,
      remedy: "Set it right; until then messages wait longer than they should before they expire.",
      sinceMs: null,
    },
  ];
}

function ofLoop({ loop }: Circumstances): readonly Trouble[] {
  if (loop.max < LATE_MS) return [];
  const what = `was late by ${Math.round(loop.max)} ms: the machine is overloaded, or something in Rialto takes too long`;
  return [{ of: "the event loop", what, remedy: "Look what else uses the processor.", sinceMs: null }];
}

function ofAccount(account: AccountStatus, now: Circumstances): readonly Trouble[] {
  const { account: of, state, sinceMs, why, remedy } = account;
  // Its rooms wait for the same reason.
  if (state === "action-needed" || state === "waiting" || state === "degraded") {
    return [{ of, what: `${state}: ${why?.message ?? "nobody knows why"}`, remedy, sinceMs }];
  }
  return account.channels.flatMap((channel) => ofChannel(account, channel, now));
}

function ofChannel({ account }: AccountStatus, channel: ChannelStatus, now: Circumstances): readonly Trouble[] {
  const { state, sinceMs, why, remedy } = channel;
  const of = `${account} ${channel.channel}`;
  if (state === "waiting") return [{ of, what: `not joined: ${why?.message ?? "nobody knows why"}`, remedy, sinceMs }];
  return channel.lanes.flatMap((lane) => ofLane(of, lane, now));
}

function ofLane(of: string, lane: LaneStatus, { nowMs, waitingMs }: Circumstances): readonly Trouble[] {
  const { gateway, waiting, oldestMs, why, remedy } = lane;
  if (oldestMs === null || nowMs - oldestMs < waitingMs) return [];
  const count = waiting === null ? "messages wait" : waiting === 1 ? "1 message waits" : `${waiting} messages wait`;
  const what = `${count} in gateway ${gateway}${why === null ? "" : `: ${why.message}`}`;
  return [{ of, what, remedy, sinceMs: oldestMs }];
}
