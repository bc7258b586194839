import type { Clock } from "../../src/contract/host.ts";

/**
 * What the simulated machine gives to code that does not ask a `Clock`: Node's event loop, its stopwatch, the free
 * space of the disk.
 */
export interface Machine {
  soon(task: () => void): void;
  after(ms: number, task: () => void): () => void;
  /** Monotonic ms. */
  readonly monotonicMs: number;
}

interface Timer {
  readonly atMs: number;
  readonly nth: number;
  readonly task: () => void;
  cancelled: boolean;
}

/** Of one simulation; most take a few thousand. */
const TURNS_MAX = 300_000;

/** A clock that was set back or forward still counts its timers right: they are on another one. */
const START_MS = Date.UTC(2026, 0, 1);

/**
 * Time and turns of the event loop, in our hand. Nothing runs by itself: `flush` runs what can run without time
 * passing, and knows when that is all of it; `run` lets time pass from one timer to the next.
 */
export class Loop implements Machine {
  #monotonicMs = 0;
  #shiftMs = 0;
  #nth = 0;
  readonly #heap: Timer[] = [];
  #soon: (() => void)[] = [];
  /** Timers and turns that were run. */
  turns = 0;

  get monotonicMs(): number {
    return this.#monotonicMs;
  }

  nowMs(): number {
    return START_MS + this.#monotonicMs + this.#shiftMs;
  }

  /** The clock is set; timers do not notice. */
  jump(ms: number): void {
    this.#shiftMs += ms;
  }

  soon(task: () => void): void {
    this.#soon.push(task);
  }

  after(ms: number, task: () => void): () => void {
    // Not a number and Infinity would never come: a timer of the system holds 24 days at most.
    const wait = Number.isFinite(ms) ? Math.min(Math.max(0, ms), 2 ** 31 - 1) : 2 ** 31 - 1;
    const timer: Timer = { atMs: this.#monotonicMs + wait, nth: this.#nth++, task, cancelled: false };
    push(this.#heap, timer);
    return () => {
      timer.cancelled = true;
    };
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#heap.filter(({ cancelled }) => !cancelled).length;
  }

  async flush(): Promise<void> {
    for (;;) {
      await microtasks();
      const task = this.#soon.shift();
      if (task === undefined) return;
      this.#count();
      task();
    }
  }

  /** Lets time pass; ends early when `until` says so. */
  async run(ms: number, until: () => boolean = () => false): Promise<void> {
    const endMs = this.#monotonicMs + ms;
    await this.flush();
    while (!until()) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > endMs) break;
      pop(this.#heap);
      if (next.cancelled) continue;
      this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs);
      this.#count();
      next.task();
      await this.flush();
    }
    if (!until()) this.#monotonicMs = endMs;
  }

  #count(): void {
    this.turns += 1;
    if (this.turns > TURNS_MAX) throw new Error(`the simulation does not come to rest within ${TURNS_MAX} turns`);
  }

  /** The clock of one life of the program; its timers are gone with it. */
  clockOf(life: { readonly dead: boolean }): Clock {
    return {
      nowMs: () => this.nowMs(),
      monoMs: () => this.#monotonicMs,
      after: (ms, task) => {
        if (life.dead) return () => undefined;
        return this.after(ms, () => {
          if (!life.dead) task();
        });
      },
    };
  }
}

/** Resolves when every promise that can go on has gone on: ticks come after all microtasks. */
async function microtasks(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

const before = (one: Timer, other: Timer): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.nth < other.nth);

function push(heap: Timer[], timer: Timer): void {
  let at = heap.push(timer) - 1;
  while (at > 0) {
    const up = (at - 1) >>> 1;
    const parent = heap[up];
    if (parent === undefined || !before(timer, parent)) break;
    heap[at] = parent;
    at = up;
  }
  heap[at] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    let down = 2 * at + 1;
    const right = heap[down + 1];
    if (right !== undefined && before(right, heap[down] ?? right)) down += 1;
    const child = heap[down];
    if (child === undefined || !before(child, last)) break;
    heap[at] = child;
    at = down;
  }
  heap[at] = last;
}
