import type { Clock } from "../contract/host.ts";
import { LogError } from "../log/errors.ts";
import type { EntryHead, Log, Subject } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { type Backoff, fullJitter } from "./retry.ts";
import type { Window } from "./window.ts";

/**
 * Keeps a lane's window filled from the log, a bounded chunk at a time, at most one read under way.
 *
 *   idle ──woken, and the window runs low──▶ reading ──nothing more──▶ idle
 *                                              └──failed──▶ waiting ──back-off──▶ reading
 */
export interface ReaderOptions {
  readonly log: Log;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly fields: object;
  readonly subjects: readonly Subject[];
  readonly admits: (entry: EntryHead) => boolean;
  /** Reads on when fewer than this many messages wait in the window, whatever their size. */
  readonly low: number;
  /** The window has changed, or all is read. */
  readonly done: () => void;
}

const BACKOFF: Backoff = { baseMs: 1_000, capMs: 60_000 };
const CHUNK_ENTRIES = 128;
const CHUNK_BYTES = 256 * 1024;
/** While fewer messages and characters than these wait in the window it reads on: what comes later may change what is sent first. */
const AHEAD_ENTRIES = 128;
const AHEAD_CHARS = 256 * 1024;
/** With more than these in the window it waits for the oldest to end: nothing else bounds what is done after that, or not for the lane. */
const HELD_ENTRIES = 2_000;
/** Most entries that are looked at to count the messages among them. */
const COUNT_ENTRIES = 10_000;

export class Reader {
  readonly #options: ReaderOptions;
  readonly #window: Window;
  #more = true;
  #reading = false;
  #failures = 0;
  #cancelRetry: (() => void) | null = null;
  #stopped = false;

  constructor(window: Window, options: ReaderOptions) {
    this.#window = window;
    this.#options = options;
  }

  /** All that the log has is in the window. */
  get drained(): boolean {
    return !this.#more && !this.#reading;
  }

  /** The log may have more. */
  wake(): void {
    this.#more = true;
  }

  /** Reads on where there is need. */
  fill(): void {
    if (this.#stopped || this.#reading || !this.#more || this.#cancelRetry !== null) return;
    if (this.#window.size > HELD_ENTRIES) return;
    if (this.#window.waiting >= this.#options.low && this.#isFarAhead()) return;
    this.#reading = true;
    void this.#read();
  }

  #isFarAhead(): boolean {
    return this.#window.waiting >= AHEAD_ENTRIES || this.#window.waitingChars >= AHEAD_CHARS;
  }

  /** How many entries wait, in the window or after it; where they are very many, of the oldest all count. */
  async count(counts: (entry: EntryHead) => boolean = () => true): Promise<number> {
    const { log, subjects, admits } = this.#options;
    const { entries, skipped } = await log.newest({ subjects, after: this.#window.cursor, limit: COUNT_ENTRIES });
    return skipped + entries.filter((entry) => admits(entry) && counts(entry)).length;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry?.();
  }

  async #read(): Promise<void> {
    const { log, subjects, admits, low, done } = this.#options;
    this.#more = false;
    try {
      const limit = Math.max(CHUNK_ENTRIES, low);
      const entries = await log.read({ subjects, after: this.#window.readTo, limit, bytes: CHUNK_BYTES });
      this.#failures = 0;
      if (this.#stopped) return;
      this.#more ||= entries.length > 0;
      this.#window.take(entries, admits);
    } catch (error) {
      this.#more = true;
      this.#failed(error);
    }
    this.#reading = false;
    done();
  }

  #failed(error: unknown): void {
    const { logger, clock, random, fields, done } = this.#options;
    this.#failures += 1;
    if (this.#stopped || (error instanceof LogError && error.code === "closed")) return this.stop();
    const why = error instanceof Error ? error.message : String(error);
    if (this.#failures === 1) logger.error({ ...fields, why }, "messages cannot be read from the log; trying again");
    this.#cancelRetry = clock.after(fullJitter(this.#failures, BACKOFF, random), () => {
      this.#cancelRetry = null;
      done();
    });
  }
}
