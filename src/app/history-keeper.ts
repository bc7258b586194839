import { StateHistory, HISTORY_STEM, type HistoryPlaces, LOOK_MS } from "../admin/history.ts";
import type { HistoryView } from "../admin/views.ts";
import { LogError } from "../log/errors.ts";
import type { Log, Mark } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { describe } from "../lib/describe.ts";

export interface HistoryKeeperOptions {
  readonly log: Pick<Log, "marks" | "mark" | "unmark">;
  readonly places: () => Promise<HistoryPlaces>;
  /** Whether an account is to be forgotten that has gone. */
  readonly isGone: (key: string) => boolean;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

/** Looks at how everything is while the program runs, and keeps it on the disk. Nothing of it is worth a failure. */
export class HistoryKeeper {
  readonly #options: HistoryKeeperOptions;
  readonly #timer: NodeJS.Timeout;
  #history: Promise<StateHistory> | null = null;
  #isLooking = false;

  constructor(options: HistoryKeeperOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS).unref();
  }

  /** Rejects with a LogError. */
  async view(): Promise<HistoryView> {
    const [history, places] = await Promise.all([this.#open(), this.#options.places()]);
    const nowMs = this.#options.nowMs();
    await this.#put(history.look(places, nowMs), true);
    return history.view(places, nowMs);
  }

  /** Keeps what is known by now. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    const history = this.#history;
    if (history !== null) await this.#unlessLogFails(async () => await this.#put((await history).marks, false));
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    await this.#unlessLogFails(async () => {
      const [history, places] = await Promise.all([this.#open(), this.#options.places()]);
      await this.#put(history.look(places, this.#options.nowMs()), true);
    });
    this.#isLooking = false;
  }

  async #unlessLogFails(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (error instanceof LogError && error.code === "closed") return;
      this.#options.logger.warn({ error: describe(error) }, "how accounts were cannot be kept: the history has a gap");
    }
  }

  async #put(marks: readonly Mark[], rides: boolean): Promise<void> {
    if (marks.length > 0) await this.#options.log.mark(marks, { rides });
  }

  #open(): Promise<StateHistory> {
    this.#history ??= this.#read().catch((error: unknown) => {
      this.#history = null;
      throw error;
    });
    return this.#history;
  }

  async #read(): Promise<StateHistory> {
    const { log, isGone } = this.#options;
    const marks = await log.marks(HISTORY_STEM);
    const gone = [...marks.keys()].filter((name) => isGone(name.slice(HISTORY_STEM.length)));
    if (gone.length > 0) await log.unmark(gone);
    return new StateHistory(new Map([...marks].filter(([name]) => !gone.includes(name))));
  }
}
