import type { Log } from "../log/log.ts";
import type { ConsumerSpec } from "./consumers.ts";
import { atMark, deadMark } from "./marks.ts";
import type { ConsumerState } from "./state.ts";

export type KeptLog = Pick<Log, "mark" | "unmark" | "marks">;

/** When somebody was there is written this often, or ten times while it may be idle, in ms. */
const SEEN_MS = 3_600_000;

interface KeeperOptions {
  readonly name: string;
  readonly prefix: string;
  readonly log: KeptLog;
  readonly state: () => ConsumerState;
  /** Unix ms. */
  readonly seenMs: () => number;
}

/** Keeps the state of a consumer in its marks. What changes while a write is under way goes with the next one. */
export class Keeper {
  readonly #options: KeeperOptions;
  /** Versions of the state, and of its dead letters, that are on the disk. */
  #saved: number;
  #savedDead: number;
  #savedMoves: number;
  #savedSeenMs: number;
  #writing: Promise<void> | null = null;
  #hasEnded = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    const state = options.state();
    this.#saved = state.version;
    this.#savedDead = state.dead.version;
    this.#savedMoves = state.moves;
    this.#savedSeenMs = options.seenMs();
  }

  /** Resolves when all is on the disk that has changed by now; rejects with the log's LogError. */
  async durable(): Promise<void> {
    const { version } = this.#options.state();
    while (this.#saved < version && !this.#hasEnded) {
      this.#writing ??= this.#write(false).finally(() => (this.#writing = null));
      await this.#writing;
    }
  }

  /** Events were handed out: what must not be forgotten of that goes with the next commit. */
  handed({ ack, maxDeliver }: ConsumerSpec): void {
    const { dead, redelivered } = this.#options.state();
    if (ack === "none" || dead.version > this.#savedDead || (maxDeliver > 0 && redelivered > 0)) this.#ride();
  }

  /** Somebody was there. */
  seen(idleMs: number): void {
    const everyMs = idleMs > 0 ? Math.min(SEEN_MS, idleMs / 10) : SEEN_MS;
    if (this.#options.seenMs() - this.#savedSeenMs >= everyMs) this.#ride();
  }

  /** Writes what only memory has; what the log does not take is handed out again after the start. */
  async flush(): Promise<void> {
    if (this.#hasEnded || (this.#options.state().moves === this.#savedMoves && this.#writing === null)) return;
    await this.#writing?.catch(() => undefined);
    await this.#write(false).catch(() => undefined);
  }

  /** Nothing more is written from now on; resolves when nothing is under way. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await this.#writing?.catch(() => undefined);
  }

  #ride(): void {
    // A refusal is met by the next ack.
    if (!this.#hasEnded) void this.#write(true).catch(() => undefined);
  }

  async #write(rides: boolean): Promise<void> {
    const { log, name, prefix } = this.#options;
    const state = this.#options.state();
    const { version, moves } = state;
    const dead = state.dead.version;
    const seenMs = this.#options.seenMs();
    const marks = [atMark(prefix, name, state.save(), seenMs)];
    if (dead > this.#savedDead) marks.push(deadMark(prefix, name, state.dead.all));
    this.#savedSeenMs = seenMs;
    await log.mark(marks, { rides });
    this.#saved = Math.max(this.#saved, version);
    this.#savedDead = Math.max(this.#savedDead, dead);
    this.#savedMoves = Math.max(this.#savedMoves, moves);
  }
}
