import type { Clock } from "../contract/host.ts";
import { LogError } from "../log/errors.ts";
import type { Log, Seq } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { marksOf, readCheckpoint } from "./lane/checkpoint.ts";
import type { LaneSpec } from "./lane-specs.ts";

/** How often it is looked where the lanes of other machines stand, in ms. */
const LOOK_MS = 60_000;

/**
 * What lanes that run on other machines wait for, by the marks that these put into the log: retention, which one of
 * them decides for all, leaves it alone. As of the last look; nothing is let go before the first. Where a lane stands
 * that cannot be read, it may wait for all that it reads.
 */
export class Elsewhere {
  readonly #log: Pick<Log, "head" | "marks" | "newest">;
  readonly #clock: Clock;
  readonly #lanes: () => Iterable<LaneSpec>;
  readonly #logger: Logger;
  /** Those of which it was said that their mark cannot be read. */
  readonly #unreadable = new Set<string>();
  #after: Seq = 0;
  #kept: Seq = Infinity;
  #cancel: () => void = () => undefined;
  #isOver = false;

  /** `lanes`: those that are not open here, or are about to end. */
  constructor(
    log: Pick<Log, "head" | "marks" | "newest">,
    {
      clock,
      logger,
      lanes,
    }: { readonly clock: Clock; readonly logger: Logger; readonly lanes: () => Iterable<LaneSpec> },
  ) {
    this.#log = log;
    this.#clock = clock;
    this.#logger = logger;
    this.#lanes = lanes;
  }

  /** Nothing up to here is waited for. */
  get waitingAfter(): Seq {
    return this.#after;
  }

  /** What is waited for after this is to be left alone until the next look that begins. */
  keep(after: Seq): void {
    this.#kept = Math.min(this.#kept, after);
    this.#after = Math.min(this.#after, after);
  }

  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    try {
      this.#kept = Infinity;
      const found = await this.#find();
      this.#after = Math.min(found, this.#kept);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
    }
    if (!this.#isOver) this.#cancel = this.#clock.after(LOOK_MS, () => void this.#look());
  }

  async #find(): Promise<Seq> {
    // What comes after this is looked at next time.
    let lowest = this.#log.head;
    const { checkpoint: stem } = marksOf("");
    const marks = await this.#log.marks(stem);
    for (const { name, route } of this.#lanes()) {
      const mark = marks.get(stem + name);
      // One that never ran begins at the end.
      const after = mark === undefined ? lowest : this.#positionOf(name, mark);
      if (after >= lowest) continue;
      const { entries } = await this.#log.newest({ subjects: route.subjects, after, limit: 1 });
      if (entries.length > 0) lowest = after;
    }
    return lowest;
  }

  #positionOf(lane: string, mark: string): Seq {
    const checkpoint = readCheckpoint(mark);
    if (checkpoint !== null) return checkpoint.after;
    if (!this.#unreadable.has(lane)) {
      this.#unreadable.add(lane);
      this.#logger.error(
        { lane },
        "where a bridge stands that another machine runs cannot be read from the log: all that may wait for it is kept until MaxAge",
      );
    }
    return 0;
  }
}
