import type { CatchUp } from "../config/config.ts";
import type { Clock } from "../contract/host.ts";
import { EventLabel } from "../contract/message.ts";
import type { Why } from "../contract/outcome.ts";
import type { EntryHead, Log, Seq, Subject } from "../log/log.ts";
import { CHANGES, type Item } from "./window.ts";

/**
 * Which messages have waited too long to be sent.
 *
 * `maxAgeMs` holds for everything. CatchUp holds for messages that are late, and not for what changes one, nor for one that was begun: of
 * late ones it lets through none, those that are young enough, or the newest few. Which are the newest few is asked of the log when the
 * first late one has its turn, and again when one that came after that is late.
 */
export class Lateness {
  readonly #options: LatenessOptions;
  #newest: Newest | null = null;
  #isLooking = false;
  /** Look-ups in a row that the log did not answer. */
  #failures = 0;

  constructor(options: LatenessOptions) {
    this.#options = options;
  }

  /** Of a message whose turn has come; `isChange`: it acts on another one. `unknown`: to be asked again after `pump`. */
  of(item: Item, isChange: boolean): Verdict {
    const { clock, maxAgeMs, catchUp } = this.#options;
    const ageMs = clock.nowMs() - item.at;
    if (ageMs > maxAgeMs) return { is: "too late", why: TOO_OLD };
    if (catchUp === null || ageMs <= LATE_MS || isChange || !item.untouched) return IN_TIME;
    switch (catchUp.is) {
      case "none":
        return LEFT_OUT;
      case "younger":
        return ageMs > catchUp.ms ? LEFT_OUT : IN_TIME;
      case "newest":
        return this.#ofNewest(item, catchUp.count);
    }
  }

  #ofNewest({ seq }: Item, count: number): Verdict {
    if (this.#newest !== null && seq <= this.#newest.upTo) return seq > this.#newest.after ? IN_TIME : LEFT_OUT;
    if (!this.#isLooking) void this.#look(seq, count);
    return { is: "unknown" };
  }

  /** Never rejects. */
  async #look(from: Seq, count: number): Promise<void> {
    const { log, subjects, admits, wait, pump } = this.#options;
    this.#isLooking = true;
    try {
      const { entries, skipped } = await log.newest({ subjects, after: from - 1, limit: LOOK_ENTRIES });
      const messages = entries.filter((entry) => admits(entry) && !NO_MESSAGES.has(entry.label));
      const older = skipped === 0 ? 0 : (entries[0]?.seq ?? 1) - 1;
      this.#newest = { after: messages.at(-count - 1)?.seq ?? older, upTo: entries.at(-1)?.seq ?? from };
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      wait(this.#failures, { code: "network", message: `The log does not answer: ${String(error)}` });
    }
    this.#isLooking = false;
    pump();
  }
}

export interface LatenessOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, "newest">;
  readonly maxAgeMs: number;
  readonly catchUp: CatchUp | null;
  readonly subjects: readonly Subject[];
  readonly admits: (entry: EntryHead) => boolean;
  /** Nothing starts for a while; `times`: how often in a row that has happened. */
  readonly wait: (times: number, why: Why) => void;
  readonly pump: () => void;
}

export type Verdict =
  | { readonly is: "in time" }
  | { readonly is: "too late"; readonly why: Why }
  | { readonly is: "unknown" };

/** Of those up to `upTo`, the ones after `after` are to be sent. */
interface Newest {
  readonly after: Seq;
  readonly upTo: Seq;
}

/** Labels of what is no message by itself. */
export const NO_MESSAGES: ReadonlySet<string> = new Set([...CHANGES, EventLabel.outage]);

/** What waits for so long is late: a pace alone seldom makes it that. */
const LATE_MS = 30_000;
/** Most entries that are looked at to find the newest messages. */
const LOOK_ENTRIES = 10_000;

const IN_TIME: Verdict = { is: "in time" };
const TOO_OLD: Why = { code: "timeout", message: "It waited longer than MaxAge." };
const LEFT_OUT: Verdict = {
  is: "too late",
  why: { code: "timeout", message: "It came late, and CatchUp leaves it out." },
};
