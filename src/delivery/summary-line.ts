import type { Logger } from "../logger.ts";
import { type Summary, summarise } from "./position.ts";
import type { Decision } from "./settle.ts";
import { Item } from "./window.ts";

interface SummaryOptions {
  /** What the disk has. */
  readonly waiting: Summary | null;
  readonly logger: Logger;
  /** Which lane it is, for people. */
  readonly fields: object;
}

/**
 * The line that stands for messages that expired.
 *
 *   none ──a message expires──▶ waiting (on disk) ──take──▶ under way (off the disk) ──sent, or may have been──▶ none
 *            (more are added)      ◀────certainly not sent─────┘
 *
 * It leaves the disk before it is sent: it comes at most once.
 */
export class SummaryLine {
  readonly #options: SummaryOptions;
  #waiting: Summary | null;
  #underWay: Summary | null = null;
  #attempts = 0;

  constructor(options: SummaryOptions) {
    this.#options = options;
    this.#waiting = options.waiting;
  }

  /** What the disk has to hold. */
  get waiting(): Summary | null {
    return this.#waiting;
  }

  get underWay(): boolean {
    return this.#underWay !== null;
  }

  add(item: Item): void {
    this.#waiting = summarise(this.#waiting, item);
  }

  take(): Summary | null {
    this.#underWay = this.#waiting;
    this.#waiting = null;
    return this.#underWay;
  }

  /** A message of its own for it; counts as an attempt. */
  item({ seq, toMs }: Summary): Item {
    const item = new Item({ seq, at: toMs, label: "", payload: "" });
    item.attempts = this.#attempts++;
    return item;
  }

  /** What is under way was not sent, and waits again. */
  putBack(): void {
    if (this.#underWay === null) return;
    this.#waiting = this.#underWay;
    this.#underWay = null;
  }

  /** An attempt has ended; people are told when it is not tried again. Whether the line was sent. */
  end(decision: Decision): boolean {
    if (decision.is === "retry" && decision.resume === null) {
      this.putBack();
      return false;
    }
    const sent = decision.is === "finish" && decision.state === "sent";
    if (this.#underWay !== null) this.#report(this.#underWay, sent);
    this.#underWay = null;
    this.#attempts = 0;
    return sent;
  }

  #report({ count, fromMs, toMs }: Summary, told: boolean): void {
    const fields = { messages: count, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), told };
    const { logger, fields: lane } = this.#options;
    logger.warn({ ...lane, ...fields }, "messages waited longer than MaxAge and were left out");
  }
}
