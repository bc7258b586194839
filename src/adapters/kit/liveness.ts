import type { Clock } from "../../contract/host.ts";
import type { Reason } from "../../contract/outcome.ts";

interface LivenessOptions {
  readonly clock: Pick<Clock, "after" | "monoMs">;
  /** How long the server may be silent before it is asked … */
  readonly silentMs: number;
  /** … and then, how long until it is in doubt, and until it is given up. */
  readonly doubtMs: number;
  readonly deadMs: number;
  /** Asks the server for a sign of life, of whatever kind. */
  readonly ask: () => void;
  /** Called now and then while nothing waits for an answer: for other things that have to be asked. */
  readonly onLook?: () => void;
  readonly onDoubt: (why: Reason | null) => void;
  readonly onDead: (why: Reason) => void;
}

/** Whether a server lives, by anything that comes from it: it is asked after a silence, and has to answer. */
export class Liveness {
  readonly #options: LivenessOptions;
  #cancel: () => void = () => undefined;
  #asked = false;
  #inDoubt = false;
  #reading = true;
  #heardMs: number;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#heardMs = options.clock.monoMs();
  }

  start(): void {
    this.#after(this.#options.silentMs, () => this.#silent());
  }

  stop(): void {
    this.#cancel();
  }

  /** Something came. */
  heard(): void {
    this.#heardMs = this.#options.clock.monoMs();
    if (!this.#asked) return;
    this.#asked = false;
    if (this.#inDoubt) this.#options.onDoubt(null);
    this.#inDoubt = false;
    this.start();
  }

  /** While we do not read, silence means nothing. */
  reading(reading: boolean): void {
    this.#reading = reading;
    this.heard();
  }

  #silent(): void {
    const { clock, silentMs, doubtMs, ask, onLook } = this.#options;
    const quietMs = clock.monoMs() - this.#heardMs;
    onLook?.();
    if (!this.#reading || quietMs < silentMs) {
      this.#after(this.#reading ? silentMs - quietMs : silentMs, () => this.#silent());
      return;
    }
    this.#asked = true;
    this.#after(doubtMs, () => this.#doubt());
    ask();
  }

  #doubt(): void {
    const { doubtMs, deadMs, onDoubt, onDead } = this.#options;
    this.#inDoubt = true;
    this.#after(deadMs - doubtMs, () =>
      onDead({ code: "timeout", message: `the server has not answered for ${deadMs / 1000} seconds` }),
    );
    onDoubt({ code: "timeout", message: "the server does not answer" });
  }

  #after(ms: number, task: () => void): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(ms, task);
  }
}
