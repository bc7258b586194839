import { Throttle } from "../lib/throttle.ts";
import type { Receipt } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { type Ending, receiptOf } from "./settle.ts";
import type { Item } from "./window.ts";

export interface EndingsOptions {
  /** Name of the lane. */
  readonly name: string;
  readonly fields: object;
  readonly logger: Logger;
  readonly nowMs: () => number;
  readonly add: (receipt: Receipt) => void;
}

const SAID = new Map<Receipt["state"], string>([
  ["failed", "a message was refused; it is not sent again"],
  ["unconfirmed", "a message may or may not have been delivered; it is not sent again"],
]);

/** Writes down how messages ended, and says so where people may want to act; of equal reasons one a minute. */
export class Endings {
  readonly #options: EndingsOptions;
  readonly #throttle: Throttle;

  constructor(options: EndingsOptions) {
    this.#options = options;
    this.#throttle = new Throttle({ windowMs: 60_000, perWindowMax: 10, nowMs: options.nowMs });
  }

  /** Without a word in the log. */
  keep(item: Item, ending: Omit<Ending, "messages">): void {
    const { name, add } = this.#options;
    const receipt = receiptOf(name, item.seq, { ...ending, messages: item.messages });
    if (receipt !== null) add(receipt);
  }

  record(item: Item, ending: Omit<Ending, "messages">): void {
    const { fields, logger } = this.#options;
    const { state, why } = ending;
    this.keep(item, ending);
    logger.debug({ ...fields, seq: item.seq, state, why: why?.message }, "a message has come to its end here");
    const said = SAID.get(state);
    if (said === undefined) return;
    const { passes, suppressed } = this.#throttle.pass(`${state} ${why?.message}`);
    if (passes) logger.warn({ ...fields, seq: item.seq, why: why?.message, before: suppressed }, said);
  }
}
