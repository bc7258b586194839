import type { Clock } from "../contract/host.ts";
import { LogError } from "../log/errors.ts";
import type { Log, Mark, Receipt } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { type Backoff, fullJitter } from "./retry.ts";

/**
 * Brings what a lane has to remember to the disk: its marks and receipts, at most one write under way.
 *
 *   clean ──changed──▶ writing ──stored──▶ clean (or writing again, when something changed meanwhile: the newest wins)
 *                         └────refused───▶ refused ──back-off──▶ writing
 *
 * While the log refuses, everything stays in memory, and whoever waits for the disk is told no at once.
 */
export interface RecorderOptions {
  readonly log: Log;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Which lane it is, for people. */
  readonly fields: object;
  /** The values that the disk should have, by mark; asked at the start of each write. */
  readonly compose: () => readonly Mark[];
  /** The values that it has. An absent mark is as good as an empty one. */
  readonly written: ReadonlyMap<string, string>;
  /** The log takes marks again, or receipts have left for the disk: what had to wait for that may go on. */
  readonly relieved: () => void;
}

const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 };

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #written: Map<string, string>;
  #receipts: Receipt[] = [];
  #waiting: ((durable: boolean) => void)[] = [];
  /** Of `written`, for the next write. */
  #expecting: (() => void)[] = [];
  /** Receipts of the write under way. */
  #leaving = 0;
  #changed = false;
  #writing = false;
  #closed = false;
  #refusals = 0;
  #cancelRetry: (() => void) | null = null;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#written = new Map(options.written);
  }

  /** The last write was refused. */
  get refused(): boolean {
    return this.#refusals > 0;
  }

  /** Receipts that are not on disk yet. */
  get receipts(): number {
    return this.#receipts.length;
  }

  /** Resolves once the receipts there are now are on the disk, whatever the log refuses before, or once no write follows; null: they are. */
  written(): Promise<void> | null {
    if (this.#closed || this.#receipts.length + this.#leaving === 0) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#expecting.push(resolve);
    this.#start();
    return promise;
  }

  /** Goes to the disk in the next write. */
  add(receipt: Receipt): void {
    this.#receipts.push(receipt);
    this.changed();
  }

  /** The marks have changed: they are written as soon as no other write is under way. */
  changed(): void {
    this.#changed = true;
    this.#start();
  }

  /** Resolves with true once all that is to be remembered now is on disk, with false when the log does not take it. */
  async durable(): Promise<boolean> {
    if (this.#closed || (this.refused && !this.#writing)) return false;
    const answer = Promise.withResolvers<boolean>();
    this.#waiting.push(answer.resolve);
    this.#start();
    return await answer.promise;
  }

  /** One last write, tried once; no other follows. */
  async close(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    if (this.#closed) return;
    const last = Promise.withResolvers<boolean>();
    this.#waiting.push(last.resolve);
    this.#write();
    this.#closed = true;
    await last.promise;
  }

  #start(): void {
    if (!this.#closed && !this.refused) this.#write();
  }

  #write(): void {
    if (this.#writing || this.#closed) return;
    this.#writing = true;
    void this.#drain();
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    do {
      // What changes together goes together: the rest of this turn belongs to the same write.
      await Promise.resolve();
      await this.#writeOnce();
    } while (!this.refused && (this.#changed || this.#waiting.length + this.#expecting.length > 0));
    this.#writing = false;
    // Those who came while the log was refusing would not fare better.
    for (const resolve of this.#waiting.splice(0)) resolve(false);
    if (this.#closed) for (const resolve of this.#expecting.splice(0)) resolve();
    if (this.refused) this.#retryLater();
  }

  async #writeOnce(): Promise<void> {
    const { log, compose } = this.#options;
    const waiting = this.#waiting.splice(0);
    const expecting = this.#expecting.splice(0);
    const all = compose();
    const changed = all.filter(({ name, value }) => (this.#written.get(name) ?? "") !== value);
    // With nothing to write nobody knows whether the log still refuses.
    const marks = changed.length === 0 && this.refused ? all.slice(0, 1) : changed;
    const receipts = this.#receipts.splice(0);
    this.#leaving = receipts.length;
    this.#changed = false;
    let durable = true;
    try {
      if (marks.length > 0 || receipts.length > 0) await log.append({ account: "", entries: [], marks, receipts });
      for (const { name, value } of marks) this.#written.set(name, value);
      if (this.refused || receipts.length > 0) queueMicrotask(this.#options.relieved);
      for (const resolve of expecting) resolve();
      this.#accepted();
    } catch (error) {
      durable = false;
      this.#receipts = [...receipts, ...this.#receipts];
      this.#expecting = [...expecting, ...this.#expecting];
      this.#refusedBy(error);
    }
    this.#leaving = 0;
    for (const resolve of waiting) resolve(durable);
  }

  #accepted(): void {
    if (!this.refused) return;
    this.#refusals = 0;
    this.#options.logger.info(this.#options.fields, "the log stores the lane's position again");
  }

  #refusedBy(error: unknown): void {
    this.#refusals += 1;
    if (error instanceof LogError && error.code === "closed") this.#closed = true;
    if (this.#refusals > 1 || this.#closed) return;
    const why = error instanceof Error ? error.message : String(error);
    this.#options.logger.warn(
      { ...this.#options.fields, why },
      "the log does not store the lane's position: it is kept in memory, and messages that need it on disk wait",
    );
  }

  #retryLater(): void {
    if (this.#closed || this.#cancelRetry !== null) return;
    const { clock, random } = this.#options;
    this.#cancelRetry = clock.after(fullJitter(this.#refusals, BACKOFF, random), () => {
      this.#cancelRetry = null;
      this.#write();
    });
  }
}
