import type { LiveStatus } from "../../../admin/live.ts";
import type { HistoryView } from "../../../admin/views.ts";
import type { Clock } from "../../../contract/host.ts";

/** What the dashboard shows, beside what every operator is shown. */
export interface NowDeps {
  readonly live: Pick<LiveStatus, "isFull" | "watch">;
  readonly clock: Clock;
  /** Rejects with a LogError. */
  readonly history: () => Promise<HistoryView>;
}
