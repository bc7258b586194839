import type { OpDraft } from "../gateway/planned.ts";
import type { Plan } from "../gateway/plan.ts";
import type { Logger } from "../logger.ts";
import { opIdOf } from "./lane-options.ts";
import type { Outlet } from "./outlet.ts";
import { type Summary, summarise } from "./position.ts";
import type { Decision } from "./settle.ts";
import { Item } from "./window.ts";

interface SummaryOptions {
  /** What the disk has. */
  readonly waiting: Summary | null;
  readonly logger: Logger;
  /** Which lane it is, for people. */
  readonly fields: object;
  /** Of the lane. */
  readonly name: string;
  readonly plan: Pick<Plan, "expired">;
  readonly durable: () => Promise<boolean>;
  /** What the disk has to hold has changed. */
  readonly changed: () => void;
  /** Where it can be sent now. */
  readonly outlet: () => Outlet | null;
  /** Asks the network for it. */
  readonly call: (item: Item, outlet: Outlet, op: OpDraft, id: string) => void;
  /** Goes on with the lane. */
  readonly pump: () => void;
}

/** A line of which nobody can say whether it was sent is tried so often at most: what comes after it must not wait for it. */
const DOUBTS_MAX = 5;

/**
 * The line that stands for messages that expired.
 *
 *   none ──a message expires──▶ waiting (on disk) ──send──▶ under way (off the disk) ──sent, or may have been──▶ none
 *            (more are added)      ◀────certainly not sent─────┘
 *
 * It leaves the disk before it is sent: it comes at most once.
 */
export class SummaryLine {
  readonly #options: SummaryOptions;
  #waiting: Summary | null;
  #underWay: Summary | null = null;
  #attempts = 0;
  /** Attempts that ended in doubt. */
  #doubts = 0;

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

  /** Once the disk no longer has it. Never rejects. */
  async send(): Promise<void> {
    const { name, plan, durable, outlet: outletNow, changed, call, pump } = this.#options;
    const summary = this.#waiting;
    this.#underWay = summary;
    this.#waiting = null;
    const isOffDisk = await durable();
    const outlet = outletNow();
    if (summary === null || !isOffDisk || outlet === null) {
      this.putBack();
      changed();
    } else {
      const item = new Item({ seq: summary.seq, at: summary.toMs, label: "", payload: "" });
      item.attempts = this.#attempts++;
      call(item, outlet, { kind: "post", ...plan.expired(summary) }, `${opIdOf(name, item)}/expired`);
    }
    pump();
  }

  /** What is under way was not sent, and waits again. */
  putBack(): void {
    if (this.#underWay === null) return;
    this.#waiting = this.#underWay;
    this.#underWay = null;
  }

  /** An attempt has ended; people are told when it is not tried again. Whether the line was sent. */
  end(decision: Decision): boolean {
    if (this.#isAgain(decision)) {
      this.putBack();
      return false;
    }
    const sent = decision.is === "finish" && decision.state === "sent";
    if (this.#underWay !== null) this.#report(this.#underWay, sent);
    this.#underWay = null;
    this.#attempts = 0;
    this.#doubts = 0;
    return sent;
  }

  #isAgain(decision: Decision): boolean {
    if (decision.is === "finish" || decision.resume !== null) return false;
    if (decision.wait.for === "backoff") this.#doubts += 1;
    return this.#doubts < DOUBTS_MAX;
  }

  #report({ count, fromMs, toMs }: Summary, told: boolean): void {
    const fields = { messages: count, from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), told };
    const { logger, fields: lane } = this.#options;
    logger.warn({ ...lane, ...fields }, "messages waited longer than MaxAge or CatchUp allows and were left out");
  }
}
