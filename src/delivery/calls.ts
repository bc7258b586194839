import type { Idempotency } from "../contract/capabilities.ts";
import type { Clock } from "../contract/host.ts";
import type { OpId } from "../contract/ids.ts";
import type { Op } from "../contract/ops.ts";
import type { Outcome, Why } from "../contract/outcome.ts";
import type { Logger } from "../logger.ts";
import { type AttemptLane, LaneAttempt } from "./attempt.ts";
import { GONE, HUNG, THREW } from "./endings.ts";
import type { Meter, MeteredLane } from "./meter.ts";
import { type Outlet, perform } from "./outlet.ts";
import { type Run, Runs } from "./runs.ts";
import { type Decision, settle } from "./settle.ts";
import type { Asked } from "./starting.ts";
import type { Item } from "./window.ts";

export interface CallsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fields: object;
  readonly by: Idempotency["by"];
  readonly meter: Meter;
  readonly metered: MeteredLane;
  readonly attempts: Pick<AttemptLane, "mayAnnounce" | "durable" | "confirmed">;
  /** Where the lane sends now. */
  readonly outlet: () => Outlet | null;
  readonly ended: (run: Run, outcome: Outcome, decision: Decision) => void;
  /** A handler hangs: its session is to be ended. */
  readonly onStalled: (why: Why) => void;
}

/**
 * Calls the handlers of sessions, and makes sure that every call ends: by itself, or because it is given up (see runs.ts). What its end means
 * is decided in settle.ts.
 */
export class Calls {
  readonly #options: CallsOptions;
  readonly #runs = new Runs();
  readonly #attempts: AttemptLane;
  #idle: (() => void) | null = null;

  constructor(options: CallsOptions) {
    this.#options = options;
    const active = (): void => this.#runs.active(options.clock.monoMs());
    this.#attempts = { ...options.attempts, by: options.by, active };
  }

  get size(): number {
    return this.#runs.size;
  }

  get items(): readonly Item[] {
    return Array.from(this.#runs, ({ item }) => item);
  }

  /** When something last ended or was told, by `Clock.monoMs`. */
  get activeMs(): number {
    return this.#runs.activeMs;
  }

  /** When to ring, by `Clock.monoMs`; Infinity: no need. */
  get dueMs(): number {
    return this.#runs.dueMs;
  }

  /** Whether some belong to another session than this. */
  areElsewhere(outlet: Outlet): boolean {
    for (const run of this.#runs) if (run.outlet !== outlet) return true;
    return false;
  }

  /** Calls the handler before it first waits. Never rejects. */
  async start(item: Item, outlet: Outlet, { op: draft, losses }: Asked, id: string): Promise<void> {
    const { clock, logger, fields } = this.#options;
    item.begin(draft);
    const attempt = new LaneAttempt(item, this.#attempts);
    const run = this.#runs.add({ item, outlet, attempt, losses, startedMs: clock.monoMs() });
    const place = { id: id as OpId, channel: outlet.channel, attempt: item.attempts };
    const op: Op = draft.kind === "post" ? { ...draft, ...place, resume: item.confirmed } : { ...draft, ...place };
    const outcome = await perform(outlet, op, attempt, (error) =>
      logger.error({ ...fields, seq: item.seq, error }, "an adapter failed unexpectedly: this is a bug"),
    );
    if (attempt.live) this.#end(run, outcome ?? { is: "unknown", why: THREW }, outcome === null);
  }

  /** All under way have to end soon. */
  endAll(): void {
    this.#runs.endAll(this.#options.clock.monoMs());
  }

  abortAll(): void {
    for (const { attempt } of this.#runs) attempt.abort();
  }

  /** What they still do changes nothing any more. */
  abandonAll(): void {
    for (const { attempt } of this.#runs) attempt.end();
  }

  /** Resolves once none is under way. */
  async idle(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  /** Gives up those that have had their time. */
  ring(): void {
    const { clock, outlet, logger, fields, onStalled } = this.#options;
    const now = clock.monoMs();
    for (const run of this.#runs.overdue(now)) {
      run.attempt.abort();
      this.#end(run, { is: "unknown", why: run.outlet === outlet() ? HUNG : GONE }, false);
    }
    if (!this.#runs.stalled(now)) return;
    logger.error({ ...fields, why: HUNG.message }, "an adapter hangs: its session is ended");
    this.#runs.endAll(now);
    this.abortAll();
    onStalled(HUNG);
  }

  #end(run: Run, outcome: Outcome, threw: boolean): void {
    const { clock, by, meter, metered, ended } = this.#options;
    const { item, attempt, startedMs } = run;
    const now = clock.monoMs();
    attempt.end();
    this.#runs.active(now);
    this.#runs.delete(run);
    meter.answered(metered, outcome.is, now - startedMs);
    item.throws = threw ? item.throws + 1 : 0;
    const { announced, confirmed, throws } = item;
    ended(run, outcome, settle({ by, announced, confirmed, throws }, outcome));
    if (this.#runs.size === 0) this.#idle?.();
  }
}
