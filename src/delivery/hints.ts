import type { Clock, Hint } from "../contract/host.ts";

/** `channel`: its name in the configuration. Must not throw, and be quick. */
export type OnHint = (accountKey: string, channel: string, hint: Hint) => void;

/** Most hints of one account within `WINDOW_MS`; what is more is dropped. */
export const HINTS_MAX = 100;
const WINDOW_MS = 1000;

/** The listener, called no more often for each account than anybody can use. */
export function boundHints(onHint: OnHint, clock: Pick<Clock, "monoMs">): OnHint {
  const windows = new Map<string, { fromMs: number; told: number }>();
  return (accountKey, channel, hint) => {
    const nowMs = clock.monoMs();
    const window = windows.get(accountKey) ?? { fromMs: nowMs, told: 0 };
    windows.set(accountKey, window);
    if (nowMs - window.fromMs >= WINDOW_MS) [window.fromMs, window.told] = [nowMs, 0];
    window.told += 1;
    if (window.told <= HINTS_MAX) onHint(accountKey, channel, hint);
  };
}
