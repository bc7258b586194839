import type { Event } from "../../contract/events.ts";
import type { Host } from "../../contract/host.ts";
import type { ArchivePositions } from "./positions.ts";

/** So many events may wait to be on disk before we stop reading, and so few before we continue. */
const WAITING_MAX = 600;
const WAITING_LOW = 300;
/** A position that moved without an event may wait this long. */
const POSITION_DELAY_MS = 2_000;

/** Hands events over in their order, with the position in each room's archive after them. */
export class XmppIntake {
  readonly #host: Pick<Host, "accept" | "clock">;
  readonly #positions: ArchivePositions;
  readonly #onFull: (full: boolean) => void;
  #waiting = 0;
  #full = false;
  #stopped = false;
  #cancel: (() => void) | null = null;
  #onLow: (() => void)[] = [];

  /** `onFull`: whether reading is to pause. */
  constructor(host: Pick<Host, "accept" | "clock">, positions: ArchivePositions, onFull: (full: boolean) => void) {
    this.#host = host;
    this.#positions = positions;
    this.#onFull = onFull;
  }

  add(events: readonly Event[]): void {
    if (this.#stopped) return;
    if (events.length > 0) void this.#hand(events);
    else if (this.#positions.moved)
      this.#cancel ??= this.#host.clock.after(POSITION_DELAY_MS, () => void this.#hand([]));
  }

  /** Resolves when no more wait than reading may continue with. */
  async low(): Promise<void> {
    if (this.#full) await new Promise<void>((resolve) => this.#onLow.push(resolve));
  }

  /** The positions are handed over, and then nothing any more. */
  async stop(): Promise<void> {
    if (!this.#stopped && this.#positions.moved) await this.#hand([]);
    this.end();
  }

  end(): void {
    this.#stopped = true;
    this.#cancel?.();
    this.#cancel = null;
    for (const resume of this.#onLow.splice(0)) resume();
  }

  async #hand(events: readonly Event[]): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    this.#count(events.length);
    try {
      await this.#host.accept({ events, cursor: this.#positions.take() });
    } finally {
      this.#count(-events.length);
    }
  }

  #count(change: number): void {
    this.#waiting += change;
    const full = this.#full ? this.#waiting > WAITING_LOW : this.#waiting > WAITING_MAX;
    if (full === this.#full) return;
    this.#full = full;
    if (!full) for (const resume of this.#onLow.splice(0)) resume();
    this.#onFull(full);
  }
}
