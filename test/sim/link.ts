import type { Chance } from "./chance.ts";
import type { Life } from "./life.ts";
import type { Loop } from "./loop.ts";

/** How a request came out for the one who asked: answered, or the connection is gone. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

interface Request {
  readonly arrive: () => void;
  readonly fail: () => void;
}

/**
 * One connection: two directions, each in order. When it breaks, a part of what was on its way up still arrives, and
 * nothing of what came down.
 */
export class Link {
  alive = true;
  /** The server takes nothing more from it, and says nothing: the connection seems to stand. */
  silent = false;
  readonly #loop: Loop;
  readonly #life: Life;
  readonly #chance: Chance;
  readonly #latencyMs: number;
  readonly #up: Request[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #onCut: (() => void)[] = [];
  #upMs = 0;
  #downMs = 0;

  constructor(loop: Loop, life: Life, chance: Chance, latencyMs: number) {
    this.#loop = loop;
    this.#life = life;
    this.#chance = chance;
    this.#latencyMs = latencyMs;
    life.onDeath(() => this.cut());
  }

  /** What has to be done when it breaks. */
  onCut(task: () => void): void {
    this.#onCut.push(task);
  }

  /** Asks the server; `lateMs`: how much longer the answer takes; null answer: there never is one. */
  async ask<T>(
    work: () => T,
    options: { readonly lateMs?: number; readonly swallow?: boolean } = {},
  ): Promise<Answer<T>> {
    if (!this.alive || this.#life.cross()) return { ok: false };
    const { promise, resolve } = Promise.withResolvers<Answer<T>>();
    const fail = (): void => resolve({ ok: false });
    this.#waiting.add(fail);
    const request: Request = {
      fail,
      arrive: () => {
        const value = work();
        if (options.swallow === true) return;
        this.tell(() => {
          this.#waiting.delete(fail);
          resolve({ ok: true, value });
        }, options.lateMs);
      },
    };
    this.#up.push(request);
    this.#upMs = Math.max(this.#upMs, this.#loop.monotonicMs) + this.#delay();
    this.#loop.after(this.#upMs - this.#loop.monotonicMs, () => this.#arrive(request));
    return await promise;
  }

  /** From the server to us. */
  tell(task: () => void, lateMs = 0): void {
    this.#downMs = Math.max(this.#downMs, this.#loop.monotonicMs) + this.#delay() + lateMs;
    this.#loop.after(this.#downMs - this.#loop.monotonicMs, () => {
      if (this.alive && !this.silent && !this.#life.cross()) task();
    });
  }

  /** Breaks. `arrives`: how many of the requests on their way the server still gets; absent: as chance will have it. */
  cut(arrives = this.#chance.below(this.#up.length + 1)): void {
    if (!this.alive) return;
    this.alive = false;
    const underWay = this.#up.splice(0);
    if (!this.silent) for (const request of underWay.slice(0, arrives)) request.arrive();
    for (const fail of this.#waiting) fail();
    this.#waiting.clear();
    for (const task of this.#onCut.splice(0)) task();
  }

  #arrive(request: Request): void {
    if (!this.alive || this.silent || this.#up[0] !== request) return;
    this.#up.shift();
    request.arrive();
  }

  #delay(): number {
    return this.#latencyMs === 0 ? 0 : this.#chance.below(this.#latencyMs + 1);
  }
}
