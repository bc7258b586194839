import { type Summary, summarise } from "./position.ts";
import type { Decision } from "./settle.ts";
import { Item } from "./window.ts";

/**
 * The line that stands for messages that expired.
 *
 *   none ──a message expires──▶ waiting (on disk) ──take──▶ under way (off the disk) ──sent, or may have been──▶ none
 *            (more are added)      ◀────certainly not sent─────┘
 *
 * It leaves the disk before it is sent: it comes at most once.
 */
export class SummaryLine {
  #waiting: Summary | null;
  #underWay: Summary | null = null;
  #attempts = 0;

  constructor(waiting: Summary | null) {
    this.#waiting = waiting;
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
    const item = new Item(seq, toMs, "");
    item.attempts = this.#attempts++;
    return item;
  }

  /** What is under way was not sent, and waits again. */
  putBack(): void {
    if (this.#underWay === null) return;
    this.#waiting = this.#underWay;
    this.#underWay = null;
  }

  /** An attempt has ended. Returns what the line stood for when it is not tried again. */
  end(decision: Decision): Summary | null {
    const summary = this.#underWay;
    if (decision.is === "retry" && decision.resume === null) {
      this.putBack();
      return null;
    }
    this.#underWay = null;
    this.#attempts = 0;
    return summary;
  }
}
