import type { Clock } from "../contract/host.ts";
import { onAbort } from "../lib/abort.ts";
import { notNow, type FileRefusal, STOPPED } from "./refusal.ts";

export interface SingleFlightLimits {
  /** Work under way at once, of which for one group, and what may wait for that. */
  readonly runningMax: number;
  readonly groupMax: number;
  readonly waitingMax: number;
  /** Of one piece of work: in all, and without any progress. */
  readonly totalMs: number;
  readonly stallMs: number;
  /** How long it continues, counted from the first ask, when those who waited have lost patience. */
  readonly aloneMs: number;
}

export const FLIGHT_LIMITS: SingleFlightLimits = {
  runningMax: 12,
  groupMax: 4,
  waitingMax: 256,
  totalMs: 5 * 60_000,
  stallMs: 20_000,
  aloneMs: 60_000,
};

/** What work is told, and what it tells. */
export interface Watch {
  /** Aborted when nobody waits any more, when it takes too long, and when it has ended. */
  readonly signal: AbortSignal;
  /** To be called whenever there is progress. */
  moved(): void;
}

/** What is asked for. */
export interface FlightRequest<T> {
  readonly key: string;
  /** Whom the work depends on; one that is slow must not keep the others waiting. */
  readonly group: string;
  /** How long anybody waits for it, counted from the first ask, so that who comes later does not wait as long again. */
  readonly patienceMs: number;
  /** Told when that time is over without any progress. */
  readonly silent: () => void;
  /** Told how the work ended. `moved`: there was progress. */
  readonly ended: (result: T | FileRefusal, moved: boolean) => void;
}

interface Waiting {
  readonly group: string;
  readonly turn: () => void;
}

interface Flight<T> {
  readonly controller: AbortController;
  readonly result: PromiseWithResolvers<T | FileRefusal>;
  readonly askedMs: number;
  waiters: number;
  begun: boolean;
  /** Somebody's patience was over: it continues without anybody. */
  lingers: boolean;
  movedMs: number | null;
}

/**
 * Runs work under a key, once for all who ask at the same time: the first ask begins it, the last one that goes away
 * ends it. A few run at once, few of one group, others wait in line, and what takes too long is ended. Whose patience
 * is over leaves it running for a while: its result, or its failure, is of use to the next who asks.
 */
export class SingleFlight<T extends object> {
  readonly #clock: Clock;
  readonly #limits: SingleFlightLimits;
  readonly #singleFlight = new Map<string, Flight<T>>();
  readonly #line: Waiting[] = [];
  /** What is under way, by group. */
  readonly #running = new Map<string, number>();
  #closed = false;

  constructor(clock: Clock, limits: SingleFlightLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Never rejects if the work does not. */
  async ask(
    asked: FlightRequest<T>,
    signal: AbortSignal,
    work: (watch: Watch) => Promise<T | FileRefusal>,
  ): Promise<T | FileRefusal> {
    if (signal.aborted || this.#closed) return STOPPED;
    let flight = this.#singleFlight.get(asked.key);
    if (flight === undefined) {
      if (this.#isCrowded(asked.group)) return notNow("rate_limited", "too many files are waiting to be fetched");
      flight = this.#begin(asked, work);
    }
    return await this.#wait(flight, asked, signal);
  }

  /** Ends all work and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    const singleFlight = [...this.#singleFlight.values()];
    for (const { controller } of singleFlight) controller.abort();
    await Promise.all(singleFlight.map(async ({ result }) => await result.promise));
  }

  async #wait(
    flight: Flight<T>,
    { patienceMs, silent }: FlightRequest<T>,
    signal: AbortSignal,
  ): Promise<T | FileRefusal> {
    const leftMs = flight.askedMs + patienceMs - this.#clock.monoMs();
    if (leftMs <= 0) return late(patienceMs);
    flight.waiters += 1;
    const { promise, resolve } = Promise.withResolvers<FileRefusal>();
    const release = onAbort(signal, () => resolve(STOPPED));
    const lose = (): void => {
      flight.lingers = flight.begun;
      if (flight.begun && flight.movedMs === null) silent();
      resolve(late(patienceMs));
    };
    const cancel = leftMs === Infinity ? () => undefined : this.#clock.after(leftMs, lose);
    try {
      return await Promise.race([flight.result.promise, promise]);
    } finally {
      cancel();
      release();
      flight.waiters -= 1;
      if (flight.waiters === 0 && !flight.lingers) flight.controller.abort();
    }
  }

  #begin({ key, group, ended }: FlightRequest<T>, work: (watch: Watch) => Promise<T | FileRefusal>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = {
      controller,
      result: Promise.withResolvers<T | FileRefusal>(),
      askedMs: this.#clock.monoMs(),
      waiters: 0,
      begun: false,
      lingers: false,
      movedMs: null,
    };
    this.#singleFlight.set(key, flight);
    // Who comes after the last one went must not be handed what is being ended.
    onAbort(controller.signal, () => {
      if (this.#singleFlight.get(key) === flight) this.#singleFlight.delete(key);
    });
    const flown = this.#fly(flight, group, work).then((result) => {
      ended(result, flight.movedMs !== null);
      return result;
    });
    flight.result.resolve(flown);
    return flight;
  }

  async #fly(
    flight: Flight<T>,
    group: string,
    work: (watch: Watch) => Promise<T | FileRefusal>,
  ): Promise<T | FileRefusal> {
    const { controller } = flight;
    const { signal } = controller;
    if (!(await this.#slot(group, signal))) return STOPPED;
    flight.begun = true;
    const timer = this.#time(flight);
    try {
      const result = await work({ signal, moved: () => void (flight.movedMs = this.#clock.monoMs()) });
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
    this.#line.push(waiting);
    const release = onAbort(signal, () => {
      const place = this.#line.indexOf(waiting);
      if (place === -1) return;
      this.#line.splice(place, 1);
      resolve(false);
    });
    const mine = await promise;
    release();
    return mine;
  }

  #time(flight: Flight<T>) {
    const { totalMs, stallMs, aloneMs } = this.#limits;
    const beganMs = this.#clock.monoMs();
    let refusal: FileRefusal | null = null;
    const look = (): void => {
      const nowMs = this.#clock.monoMs();
      const endsMs = Math.min(beganMs + totalMs, flight.waiters > 0 ? Infinity : flight.askedMs + aloneMs);
      const left = Math.min((flight.movedMs ?? beganMs) + stallMs, endsMs) - nowMs;
      if (left > 0) return void (cancel = this.#clock.after(Math.min(left, stallMs), look));
      const what = nowMs >= endsMs ? `did not finish within ${(nowMs - beganMs) / 1000} s` : "stalled";
      refusal = notNow("timeout", `the transfer ${what}`);
      flight.controller.abort();
    };
    let cancel = this.#clock.after(Math.min(stallMs, totalMs), look);
    return { late: () => refusal, cancel: () => cancel() };
  }
}

function late(ms: number): FileRefusal {
  return notNow("timeout", `it did not arrive within ${ms / 1000} s`);
}
