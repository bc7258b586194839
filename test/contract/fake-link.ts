import type { Clock } from "../../src/contract/host.ts";

/** How a question to the server ended: answered, or the link broke first. */
export type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/**
 * The road between a session and the fake server, in order both ways. `cut` loses what is on the road; `stall` makes
 * the server stop reading and writing, as SIGSTOP does: what waits then is done when it goes on, even if the session
 * has left by that time.
 */
export class FakeLink {
  /** The session learns of it at once, the server when it goes on. */
  readonly cutOff: Promise<void>;
  readonly gone: Promise<void>;
  #up = true;
  #stalled = false;
  #paused = false;
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #cutOff = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  readonly #waiting = new Set<() => void>();
  /** At the server's door while it is stalled, and at the session's while it does not read. */
  readonly #toServer: (() => void)[] = [];
  readonly #toSession: (() => void)[] = [];

  constructor(clock: Clock, latencyMs: number) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
    this.cutOff = this.#cutOff.promise;
    this.gone = this.#gone.promise;
  }

  get up(): boolean {
    return this.#up;
  }

  /** The server does something and answers; what it tells before the answer arrives before it. */
  async ask<T>(action: () => T): Promise<Answered<T>> {
    if (!this.#up) return { ok: false };
    const answer = Promise.withResolvers<Answered<T>>();
    const lost = (): void => answer.resolve({ ok: false });
    this.#waiting.add(lost);
    this.#travel(() => {
      this.#toServer.push(() => {
        const value = action();
        this.tell(() => answer.resolve({ ok: true, value }));
      });
      this.#serve();
    });
    try {
      return await answer.promise;
    } finally {
      this.#waiting.delete(lost);
    }
  }

  /** The server tells something of its own accord. */
  tell(read: () => void): void {
    this.#travel(() => {
      this.#toSession.push(read);
      this.#read();
    });
  }

  /** Whether the session reads; while it does not, what comes waits. */
  reading(on: boolean): void {
    this.#paused = !on;
    this.#read();
  }

  stall(): void {
    this.#stalled = true;
  }

  unstall(): void {
    this.#stalled = false;
    this.#serve();
    if (this.#up) this.#read();
    else this.#gone.resolve();
  }

  cut(): void {
    if (!this.#up) return;
    this.#up = false;
    this.#toSession.length = 0;
    for (const lost of this.#waiting) lost();
    this.#cutOff.resolve();
    if (!this.#stalled) this.#gone.resolve();
  }

  #travel(arrive: () => void): void {
    const arriveIfUp = (): void => {
      if (this.#up || this.#stalled) arrive();
    };
    if (this.#latencyMs > 0) this.#clock.after(this.#latencyMs, arriveIfUp);
    else queueMicrotask(arriveIfUp);
  }

  #serve(): void {
    while (!this.#stalled) {
      const next = this.#toServer.shift();
      if (next === undefined) return;
      next();
    }
  }

  #read(): void {
    while (!this.#stalled && !this.#paused && this.#up) {
      const next = this.#toSession.shift();
      if (next === undefined) return;
      next();
    }
  }
}
