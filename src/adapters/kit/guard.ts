import type { AdapterLog } from "../../contract/host.ts";
import { faultOf } from "../../lib/fault.ts";

const FAULTS_MAX = 10;

/** A fault of ours in one thing that came must not end the session, nor fill the log. */
export class FaultGuard {
  readonly #log: Pick<AdapterLog, "warn">;
  readonly #message: string;
  #faults = 0;

  /** `message`: what it means for what came, for people. */
  constructor(log: Pick<AdapterLog, "warn">, message: string) {
    this.#log = log;
    this.#message = `${message}: this is a bug`;
  }

  /** What comes of it; null after a fault. `fields`: what came, without the words in it. */
  run<T>(task: () => T, fields: object): T | null {
    try {
      return task();
    } catch (error) {
      this.note(error, fields);
      return null;
    }
  }

  /** A fault of something that was waited for. */
  note(error: unknown, fields: object): void {
    this.#faults += 1;
    if (this.#faults <= FAULTS_MAX) this.#log.warn({ ...fields, ...faultOf(error) }, this.#message);
  }
}
