import type { Reason } from "../../contract/outcome.ts";
import { localTimeOfDay } from "../../lib/local-time.ts";
import { remedyOf } from "../remedies.ts";
import type { LaneStatus } from "../status.ts";
import { isWithinReach } from "./doubts.ts";
import { isRefusing } from "./records.ts";
import type { LaneState, Moment } from "./state.ts";

/** A network that has not answered for so long is a reason of its own. */
const SILENT_MS = 30_000;

/** How long a message that was set aside is shown, in ms. */
const SET_ASIDE_MS = 24 * 3_600_000;

const REFUSED: Reason = {
  code: "network",
  message: "The log does not store the lane's position, so nothing more is sent.",
};

/** Another lane of the session knows more. */
const PACED: Reason = { code: "rate_limited", message: "The whole account has to wait." };

/**
 * Pure. What waits always has a reason, but for what is about to go. `waiting`: how many messages; null: the log cannot
 * say.
 */
export function laneStatus(channel: string, state: LaneState, at: Moment, waiting: number | null): LaneStatus {
  const { setting, link, calls, window } = state;
  const { oldest } = window;
  const isIdle = calls.length === 0 && oldest === null && waiting === 0;
  const why = isIdle && link !== null ? null : reasonOf(state, at);
  const untilMs = Math.max(state.untilMs, at.gateMs);
  const setAside = state.setAside.filter(({ atMs }) => at.nowMs - atMs < SET_ASIDE_MS);
  return {
    gateway: setting.gateway,
    channel,
    state: isIdle ? "idle" : isBusy(state) && why === null ? "sending" : "waiting",
    waiting,
    oldestMs: oldest?.at ?? null,
    oldest: oldest && { seq: oldest.messageSeq, tries: oldest.attempts },
    why,
    remedy: remedyOf("lane", why),
    retryMs: link !== null && !isIdle && untilMs > at.monoMs ? at.nowMs + untilMs - at.monoMs : null,
    ...(setAside.length > 0 && { setAside }),
  };
}

/** Handlers are under way, or what a message refers to is looked up. */
function isBusy({ calls, mode }: LaneState): boolean {
  return calls.length > 0 || mode.is === "preparing";
}

function reasonOf(state: LaneState, { nowMs, monoMs, gateMs }: Moment): Reason | null {
  const { link, why, calls, activeMs, untilMs } = state;
  if (link === null) return why;
  if (waitsForLog(state)) return REFUSED;
  if (calls.length > 0 && monoMs - activeMs >= SILENT_MS) {
    const since = localTimeOfDay(nowMs + activeMs - monoMs);
    return { code: "timeout", message: `The network has not answered since ${since}.` };
  }
  if (Math.max(untilMs, gateMs) > monoMs) return why ?? PACED;
  return isBusy(state) ? null : why;
}

/** The log refuses what has to be on the disk before the next message is sent. */
function waitsForLog(state: LaneState): boolean {
  const { records, setting, window } = state;
  if (!isRefusing(records)) return false;
  const next = window.ready();
  return setting.capabilities.idempotency.by === "none" || (next !== null && !isWithinReach(state, next));
}
