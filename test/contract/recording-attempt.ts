import type { MessageRef, Progress } from "../../src/contract/ids.ts";
import type { Outcome } from "../../src/contract/outcome.ts";
import type { Attempt } from "../../src/contract/session.ts";

/** Answers the nth call of `sending`, counted from 0. */
export type Answer = (nth: number) => boolean | Promise<boolean>;

/** An attempt that remembers what its handler told, and what of it was against the contract. */
export class RecordingAttempt implements Attempt {
  /** In the order of the calls: what was announced, and what of it was allowed. */
  readonly announced: Progress[] = [];
  readonly allowed: Progress[] = [];
  readonly confirmed: Progress[] = [];
  readonly messages: MessageRef[] = [];
  /** Sentences about calls that must not be. */
  readonly faults: string[] = [];
  /** Called after each `sent`. */
  onSent: () => void = () => undefined;
  readonly #answer: Answer;
  readonly #abort = new AbortController();
  #outcome: Outcome | null = null;

  constructor(answer: Answer = () => true) {
    this.#answer = answer;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** As the core does it: what waits in `sending` is refused, too. */
  abort(): void {
    this.#abort.abort();
  }

  async sending(upTo: Progress): Promise<boolean> {
    const nth = this.announced.length;
    if (this.#outcome !== null) this.faults.push(`sending was called after the op had ended as ${this.#outcome.is}`);
    if (this.announced.includes(upTo)) this.faults.push("the same progress was announced twice");
    this.announced.push(upTo);
    const aborted = new Promise<false>((resolve) => {
      if (this.signal.aborted) resolve(false);
      else this.signal.addEventListener("abort", () => resolve(false), { once: true });
    });
    const granted = await Promise.race([this.#answer(nth), aborted]);
    if (granted) this.allowed.push(upTo);
    return granted;
  }

  sent(upTo: Progress, messages: readonly MessageRef[]): void {
    if (this.#outcome !== null) this.faults.push(`sent was called after the op had ended as ${this.#outcome.is}`);
    if (this.confirmed.includes(upTo)) this.faults.push("the same part was confirmed twice");
    if (this.announced.length > 0 && !this.allowed.includes(upTo)) {
      this.faults.push("a part was confirmed whose announcement had not been answered");
    }
    this.confirmed.push(upTo);
    this.messages.push(...messages);
    this.onSent();
  }

  /** The handler has returned. */
  end(outcome: Outcome): void {
    this.#outcome = outcome;
  }
}
