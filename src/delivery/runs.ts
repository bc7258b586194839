import type { Loss } from "../contract/outcome.ts";
import type { LaneAttempt } from "./attempt.ts";
import type { Outlet } from "./outlet.ts";
import type { Item } from "./window.ts";

/** How long all handlers of a session may neither end nor tell anything, in ms. */
const STALL_MS = 10 * 60_000;
/** And those of one lane, while the others of its session go on: with a slow pace the queue before them may be long. */
const STALL_ALONE_MS = 2 * 60 * 60_000;
/** How long a handler that has to end may take for it, in ms. */
const END_MS = 10_000;

/** A handler call under way. */
export interface Run {
  readonly item: Item;
  readonly outlet: Outlet;
  readonly attempt: LaneAttempt;
  /** What it loses before any handler sees it. */
  readonly losses: readonly Loss[];
  /** By `Clock.monoMs`, like all moments here: a clock that is set must not look like a standstill. */
  readonly startedMs: number;
  /** When it is given up on; null while it need not end. */
  deadlineMs: number | null;
}

/**
 * The handler calls of a lane that are under way.
 *
 *   running ──all silent for too long (stalled), or the session gone──▶ ending ──10 s──▶ overdue
 */
export class Runs {
  readonly #runs = new Set<Run>();
  #activeMs = 0;

  get size(): number {
    return this.#runs.size;
  }

  /** When one of them last ended or told something. */
  get activeMs(): number {
    return this.#activeMs;
  }

  [Symbol.iterator](): Iterator<Run> {
    return [...this.#runs][Symbol.iterator]();
  }

  add(run: Omit<Run, "deadlineMs">): Run {
    const added: Run = { ...run, deadlineMs: null };
    this.#runs.add(added);
    this.#activeMs = run.startedMs;
    return added;
  }

  delete(run: Run): void {
    this.#runs.delete(run);
  }

  /** One of them ends or has told something. They may wait for each other, so one is as good as all. */
  active(monoMs: number): void {
    this.#activeMs = monoMs;
    for (const { outlet } of this.#runs) outlet.pulse.beat();
  }

  /** All of them have to end. */
  endAll(monoMs: number): void {
    for (const run of this.#runs) run.deadlineMs ??= monoMs + END_MS;
  }

  /** Some run that nobody has told to end, while nothing has moved for too long. */
  stalled(monoMs: number): boolean {
    return this.#stallsAtMs() <= monoMs;
  }

  overdue(monoMs: number): readonly Run[] {
    return [...this.#runs].filter(({ deadlineMs }) => deadlineMs !== null && deadlineMs <= monoMs);
  }

  /** When to look again; Infinity: no need. */
  get dueMs(): number {
    const deadlines = Array.from(this.#runs, ({ deadlineMs }) => deadlineMs ?? Infinity);
    return Math.min(this.#stallsAtMs(), ...deadlines);
  }

  #stallsAtMs(): number {
    const free = [...this.#runs].filter(({ deadlineMs }) => deadlineMs === null);
    if (free.length === 0) return Infinity;
    const movedMs = Math.max(this.#activeMs, ...free.map(({ outlet }) => outlet.pulse.lastMs));
    return Math.min(movedMs + STALL_MS, this.#activeMs + STALL_ALONE_MS);
  }
}
