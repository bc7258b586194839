import { isRunning, type StuckState, type Step } from "./state.ts";

/**
 * Says when a lane is stuck, and when it continues.
 *
 *   quiet ──something has waited `noticeMs`, and nothing got through meanwhile──▶ noticed (one warning)
 *     ◀──────────────────────something got through (one line)──────────────────────┘
 */

export function newOutage(monoMs: number): StuckState {
  return { progressMs: monoMs, waiting: null, noticedMs: null, expired: 0 };
}

/** Sees what waits now. */
export function observe({ state, at }: Step): void {
  const { outage, window, why } = state;
  const sinceMs = isRunning(state) ? (window.oldest?.at ?? null) : null;
  if (sinceMs === null) {
    outage.waiting = null;
    return;
  }
  // The same one as before has not aged by more than has passed, whatever the calendar says by now.
  const before = outage.waiting?.sinceMs === sinceMs ? outage.waiting : null;
  if (before !== null && before.why === why) return;
  outage.waiting = { sinceMs, monoMs: before?.monoMs ?? at.monoMs - Math.max(0, at.nowMs - sinceMs), why };
}

/** When the log is to be told, by `Clock.monoMs`. */
export function noticeDueMs({ state: { outage, setting } }: Step): number {
  const { waiting, noticedMs, progressMs } = outage;
  return waiting === null || noticedMs !== null
    ? Infinity
    : Math.max(waiting.monoMs, progressMs) + setting.outageNoticeMs;
}

export function notice(step: Step): void {
  const { waiting } = step.state.outage;
  if (waiting === null || noticeDueMs(step) > step.at.monoMs) return;
  step.state.outage.noticedMs = waiting.monoMs;
  const since = new Date(waiting.sinceMs).toISOString();
  const fields = { since, why: waiting.why?.message ?? "the reason is unknown" };
  step.effects.push({ do: "say", level: "warn", fields, message: "messages wait for delivery", counted: 0 });
}

/** A message got through. */
export function progress({ state: { outage }, at, effects }: Step): void {
  const { noticedMs, expired } = outage;
  outage.progressMs = at.monoMs;
  outage.noticedMs = null;
  outage.expired = 0;
  if (noticedMs === null) return;
  const fields = { seconds: Math.round((at.monoMs - noticedMs) / 1_000), expired };
  // The one that got through waited, too.
  effects.push({ do: "say", level: "info", fields, message: "messages are delivered again", counted: 1 + expired });
}
