import { localTimeOfDay } from "../lib/local-time.ts";
import type { Why } from "../contract/outcome.ts";
import { remedyOf } from "./remedies.ts";
import type { LaneStatus } from "./status.ts";

/** What is known of a lane; moments are Unix ms. */
export interface Seen {
  readonly gateway: string;
  readonly channel: string;
  readonly nowMs: number;
  /** How many messages wait; null: the log cannot say. */
  readonly waiting: number | null;
  readonly oldestMs: number | null;
  readonly oldest: LaneStatus["oldest"];
  /** How many handler calls are under way, and when one last ended or told something. */
  readonly calls: number;
  readonly activeMs: number;
  /** What a message refers to is looked up, or its files are fetched. */
  readonly isLooking: boolean;
  /** The channel is joined. */
  readonly isJoined: boolean;
  /** The last reason for which something had to wait. */
  readonly why: Why | null;
  /** Until when nothing is to be sent; in the past when that is no reason. */
  readonly untilMs: number;
  /** The log takes nothing, and because of that nothing is sent. */
  readonly isRefused: boolean;
}

/** A network that has not answered for so long is a reason of its own. */
const SILENT_MS = 30_000;

const REFUSED: Why = {
  code: "network",
  message: "The log does not store the lane's position, so nothing more is sent.",
};

/** Pure. What waits always has a reason, but for what is about to go. */
export function laneStatus(seen: Seen): LaneStatus {
  const { gateway, channel, waiting, oldestMs, oldest, calls, isLooking, nowMs, untilMs, isJoined } = seen;
  const isIdle = calls === 0 && oldestMs === null && waiting === 0;
  const why = isIdle && isJoined ? null : reasonOf(seen);
  return {
    gateway,
    channel,
    state: isIdle ? "idle" : (calls > 0 || isLooking) && why === null ? "sending" : "waiting",
    waiting,
    oldestMs,
    oldest,
    why,
    remedy: remedyOf("lane", why),
    retryMs: isJoined && !isIdle && untilMs > nowMs ? untilMs : null,
  };
}

function reasonOf({ isJoined, isRefused, why, calls, isLooking, activeMs, nowMs, untilMs }: Seen): Why | null {
  if (!isJoined) return why;
  if (isRefused) return REFUSED;
  if (calls > 0 && nowMs - activeMs >= SILENT_MS) {
    return { code: "timeout", message: `The network has not answered since ${localTimeOfDay(activeMs)}.` };
  }
  if (untilMs > nowMs) return why ?? PACED;
  return calls > 0 || isLooking ? null : why;
}

/** Another lane of the session knows more. */
const PACED: Why = { code: "rate_limited", message: "The whole account has to wait." };
