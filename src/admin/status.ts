import type { AccountStatus } from "../delivery/status.ts";
import type { LogHealth } from "./log-health.ts";
import type { LoopDelay } from "./loop-delay.ts";
import { troublesOf } from "./troubles.ts";
import type { ReaderView, StatusView } from "./views.ts";

export interface StatusOptions {
  readonly version: string;
  readonly startedMs: number;
  readonly nowMs: () => number;
  readonly health: LogHealth;
  readonly loop: LoopDelay;
  readonly accounts: () => Promise<readonly AccountStatus[]>;
  readonly readers: () => readonly ReaderView[];
  readonly gateways: () => readonly string[];
  /** When the newest entry was accepted; null: nobody knows. */
  readonly newestMs: () => number | null;
  /** How long a message may wait before somebody should know. */
  readonly waitingMs: () => number;
}

/** How the program is, all of it. */
export async function statusOf(options: StatusOptions): Promise<StatusView> {
  const { version, startedMs } = options;
  const [log, accounts] = await Promise.all([options.health.look(), options.accounts()]);
  const nowMs = options.nowMs();
  const seen = { nowMs, log, loop: options.loop.now(), accounts };
  const troubles = troublesOf({ ...seen, newestMs: options.newestMs(), waitingMs: options.waitingMs() });
  return { version, startedMs, troubles, readers: options.readers(), gateways: options.gateways(), ...seen };
}
