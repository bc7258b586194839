import type { Clock } from "../contract/host.ts";
import type { Why } from "../contract/outcome.ts";
import type { Logger } from "../logger.ts";

/**
 * Says when a lane stands still, and when it goes on.
 *
 *   quiet ──something has waited `noticeMs`, and nothing got through meanwhile──▶ noticed (one warning)
 *     ◀──────────────────────something got through (one line)──────────────────────┘
 */
export interface OutageOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fields: object;
  readonly noticeMs: number;
  /** How many entries wait. */
  readonly count: () => Promise<number>;
}

export class Outage {
  readonly #options: OutageOptions;
  /** When something last got through, Unix ms. */
  #progressMs: number;
  #waiting: { readonly sinceMs: number; readonly why: Why | null } | null = null;
  /** Since when the messages wait that the log was told of. */
  #noticedMs: number | null = null;
  #expired = 0;
  #dueMs: number | null = null;
  #cancel: (() => void) | null = null;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.#progressMs = options.clock.nowMs();
  }

  /** `sinceMs`: when the oldest waiting message was accepted; null: nothing waits. */
  observe(sinceMs: number | null, why: Why | null): void {
    this.#waiting = sinceMs === null ? null : { sinceMs, why };
    this.#arm();
  }

  expired(): void {
    this.#expired += 1;
  }

  /** A message got through. */
  progress(): void {
    const { clock } = this.#options;
    this.#progressMs = clock.nowMs();
    const noticedMs = this.#noticedMs;
    const expired = this.#expired;
    this.#noticedMs = null;
    this.#expired = 0;
    if (noticedMs === null) return;
    const seconds = Math.round((this.#progressMs - noticedMs) / 1_000);
    // The one that got through waited, too.
    void this.#say("info", 1 + expired, { seconds, expired }, "messages are delivered again");
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting = null;
  }

  #arm(): void {
    const { clock, noticeMs } = this.#options;
    const waiting = this.#noticedMs === null ? this.#waiting : null;
    const dueMs = waiting === null ? null : Math.max(waiting.sinceMs, this.#progressMs) + noticeMs;
    if (dueMs === this.#dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = dueMs === null ? null : clock.after(dueMs - clock.nowMs(), () => this.#notice());
  }

  #notice(): void {
    this.#dueMs = null;
    this.#cancel = null;
    if (this.#waiting === null) return;
    const { sinceMs, why } = this.#waiting;
    this.#noticedMs = sinceMs;
    const since = new Date(sinceMs).toISOString();
    void this.#say("warn", 0, { since, why: why?.message ?? "nothing was heard of it" }, "messages wait for delivery");
  }

  async #say(level: "info" | "warn", more: number, told: object, message: string): Promise<void> {
    const { logger, fields, count } = this.#options;
    const found = await count().catch(() => null);
    logger[level]({ ...fields, ...told, ...(found !== null && { waiting: found + more }) }, message);
  }
}
