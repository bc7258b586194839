import type { Why } from "../contract/outcome.ts";
import { Throttle } from "../lib/throttle.ts";
import type { Copies, Receipt, Subject } from "../log/log.ts";
import type { Logger } from "../logger.ts";
import { reactionsOf } from "./lane-options.ts";
import { type Ending, receiptOf } from "./settle.ts";
import type { Item } from "./window.ts";

export interface EndingsOptions {
  /** Name of the lane, and where it leads. */
  readonly name: string;
  readonly place: Subject;
  readonly fields: object;
  readonly logger: Logger;
  readonly nowMs: () => number;
  readonly add: (receipt: Receipt) => void;
}

/** By which refs a message is known at the destination from now on; null: as before. */
function copiesBy(item: Item, state: Receipt["state"], place: Subject): Copies | null {
  const { op, messages } = item;
  const about = item.stored?.about ?? null;
  if (op === null || messages.length === 0) return null;
  if (about === null || about.is === "reply")
    return op.kind === "post" ? { of: item.seq, place, refs: messages } : null;
  if (about.is !== "edit" || about.seq === null) return null;
  if (op.kind === "edit" && state === "sent") return { of: about.seq, place, refs: messages };
  // Lines that say an edit in words belong to what it edits: whoever answers one answers that.
  return { of: about.seq, place, refs: [...(item.here?.about ?? []), ...messages] };
}

/** By which refs the line that says the reactions to a message is known from now on; null: as before. */
function lineBy({ op, messages, stored, here }: Item, state: Receipt["state"], place: Subject): Copies | null {
  const about = stored?.about ?? null;
  const isKept = (here?.line ?? null) !== null;
  if (op === null || !isKept || about?.is !== "reaction" || about.seq === null) return null;
  const isMade = op.kind !== "delete" && messages.length > 0;
  // A line that cannot be edited any more makes room for another.
  const isGone = op.kind === "edit" ? state === "failed" : op.kind === "delete" && state === "sent";
  if (!isMade && !isGone) return null;
  return { of: about.seq, place: reactionsOf(place), refs: isGone ? [] : messages };
}

export const GONE: Why = { code: "network", message: "The session ended before this was finished." };
export const HUNG: Why = { code: "timeout", message: "There has been no progress for 10 minutes or more." };
export const THREW: Why = {
  code: "bug",
  message: "The adapter failed unexpectedly: this is a bug, see the log.",
};

/** What becomes of what goes out with a message that ends so; otherwise it stands for itself. */
export const FATES: ReadonlyMap<Receipt["state"], Receipt["state"]> = new Map([
  ["sent", "folded"],
  ["unconfirmed", "unconfirmed"],
  ["omitted", "omitted"],
]);

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
  keep(item: Item, ending: Omit<Ending, "messages" | "copies">): void {
    const { name, place, add } = this.#options;
    const copies = copiesBy(item, ending.state, place);
    const receipt = receiptOf(name, item.seq, { ...ending, messages: item.messages, copies });
    if (receipt !== null) add(receipt);
    const line = lineBy(item, ending.state, place);
    if (line !== null) add({ lane: reactionsOf(name), seq: item.seq, state: ending.state, detail: "{}", copies: line });
  }

  record(item: Item, ending: Omit<Ending, "messages" | "copies">): void {
    const { fields, logger } = this.#options;
    const { state, why } = ending;
    this.keep(item, ending);
    logger.debug({ ...fields, seq: item.seq, state, why: why?.message }, "the delivery of a message has ended");
    const said = SAID.get(state);
    if (said === undefined) return;
    const { passes, suppressed } = this.#throttle.pass(`${state} ${why?.message}`);
    if (passes) logger.warn({ ...fields, seq: item.seq, why: why?.message, before: suppressed }, said);
  }
}
