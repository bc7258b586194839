import type { FileRefusal } from "./refusal.ts";

const REMEMBERED_MAX = 1000;
/** How long the same answer is given without asking again: a broken avatar comes with every message of its owner. */
const FINAL_MS = 10 * 60_000;
const PASSING_MS = 30_000;

interface Known {
  readonly refusal: FileRefusal;
  readonly untilMs: number;
  /** How long the next one holds: each in a row twice as long as the one before. */
  readonly nextMs: number;
}

/** Files, and web servers, that could not be fetched a moment ago. */
export class Failures {
  readonly #nowMs: () => number;
  readonly #byKey = new Map<string, Known>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get(key: string): FileRefusal | null {
    const known = this.#byKey.get(key);
    return known !== undefined && known.untilMs > this.#nowMs() ? known.refusal : null;
  }

  /** It could be fetched. */
  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** `passing`: what may heal is remembered as well, for a short time. */
  note(key: string, refusal: FileRefusal, passing: boolean): void {
    // Not waited for, and trouble of our own disk: both say nothing about the file.
    if (refusal.why.code === "stopping" || refusal.why.code === "config" || (refusal.retry && !passing)) return;
    const ms = refusal.retry ? (this.#byKey.get(key)?.nextMs ?? PASSING_MS) : FINAL_MS;
    this.#byKey.delete(key);
    this.#byKey.set(key, { refusal, untilMs: this.#nowMs() + ms, nextMs: Math.min(ms * 2, FINAL_MS) });
    if (this.#byKey.size > REMEMBERED_MAX) this.#byKey.delete(this.#byKey.keys().next().value ?? key);
  }
}
