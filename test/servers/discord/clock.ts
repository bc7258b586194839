/** Snowflakes count from here. */
const EPOCH = 1_420_070_400_000;

/** The server's time, which tests can move on, and the ids that it makes of it. */
export class Clock {
  #ahead = 0;
  #last = 0n;

  now(): number {
    return Date.now() + this.#ahead;
  }

  iso(): string {
    return isoOf(this.now());
  }

  pass(ms: number): void {
    this.#ahead += ms;
  }

  /** Each is greater than all before it. */
  id(): string {
    const made = firstIdAt(this.now());
    this.#last = made > this.#last ? made : this.#last + 1n;
    return String(this.#last);
  }
}

const firstIdAt = (time: number): bigint => BigInt(time - EPOCH) << 22n;

export const timeOf = (id: string): number => Number(BigInt(id) >> 22n) + EPOCH;

/** As the network writes times: with microseconds and an offset. */
const isoOf = (time: number): string => new Date(time).toISOString().replace("Z", "000+00:00");

/** Older first. */
export const byId = (one: { id: string }, other: { id: string }): number =>
  BigInt(one.id) < BigInt(other.id) ? -1 : 1;
