import type { AccountStatus, LoopStatus } from "../delivery/status.ts";
import type { Shortage } from "../lib/descriptors.ts";
import type { LogHealth } from "./log-health.ts";
import type { LoopDelay } from "./loop-delay.ts";
import type { Traffic } from "./traffic.ts";
import { type ConfigError, alertsOf } from "./alerts.ts";
import { type GuestMatters, noticesOf } from "./notices.ts";
import type { Alert, BridgeView, ClusterView, ConfigFileView, ReaderView, StatusView } from "./views.ts";

export interface StatusOptions {
  readonly version: string;
  readonly startedMs: number;
  readonly nowMs: () => number;
  readonly health: LogHealth;
  readonly loop: LoopDelay;
  readonly accounts: () => Promise<readonly AccountStatus[]>;
  readonly loops: () => readonly LoopStatus[];
  readonly readers: () => readonly ReaderView[];
  readonly gateways: () => readonly string[];
  readonly bridges: () => readonly BridgeView[];
  readonly traffic: Pick<Traffic, "view">;
  /** What the program goes on without, because the configuration says it wrongly. */
  readonly errors: () => readonly ConfigError[];
  readonly file: () => ConfigFileView;
  /** When the newest entry was accepted; null: nobody knows. */
  readonly newestMs: () => number | null;
  /** How long a message may wait before somebody should know. */
  readonly waitingMs: () => number;
  readonly shortage: () => Shortage | null;
  /** What waits for a person of what guests say. */
  readonly guests: () => GuestMatters;
  /** What there is to say of the other machines; null: there are none. */
  readonly cluster: { view(): ClusterView; troubles(): readonly Alert[] } | null;
}

/** How the program is, all of it. */
export async function statusOf(options: StatusOptions): Promise<StatusView> {
  const { version, startedMs } = options;
  const [log, accounts] = await Promise.all([options.health.look(), options.accounts()]);
  const nowMs = options.nowMs();
  const readers = options.readers();
  const seen = { nowMs, log, loop: options.loop.now(), accounts, loops: options.loops(), readers };
  const { newestMs, waitingMs, shortage, errors, file, cluster } = options;
  const own = alertsOf({
    ...seen,
    newestMs: newestMs(),
    waitingMs: waitingMs(),
    shortage: shortage(),
    gateways: options.gateways(),
    errors: errors(),
    file: file(),
  });
  const troubles = [...own, ...(cluster?.troubles() ?? [])];
  const bridges = options.bridges();
  const ends = { gateways: options.gateways(), bridges };
  const traffic = options.traffic.view({ accounts, readers, bridges });
  const notices = noticesOf(options.guests(), accounts);
  const more = cluster === null ? {} : { cluster: cluster.view() };
  return { ok: troubles.length === 0, version, startedMs, troubles, notices, ...ends, ...seen, traffic, ...more };
}
