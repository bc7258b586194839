import type { Clock } from "../contract/host.ts";
import type { ReasonCode } from "../contract/outcome.ts";
import { arrivedEntry, failureEntry, failureRef, failureSubject } from "../gateway/failures.ts";
import type { Routes } from "../gateway/routes.ts";
import { subjectOf } from "../gateway/subject.ts";
import type { Log, NewEntry, Seq, Subject } from "../log/log.ts";
import { whenKnown } from "../log/unknown-outcome.ts";
import type { Logger } from "../logger.ts";
import type { MeteredLane } from "./meter.ts";

/** Lanes report to it what did not arrive. Calls are cheap and never throw. */
export interface FailureSink {
  /** A message has failed for good; `why` null: it was sent again and has arrived. */
  ended(of: Seq, lane: MeteredLane, why: ReasonCode | null): void;
}

export interface FailureNoticesOptions {
  readonly log: Pick<Log, "append" | "ids" | "newest">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly routes: Pick<Routes, "targets">;
}

/** A channel in which more than so many messages were said in a minute is busy: no notice helps there. */
const BUSY = { messages: 20, ms: 60_000 };
/** One notice in this time from one destination to one channel, in ms. */
const EACH_MS = 10 * 60_000;
const PAIRS_MAX = 1_000;
/** So many may wait for the log. */
const WAITING_MAX = 100;
/** The owner of the keys of the entries. */
const OWNER = "rialto.failure";

/**
 * Answers a message in its own channel when it did not arrive at a destination, so that its author knows. A notice is
 * an entry and goes the way of all others. A message that arrives later, because an operator sent it again, has its
 * notice deleted. What cannot be stored is not said: the receipt and the program's log have it.
 */
export class FailureNotices implements FailureSink {
  readonly #options: FailureNoticesOptions;
  /** When the last notice was given, by channel and destination, by `Clock.monoMs`. */
  readonly #given = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #stopped = false;

  constructor(options: FailureNoticesOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** One after the other. */
  ended(of: Seq, lane: MeteredLane, why: ReasonCode | null): void {
    if (this.#stopped || this.#waiting >= WAITING_MAX) return;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      await this.#say(() => (why === null ? this.#takenBack(of, lane) : this.#noticeOf(of, lane, why)));
      this.#waiting -= 1;
    });
  }

  /** Never rejects. */
  async #say(make: () => Promise<NewEntry | null>): Promise<void> {
    const { log, logger } = this.#options;
    try {
      const entry = await make();
      if (entry === null || this.#stopped) return;
      await whenKnown(log.append({ account: OWNER, entries: [entry] }));
    } catch (error) {
      logger.debug({ error: String(error) }, "an author could not be notified of a message that failed");
    }
  }

  async #noticeOf(of: Seq, { account, channel }: MeteredLane, why: ReasonCode): Promise<NewEntry | null> {
    const { log, clock, routes } = this.#options;
    const message = await log.ids.get(of);
    if (message === null || message.gone) return null;
    if (routes.targets(failureSubject(message.subject)).length === 0) return null;
    if (!this.#isDue(`${message.subject} ${subjectOf(account, channel)}`)) return null;
    if (await this.#isBusy(message.subject)) return null;
    return failureEntry({ message, account, channel }, why, clock.nowMs());
  }

  async #takenBack(of: Seq, { account, channel }: MeteredLane): Promise<NewEntry | null> {
    const { log, clock } = this.#options;
    const message = await log.ids.get(of);
    if (message === null) return null;
    const ref = failureRef(of, { account, channel });
    const notice = await log.ids.find(failureSubject(message.subject), [ref]);
    if (notice === null || notice.gone) return null;
    return arrivedEntry({ message, account, channel }, notice, clock.nowMs());
  }

  #isDue(pair: string): boolean {
    const nowMs = this.#options.clock.monoMs();
    const lastMs = this.#given.get(pair);
    if (lastMs !== undefined && nowMs - lastMs < EACH_MS) return false;
    this.#given.delete(pair);
    if (this.#given.size >= PAIRS_MAX) this.#given.delete(this.#given.keys().next().value ?? pair);
    this.#given.set(pair, nowMs);
    return true;
  }

  async #isBusy(place: Subject): Promise<boolean> {
    const { log, clock } = this.#options;
    const { entries } = await log.newest({ subjects: [place], after: 0, limit: BUSY.messages + 1 });
    const [oldest] = entries;
    return entries.length > BUSY.messages && oldest !== undefined && clock.nowMs() - oldest.at < BUSY.ms;
  }
}
