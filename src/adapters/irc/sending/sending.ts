import type { MessageRef } from "../../../contract/ids.ts";
import type { Loss, Outcome, Reason } from "../../../contract/outcome.ts";
import type { Attempt } from "../../../contract/session.ts";
import { onAbort } from "../../../lib/abort.ts";
import type { IrcPart } from "./parts.ts";
import type { LineRefusal } from "./refusal.ts";

/** What became of a line that was written. */
export type LineOutcome =
  | { readonly is: "confirmed"; readonly message: MessageRef | null }
  | { readonly is: "refused"; readonly refusal: LineRefusal }
  | { readonly is: "unknown"; readonly why: Reason };

type Deferred = Extract<Outcome, { is: "deferred" }>;
type State = "waiting" | "announced" | "written" | "dropped" | LineOutcome;

/**
 * One op on its way: its lines go from waiting over announced (`Attempt.sending`) and written to answered, each in
 * order. It ends as delivered with its last line confirmed. Once a line is refused or unknown, or the op is stopped,
 * what is not written is dropped, and it ends when the rest is answered. `cut` ends it at once.
 */
export class Sending {
  readonly outcome: Promise<Outcome>;
  /** The key of the channel. */
  readonly key: string;
  readonly #lines: readonly IrcPart[];
  readonly #losses: readonly Loss[];
  readonly #attempt: Attempt;
  readonly #onAnswer: (part: IrcPart, answer: LineOutcome) => void;
  readonly #states: State[];
  readonly #messages: MessageRef[] = [];
  readonly #resolve: (outcome: Outcome) => void;
  #release: () => void = () => undefined;
  #confirmed = 0;
  #stopped: Deferred | null = null;
  #over = false;

  constructor(options: {
    readonly key: string;
    readonly lines: readonly IrcPart[];
    readonly losses: readonly Loss[];
    readonly attempt: Attempt;
    /** Called for each line that was written and answered. */
    readonly onAnswer?: (part: IrcPart, answer: LineOutcome) => void;
  }) {
    const outcome = Promise.withResolvers<Outcome>();
    this.outcome = outcome.promise;
    this.#resolve = outcome.resolve;
    this.key = options.key;
    this.#lines = options.lines;
    this.#losses = options.losses;
    this.#attempt = options.attempt;
    this.#onAnswer = options.onAnswer ?? (() => {});
    this.#states = options.lines.map(() => "waiting");
    const cancel = (): void => this.cut({ code: "stopping", message: "sending was cancelled" });
    this.#release = onAbort(options.attempt.signal, cancel);
    this.#settle();
  }

  /** The next line to announce; null when there is none, now or ever. */
  get next(): { readonly index: number; readonly line: IrcPart } | null {
    const index = this.#over ? -1 : this.#states.indexOf("waiting");
    const line = this.#lines[index];
    return line === undefined ? null : { index, line };
  }

  /** Whether something of it could still be written. */
  get open(): boolean {
    return !this.#over && this.#has("waiting", "announced");
  }

  /** Whether it will end without going on, and still waits for answers. */
  get held(): boolean {
    return !this.#over && this.#has("dropped");
  }

  /** Tells the core that the line is about to leave; true once that is durable. */
  async announce(index: number): Promise<boolean> {
    const line = this.#lines[index];
    if (line === undefined) return false;
    this.#states[index] = "announced";
    return await this.#attempt.sending(line.end);
  }

  /** Whether an announced line may still be written. */
  wanted(index: number): boolean {
    return !this.#over && this.#states[index] === "announced";
  }

  wrote(index: number): void {
    this.#states[index] = "written";
  }

  answered(index: number, answer: LineOutcome): void {
    if (this.#over || this.#states[index] !== "written") return;
    this.#states[index] = answer;
    const part = this.#lines[index];
    if (part !== undefined) this.#onAnswer(part, answer);
    if (answer.is !== "confirmed") this.#drop(0);
    this.#settle();
  }

  /** Nothing more of it is to be written, or nothing from this line on. */
  stop(deferred: Deferred, from = 0): void {
    this.#stopped ??= deferred;
    this.#drop(from);
    this.#settle();
  }

  /** It ends now: nobody will answer any more. */
  cut(why: Reason, scope: Deferred["scope"] = "channel"): void {
    if (this.#over) return;
    const inDoubt = this.#states.includes("written");
    this.#finish(inDoubt ? this.#unknown(why) : this.#verdict({ is: "deferred", why, retryInMs: 1000, scope }));
  }

  #has(...states: readonly State[]): boolean {
    return this.#states.some((state) => states.includes(state));
  }

  #drop(from: number): void {
    for (const [index, state] of this.#states.entries()) {
      if (index >= from && (state === "waiting" || state === "announced")) this.#states[index] = "dropped";
    }
  }

  #settle(): void {
    if (this.#over) return;
    const before = this.#messages.length;
    let confirmed = this.#confirmed;
    for (; confirmed < this.#states.length; confirmed++) {
      const state = this.#states[confirmed];
      if (typeof state !== "object" || state.is !== "confirmed") break;
      if (state.message !== null) this.#messages.push(state.message);
    }
    const last = this.#lines[confirmed - 1];
    if (confirmed > this.#confirmed && last !== undefined) {
      this.#confirmed = confirmed;
      this.#attempt.sent(last.end, this.#messages.slice(before));
    }
    if (confirmed === this.#lines.length) {
      this.#finish({ is: "delivered", receipt: { messages: this.#messages, losses: this.#losses } });
    } else if (!this.#has("waiting", "announced", "written")) {
      this.#finish(this.#verdict(this.#stopped));
    }
  }

  /** How it ended short of its end, with nothing unanswered. `otherwise`: when all that was written is confirmed. */
  #verdict(otherwise: Deferred | null): Outcome {
    const rest = this.#states.slice(this.#confirmed).filter((state) => typeof state === "object");
    const unknown = rest.find((answer) => answer.is === "unknown");
    if (unknown !== undefined) return this.#unknown(unknown.why);
    const first = rest[0];
    if (first?.is !== "refused") return otherwise ?? NOTHING_LEFT;
    const { refusal } = first;
    if (refusal.is === "rejected") return refusal;
    // A later line got through: trying again from here on would double it.
    if (rest.some((answer) => answer.is === "confirmed")) return this.#unknown(refusal.why);
    return { is: "deferred", why: refusal.why, retryInMs: refusal.retryInMs, scope: "channel" };
  }

  /** In doubt as far as lines were written; an announced one that was not is certain. */
  #unknown(why: Reason): Outcome {
    const last = this.#states.findLastIndex((state) => state === "written" || typeof state === "object");
    const upTo = this.#lines[last]?.end;
    return upTo === undefined ? { is: "unknown", why } : { is: "unknown", why, upTo };
  }

  #finish(outcome: Outcome): void {
    this.#over = true;
    this.#release();
    this.#resolve(outcome);
  }
}

const NOTHING_LEFT: Outcome = { is: "unknown", why: { code: "bug", message: "an op ended without an answer" } };
