import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import type { Cursor } from "../../contract/ids.ts";

/** Where to continue behind the events that were handed over. */
interface IntakeCursor {
  /** It is another than when it was taken last. */
  readonly moved: boolean;
  /** Null when it has not moved. */
  take(): Cursor | null;
}

interface IntakeOptions {
  readonly host: Pick<Host, "accept" | "clock">;
  /** Null: this network has no history. */
  readonly cursor: IntakeCursor | null;
  /** How long a cursor that moved without an event may wait for one. */
  readonly lateMs: number;
  /** So many events may wait to be on disk before reading is to pause; it goes on at half of that. */
  readonly waitingMax: number;
  /** Whether reading is to pause. */
  readonly onFull: (full: boolean) => void;
}

/** Hands events over in their order, with the cursor behind them. */
export class EventIntake {
  readonly #options: IntakeOptions;
  #gathered: Event[] = [];
  #waiting = 0;
  #full = false;
  #stopped = false;
  #cancel: (() => void) | null = null;
  #onLow: (() => void)[] = [];

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** They wait for `flush`, so that what came in one piece is handed over as one. */
  add(events: readonly Event[]): void {
    for (const event of events) this.#gathered.push(event);
  }

  /** What was added goes to the core, with the cursor; a cursor alone follows when its time has come. */
  flush(): void {
    const { cursor, lateMs, host } = this.#options;
    if (this.#stopped) this.#gathered = [];
    else if (this.#gathered.length > 0 || (lateMs === 0 && cursor?.moved === true)) void this.#hand();
    else if (cursor?.moved === true) this.#cancel ??= host.clock.after(lateMs, () => void this.#hand());
  }

  hand(events: readonly Event[]): void {
    this.add(events);
    this.flush();
  }

  /** Resolves when no more wait than reading may continue with. */
  async low(): Promise<void> {
    if (this.#full) await new Promise<void>((resolve) => this.#onLow.push(resolve));
  }

  /** What there is goes to the core, and once that is on disk nothing any more. */
  async stop(): Promise<void> {
    if (!this.#stopped && this.#hasMore) await this.#hand();
    this.end();
  }

  /** Nothing is handed over any more. */
  end(): void {
    this.#stopped = true;
    this.#gathered = [];
    this.#cancel?.();
    this.#cancel = null;
    this.#release();
  }

  get #hasMore(): boolean {
    return this.#gathered.length > 0 || this.#options.cursor?.moved === true;
  }

  async #hand(): Promise<void> {
    const { host, cursor } = this.#options;
    const events = this.#gathered;
    this.#gathered = [];
    this.#cancel?.();
    this.#cancel = null;
    // A cursor alone waits for the disk as well.
    const count = Math.max(events.length, 1);
    this.#count(count);
    await host.accept({ events, cursor: cursor?.take() ?? null });
    this.#count(-count);
  }

  #count(change: number): void {
    const { waitingMax, onFull } = this.#options;
    this.#waiting += change;
    const full = this.#waiting > (this.#full ? waitingMax / 2 : waitingMax);
    if (full === this.#full) return;
    this.#full = full;
    if (!full) this.#release();
    onFull(full);
  }

  #release(): void {
    for (const resume of this.#onLow.splice(0)) resume();
  }
}
