import type { Clock } from "../../../contract/host.ts";
import type { Reason } from "../../../contract/outcome.ts";
import type { ConnectionContext } from "../link.ts";

const CHECK_MS = 5000;
const DOUBT_MS = 20_000;
const DEAD_MS = 90_000;

interface LivenessOptions {
  readonly link: ConnectionContext;
  readonly clock: Clock;
  /** Silence after which the server is asked. */
  readonly pingDelayMs: number;
  readonly onDoubt: (why: Reason | null) => void;
  readonly onDead: (why: Reason) => void;
  /** Called every few seconds while no PING waits for its answer; may send one. */
  readonly onIdle: () => void;
}

/**
 * Whether the server lives: after a silence it gets a PING. One that is not answered for 20 s (also one that the writer
 * sent) puts the connection in doubt, one not answered for 90 s ends it: a server that stands still for a minute costs
 * nothing.
 */
export class IrcLiveness {
  readonly #options: LivenessOptions;
  #seenAtMs: number;
  #doubted = false;
  #reading = true;
  #cancel: () => void = () => {};

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#seenAtMs = options.clock.monoMs();
  }

  start(): void {
    this.#next();
  }

  /** The server has sent something. */
  seen(): void {
    this.#seenAtMs = this.#options.clock.monoMs();
    if (this.#doubted && !this.#late(DOUBT_MS)) this.#doubt(null);
  }

  /** While we do not read, silence means nothing. */
  reading(reading: boolean): void {
    this.#reading = reading;
    if (!reading) return;
    this.#seenAtMs = this.#options.clock.monoMs();
    this.#options.link.pings.excuse();
  }

  stop(): void {
    this.#cancel();
  }

  #next(): void {
    this.#cancel = this.#options.clock.after(CHECK_MS, () => {
      this.#next();
      if (this.#reading) this.#check();
    });
  }

  #check(): void {
    const { link, clock, pingDelayMs, onDead, onIdle } = this.#options;
    if (this.#late(DEAD_MS)) {
      onDead({ code: "timeout", message: "the server has not answered a PING for 90 s" });
    } else if (this.#late(DOUBT_MS)) {
      if (!this.#doubted) this.#doubt({ code: "timeout", message: "the server has not answered a PING for 20 s" });
    } else if (link.pings.waitingMs() === null) {
      onIdle();
      const silent = clock.monoMs() - this.#seenAtMs >= pingDelayMs;
      if (silent && link.pings.waitingMs() === null) link.ping();
    }
  }

  #late(ms: number): boolean {
    return (this.#options.link.pings.waitingMs() ?? 0) >= ms;
  }

  #doubt(why: Reason | null): void {
    this.#doubted = why !== null;
    this.#options.onDoubt(why);
  }
}
