import type { Event, Posted } from "../../src/contract/events.ts";
import type { Accepted, AdapterLog, Clock, Hint, Host } from "../../src/contract/host.ts";
import type { ChannelRef, Cursor, FileId } from "../../src/contract/ids.ts";
import type { Reason } from "../../src/contract/outcome.ts";
import type { OpenedFile } from "../../src/contract/session.ts";
import { openedOf } from "./shared-file.ts";

/** The system's time, which knows how many of its timers wait. */
export class CountingClock implements Clock {
  readonly #timers = new Set<NodeJS.Timeout>();

  nowMs(): number {
    return Date.now();
  }

  monoMs(): number {
    return performance.now();
  }

  after(ms: number, task: () => void): () => void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, ms);
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      clearTimeout(timer);
    };
  }

  get waiting(): number {
    return this.#timers.size;
  }
}

interface Loss {
  readonly channel: ChannelRef;
  readonly why: Reason;
  readonly retryInMs: number;
}

interface LogRecord {
  readonly level: keyof AdapterLog;
  readonly fields: object;
  readonly message: string;
}

/** A host that remembers everything an adapter told it, and accepts only while it is let. */
export class RecordingHost implements Host {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: AdapterLog;
  /** Everything handed over, in the order of the calls, whether accepted by now or not. */
  readonly events: Event[] = [];
  readonly cursors: Cursor[] = [];
  readonly hints: Hint[] = [];
  readonly losses: Loss[] = [];
  readonly doubts: (Reason | null)[] = [];
  readonly records: LogRecord[] = [];
  /** What `openFile` gives, by id; others are not found. */
  readonly files = new Map<FileId, Uint8Array>();
  /** What `publish` gives for any text. */
  link: string | null = null;
  /** Events in calls of `accept` that have not resolved: now, and the most at any time. */
  pending = 0;
  pendingMost = 0;
  #held: PromiseWithResolvers<void> | null = null;
  readonly #keys = new Set<string>();

  /** `clock` is the system's unless a test brings its own. */
  constructor(clock: Clock = new CountingClock(), seed = 1) {
    this.clock = clock;
    this.random = chance(seed);
    const note = (level: keyof AdapterLog) => (fields: object, message: string) =>
      void this.records.push({ level, fields, message });
    this.log = { trace: note("trace"), debug: note("debug"), info: note("info"), warn: note("warn") };
  }

  /** From now on `accept` does not resolve, as when the disk is full. */
  hold(): void {
    this.#held ??= Promise.withResolvers();
  }

  /** What was held resolves in its order, and `accept` works again. */
  release(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  async accept({ events, cursor }: Parameters<Host["accept"]>[0]): Promise<readonly Accepted[]> {
    this.events.push(...events);
    if (cursor !== null) this.cursors.push(cursor);
    this.pending += events.length;
    this.pendingMost = Math.max(this.pendingMost, this.pending);
    await this.#held?.promise;
    this.pending -= events.length;
    return events.map((event) => this.#judge(event));
  }

  lost(channel: ChannelRef, why: Reason, retryInMs: number): void {
    this.losses.push({ channel, why, retryInMs });
  }

  degraded(why: Reason | null): void {
    this.doubts.push(why);
  }

  hint(hint: Hint): void {
    this.hints.push(hint);
  }

  openFile(id: FileId): Promise<OpenedFile> {
    const content = this.files.get(id);
    if (content !== undefined) return Promise.resolve(openedOf(content));
    return Promise.resolve({ ok: false, why: { code: "not_found", message: "there is no such file" } });
  }

  publish(): Promise<string | null> {
    return Promise.resolve(this.link);
  }

  /** What people said: not what we said ourselves. */
  get posted(): readonly Posted[] {
    return this.events.filter((event) => event.kind === "posted" && event.echoOf === null) as Posted[];
  }

  #judge(event: Event): Accepted {
    if (event.echoOf !== null) return "ignored";
    if (event.key === null) return "stored";
    if (this.#keys.has(event.key)) return "duplicate";
    this.#keys.add(event.key);
    return "stored";
  }
}

/** The same numbers on every run (a linear congruential generator; Numerical Recipes, chapter 7). */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
