import type { Clock } from "../contract/host.ts";
import type { Why } from "../contract/outcome.ts";
import type { Logger } from "../logger.ts";

/**
 * Says when a lane is stuck, and when it continues.
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
  /** When something last got through, by `Clock.monoMs`. */
  #progressMs: number;
  #waiting: Waiting | null = null;
  /** Since when the messages wait that the log was told of, by `Clock.monoMs`. */
  #noticedMs: number | null = null;
  #expired = 0;
  #dueMs: number | null = null;
  #cancel: (() => void) | null = null;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.#progressMs = options.clock.monoMs();
  }

  /** `sinceMs`: when the oldest waiting message was accepted, Unix ms; null: nothing waits. */
  observe(sinceMs: number | null, why: Why | null): void {
    const { clock } = this.#options;
    // The same one as before has not aged by more than has passed, whatever the calendar says by now.
    const before = this.#waiting?.sinceMs === sinceMs ? this.#waiting : null;
    this.#waiting =
      sinceMs === null
        ? null
        : { sinceMs, monoMs: before?.monoMs ?? clock.monoMs() - Math.max(0, clock.nowMs() - sinceMs), why };
    this.#arm();
  }

  expired(): void {
    this.#expired += 1;
  }

  /** A message got through. */
  progress(): void {
    const { clock } = this.#options;
    this.#progressMs = clock.monoMs();
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
    const dueMs = waiting === null ? null : Math.max(waiting.monoMs, this.#progressMs) + noticeMs;
    if (dueMs === this.#dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = dueMs === null ? null : clock.after(dueMs - clock.monoMs(), () => this.#notice());
  }

  #notice(): void {
    this.#dueMs = null;
    this.#cancel = null;
    if (this.#waiting === null) return;
    const { sinceMs, monoMs, why } = this.#waiting;
    this.#noticedMs = monoMs;
    const since = new Date(sinceMs).toISOString();
    void this.#say("warn", 0, { since, why: why?.message ?? "the reason is unknown" }, "messages wait for delivery");
  }

  async #say(level: "info" | "warn", more: number, told: object, message: string): Promise<void> {
    const { logger, fields, count } = this.#options;
    const found = await count().catch(() => null);
    logger[level]({ ...fields, ...told, ...(found !== null && { waiting: found + more }) }, message);
  }
}

interface Waiting {
  /** Unix ms. */
  readonly sinceMs: number;
  /** The same moment by `Clock.monoMs`. */
  readonly monoMs: number;
  readonly why: Why | null;
}
