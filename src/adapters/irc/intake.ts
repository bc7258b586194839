import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import type { Cursor } from "../../contract/ids.ts";

/** So many events may wait to be on disk before we stop reading, and so few before we continue. */
const WAITING_MAX = 1000;
const WAITING_LOW = 500;

/** Hands events over in their order, one batch per piece that the socket gave. */
export class IrcIntake {
  readonly #host: Pick<Host, "accept">;
  readonly #onFull: (full: boolean) => void;
  #gathered: Event[] = [];
  #waiting = 0;
  #full = false;
  #stopped = false;

  /** `onFull`: whether reading is to pause. */
  constructor(host: Pick<Host, "accept">, onFull: (full: boolean) => void) {
    this.#host = host;
    this.#onFull = onFull;
  }

  add(events: readonly Event[]): void {
    this.#gathered.push(...events);
  }

  /** What was added goes to the core, with where to continue once it is there; null: nothing changes about that. */
  flush(cursor: Cursor | null): void {
    const events = this.#gathered;
    if (events.length === 0 && cursor === null) return;
    this.#gathered = [];
    if (!this.#stopped) void this.#hand(events, cursor);
  }

  /** Nothing is handed over any more. */
  stop(): void {
    this.#stopped = true;
  }

  async #hand(events: readonly Event[], cursor: Cursor | null): Promise<void> {
    this.#count(events.length);
    try {
      await this.#host.accept({ events, cursor });
    } finally {
      this.#count(-events.length);
    }
  }

  #count(change: number): void {
    this.#waiting += change;
    const full = this.#full ? this.#waiting > WAITING_LOW : this.#waiting > WAITING_MAX;
    if (full === this.#full) return;
    this.#full = full;
    this.#onFull(full);
  }
}
