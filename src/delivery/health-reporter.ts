import { Throttle } from "../lib/throttle.ts";
import type { Logger } from "../logger.ts";

/** Equal troubles are told once in this time, with the number that was held back. */
const REPEAT_MS = 10 * 60_000;
const LINES_MAX = 50;

/**
 * What people are told about something that can be well or in trouble. A trouble they were told of is answered by the
 * line that says it is over; one that was held back as a repetition is not.
 */
export class HealthReporter {
  readonly #logger: Logger;
  readonly #fields: object;
  readonly #throttle: Throttle;
  /** At first, that all is well is news. */
  #told = true;

  constructor(logger: Logger, fields: object, nowMs: () => number) {
    this.#logger = logger;
    this.#fields = fields;
    this.#throttle = new Throttle({ windowMs: REPEAT_MS, perWindowMax: LINES_MAX, nowMs });
  }

  well(fields: object, message: string): void {
    this.#logger[this.#told ? "info" : "debug"]({ ...this.#fields, ...fields }, message);
    this.#told = false;
  }

  trouble(why: HealthProblem, fields: object, message: string, level: "warn" | "error" = "warn"): void {
    const { passes, suppressed } = this.#throttle.pass(`${message} ${why.code} ${why.message}`);
    if (passes) this.#told = true;
    const said = { ...this.#fields, code: why.code, why: why.message, ...fields, repeated: suppressed };
    this.#logger[passes ? level : "debug"](said, message);
  }
}

export interface HealthProblem {
  readonly code: string;
  /** For people; no secret, no text of a message. */
  readonly message: string;
}
