/**
 * How far the connections of one kind have taken the items of a feed, as indexes.
 *
 * What the kernel has taken counts as read, unless the connection is reset: a client that closes with unread data
 * resets it, and a write to a client that is gone does. Then what was written within UNSURE_MS is unread again. The
 * first item of a backlog goes out alone, and counts as read however the client ends it: so a line that a client cannot
 * bear comes to it once.
 */

const UNSURE_MS = 1_000;
/** How long after a reset more of them are expected. */
const UNSTEADY_MS = 60_000;
/** What is written within so long counts as written together. */
const STEP_MS = 100;

/** One connection. */
export interface ReaderProgress {
  /** Items below were taken by the kernel; 0 while it has taken none. */
  taken: number;
  /** Items below are read whatever becomes of the connection. */
  sure: number;
  readonly sinceMs: number;
  /** What was written lately, oldest first: when, and from which item on. */
  readonly lately: { readonly atMs: number; readonly from: number }[];
}

export class Taken {
  readonly #open = new Set<ReaderProgress>();
  /** Where the connections that have ended got to. */
  #left: number;
  #position: number;
  #unsteadyUntilMs = 0;

  constructor(position: number) {
    this.#left = position;
    this.#position = position;
  }

  /** Some connection has read the items below. */
  get position(): number {
    return this.#position;
  }

  /**
   * What the disk may be told. After a reset, a connection in its first second counts only with its first item: a
   * client that connects anew all the time breaks off with much unread, and must not lose it when the program is killed
   * at that moment.
   */
  settled(nowMs: number): number {
    if (nowMs >= this.#unsteadyUntilMs) return this.#position;
    let settled = this.#left;
    for (const { taken, sure, sinceMs } of this.#open) {
      settled = Math.max(settled, nowMs - sinceMs < UNSURE_MS ? Math.min(sure, taken) : taken);
    }
    return settled;
  }

  open(nowMs: number): ReaderProgress {
    const reading: ReaderProgress = { taken: 0, sure: 0, sinceMs: nowMs, lately: [] };
    this.#open.add(reading);
    return reading;
  }

  wrote({ lately }: ReaderProgress, from: number, nowMs: number): void {
    forgetOld(lately, nowMs);
    const last = lately.at(-1);
    if (last === undefined || nowMs - last.atMs >= STEP_MS) lately.push({ atMs: nowMs, from });
  }

  /** The kernel has taken the items below. True when that moves the position. */
  took(reading: ReaderProgress, upTo: number): boolean {
    reading.taken = upTo;
    if (upTo <= this.#position || !this.#open.has(reading)) return false;
    this.#position = upTo;
    return true;
  }

  /** The connection has ended. True when the position falls back. */
  close(reading: ReaderProgress, isReset: boolean, nowMs: number): boolean {
    this.#open.delete(reading);
    if (isReset) forgetOld(reading.lately, nowMs);
    const unsure = isReset ? (reading.lately[0]?.from ?? Infinity) : Infinity;
    if (unsure < reading.taken) this.#unsteadyUntilMs = nowMs + UNSTEADY_MS;
    this.#left = Math.max(this.#left, reading.sure, Math.min(reading.taken, unsure));
    const before = this.#position;
    if (this.#left >= before) this.#position = this.#left;
    else if (reading.taken === before) this.#position = this.#highest();
    return this.#position < before;
  }

  /** Everything below counts as read, or is nobody's to read. */
  skipTo(position: number): void {
    this.#left = Math.max(this.#left, position);
    this.#position = Math.max(this.#position, position);
  }

  #highest(): number {
    let highest = this.#left;
    for (const { taken } of this.#open) highest = Math.max(highest, taken);
    return highest;
  }
}

function forgetOld(lately: ReaderProgress["lately"], nowMs: number): void {
  while (lately[0] !== undefined && nowMs - lately[0].atMs >= UNSURE_MS + STEP_MS) lately.shift();
}
