import type { Refusal } from "./refusal.ts";

const REMEMBERED_MAX = 1000;
/** How long the same answer is given without asking again: a broken avatar comes with every message of its owner. */
const FINAL_MS = 10 * 60_000;
const PASSING_MS = 30_000;

/** Files that could not be had a moment ago. */
export class Failures {
  readonly #nowMs: () => number;
  readonly #byKey = new Map<string, { readonly refusal: Refusal; readonly untilMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get(key: string): Refusal | null {
    const known = this.#byKey.get(key);
    if (known === undefined) return null;
    if (known.untilMs > this.#nowMs()) return known.refusal;
    this.#byKey.delete(key);
    return null;
  }

  /** `passing`: what may heal is remembered as well, for a short time. */
  note(key: string, refusal: Refusal, passing: boolean): void {
    // Not waited for, and trouble of our own disk: both say nothing about the file.
    if (refusal.why.code === "stopping" || refusal.why.code === "config" || (refusal.retry && !passing)) return;
    this.#byKey.delete(key);
    this.#byKey.set(key, { refusal, untilMs: this.#nowMs() + (refusal.retry ? PASSING_MS : FINAL_MS) });
    if (this.#byKey.size > REMEMBERED_MAX) this.#byKey.delete(this.#byKey.keys().next().value ?? key);
  }
}
