import type { Clock } from "../contract/host.ts";
import { notNow, type Refusal, STOPPED } from "./refusal.ts";

export interface FlightLimits {
  /** Work under way at once, of which for one group, and what may wait for that. */
  readonly runningMax: number;
  readonly groupMax: number;
  readonly waitingMax: number;
  /** Of one piece of work: in all, and without any progress. */
  readonly totalMs: number;
  readonly stallMs: number;
}

export const FLIGHT_LIMITS: FlightLimits = {
  runningMax: 12,
  groupMax: 4,
  waitingMax: 256,
  totalMs: 5 * 60_000,
  stallMs: 20_000,
};

/** What work is told, and what it tells. */
export interface Watch {
  /** Aborted when nobody waits any more, when it takes too long, and when it has ended. */
  readonly signal: AbortSignal;
  /** To be called whenever there is progress. */
  moved(): void;
}

interface Waiting {
  readonly group: string;
  readonly turn: () => void;
}

interface Flight<T> {
  readonly result: Promise<T | Refusal>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Runs work under a key, once for all who ask at the same time: the first ask begins it, the last one that goes away ends it. A few run at
 * once, few of one group, others wait in line, and what takes too long is ended.
 */
export class Flights<T extends object> {
  readonly #clock: Clock;
  readonly #limits: FlightLimits;
  readonly #flights = new Map<string, Flight<T>>();
  readonly #line: Waiting[] = [];
  /** What is under way, by group. */
  readonly #running = new Map<string, number>();
  #closed = false;

  constructor(clock: Clock, limits: FlightLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** `group`: whom the work depends on; one that is slow must not keep the others waiting. Never rejects if the work does not. */
  async ask(
    { key, group }: { readonly key: string; readonly group: string },
    signal: AbortSignal,
    work: (watch: Watch) => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    if (signal.aborted || this.#closed) return STOPPED;
    let flight = this.#flights.get(key);
    if (flight === undefined) {
      if (this.#isCrowded(group)) return notNow("rate_limited", "too many files wait to be fetched");
      flight = this.#begin(key, group, work);
    }
    return await this.#wait(flight, signal);
  }

  /** Ends all work and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const flights = [...this.#flights.values()];
    for (const { controller } of flights) controller.abort();
    await Promise.all(flights.map(async ({ result }) => await result));
  }

  async #wait(flight: Flight<T>, signal: AbortSignal): Promise<T | Refusal> {
    flight.waiters += 1;
    const { promise, resolve } = Promise.withResolvers<Refusal>();
    const leave = (): void => resolve(STOPPED);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([flight.result, promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      flight.waiters -= 1;
      if (flight.waiters === 0) flight.controller.abort();
    }
  }

  #begin(key: string, group: string, work: (watch: Watch) => Promise<T | Refusal>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { result: this.#fly(controller, group, work), controller, waiters: 0 };
    this.#flights.set(key, flight);
    const forget = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    // Who comes after the last one went must not be handed what is being ended.
    controller.signal.addEventListener("abort", forget, { once: true });
    return flight;
  }

  async #fly(
    controller: AbortController,
    group: string,
    work: (watch: Watch) => Promise<T | Refusal>,
  ): Promise<T | Refusal> {
    const { signal } = controller;
    if (!(await this.#slot(group, signal))) return STOPPED;
    const timer = this.#time(controller);
    try {
      const result = await work({ signal, moved: timer.moved });
      return timer.late() ?? result;
    } finally {
      timer.cancel();
      controller.abort();
      this.#free(group);
    }
  }

  /** A quarter of the line is all that one group may take. */
  #isCrowded(group: string): boolean {
    const { waitingMax } = this.#limits;
    const same = this.#line.filter((waiting) => waiting.group === group).length;
    return this.#line.length >= waitingMax || same >= Math.ceil(waitingMax / 4);
  }

  #hasRoom(group: string): boolean {
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    return all < this.#limits.runningMax && (this.#running.get(group) ?? 0) < this.#limits.groupMax;
  }

  #take(group: string): void {
    this.#running.set(group, (this.#running.get(group) ?? 0) + 1);
  }

  #free(group: string): void {
    const left = (this.#running.get(group) ?? 1) - 1;
    if (left > 0) this.#running.set(group, left);
    else this.#running.delete(group);
    const next = this.#line.findIndex((waiting) => this.#hasRoom(waiting.group));
    if (next !== -1) for (const { turn } of this.#line.splice(next, 1)) turn();
  }

  /** False when it was ended before its turn came. */
  async #slot(group: string, signal: AbortSignal): Promise<boolean> {
    if (this.#hasRoom(group)) {
      this.#take(group);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const turn = (): void => {
      this.#take(group);
      resolve(true);
    };
    const waiting: Waiting = { group, turn };
    const leave = (): void => {
      const place = this.#line.indexOf(waiting);
      if (place === -1) return;
      this.#line.splice(place, 1);
      resolve(false);
    };
    this.#line.push(waiting);
    signal.addEventListener("abort", leave, { once: true });
    const mine = await promise;
    signal.removeEventListener("abort", leave);
    return mine;
  }

  #time(controller: AbortController) {
    const { totalMs, stallMs } = this.#limits;
    const beganMs = this.#clock.monoMs();
    let movedMs = beganMs;
    let late: Refusal | null = null;
    const look = (): void => {
      const nowMs = this.#clock.monoMs();
      const left = Math.min(movedMs + stallMs, beganMs + totalMs) - nowMs;
      if (left > 0) return void (cancel = this.#clock.after(left, look));
      const what = nowMs >= beganMs + totalMs ? `did not end within ${totalMs / 1000} s` : "came to a standstill";
      late = notNow("timeout", `the transfer ${what}`);
      controller.abort();
    };
    let cancel = this.#clock.after(Math.min(stallMs, totalMs), look);
    return {
      moved: () => void (movedMs = this.#clock.monoMs()),
      late: () => late,
      cancel: () => cancel(),
    };
  }
}
