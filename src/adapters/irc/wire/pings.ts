import type { Clock } from "../../../contract/host.ts";

const TOKEN = /^rialto-(?<number>\d{1,15})$/;

/** Our own PINGs: a server answers in order, so the answer to one proves that it has read all that went before. */
export class Pings {
  readonly #clock: Clock;
  readonly #open: { readonly number: number; readonly atMs: number }[] = [];
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of a PING that leaves now, and the token it carries. */
  next(): { readonly number: number; readonly token: string } {
    this.#last += 1;
    this.#open.push({ number: this.#last, atMs: this.#clock.monoMs() });
    return { number: this.#last, token: `rialto-${this.#last}` };
  }

  /**
   * A PONG came: the number of the PING that it answers; null when it answers none. Some servers send a token of their
   * own back.
   */
  answered(token: string): number | null {
    const written = TOKEN.exec(token)?.groups?.["number"];
    const number = written === undefined ? this.#open[0]?.number : Number(written);
    if (number === undefined || !this.#open.some((ping) => ping.number === number)) return null;
    while (this.#open[0] !== undefined && this.#open[0].number <= number) this.#open.shift();
    return number;
  }

  /** How long the oldest one has waited for its answer, in milliseconds; null: none waits. */
  waitingMs(): number | null {
    const oldest = this.#open[0];
    return oldest === undefined ? null : this.#clock.monoMs() - oldest.atMs;
  }

  /** Time in which no answer could be read does not count. */
  excuse(): void {
    const now = this.#clock.monoMs();
    this.#open.splice(0, this.#open.length, ...this.#open.map(({ number }) => ({ number, atMs: now })));
  }
}
