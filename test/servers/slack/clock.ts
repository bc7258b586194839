import { randomInt } from "node:crypto";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** The server's time, which tests can move on, and the ids that it makes. */
export class Clock {
  #ahead = 0;
  #last = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#ahead;
  }

  seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  pass(ms: number): void {
    this.#ahead += ms;
  }

  /** As `1700000000.000100`; each is greater than all before it, in all channels. */
  ts(): string {
    const made = this.now() * 1000;
    this.#last = made > this.#last ? made : this.#last + 1;
    return `${Math.floor(this.#last / 1_000_000)}.${String(this.#last % 1_000_000).padStart(6, "0")}`;
  }
}

/** As `C0123ABCD`. */
export function newId(kind: string): string {
  return `${kind}0${Array.from({ length: 9 }, () => DIGITS[randomInt(DIGITS.length)]).join("")}`;
}

/** A part of tokens and addresses. */
export function newSecret(length = 24): string {
  const letters = `${DIGITS}${DIGITS.slice(0, 26).toLowerCase()}`;
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join("");
}

/** In microseconds, so that two can be compared; null for what is none. */
export function micros(ts: string): bigint | null {
  const [, seconds, rest = ""] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(ts) ?? [];
  return seconds === undefined ? null : BigInt(seconds) * 1_000_000n + BigInt(rest.padEnd(6, "0"));
}

/** Older first. */
export const byTs = (one: { ts: string }, other: { ts: string }): number =>
  (micros(one.ts) ?? 0n) < (micros(other.ts) ?? 0n) ? -1 : 1;
