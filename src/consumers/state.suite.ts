import type { Seq } from "../log/log.ts";
import type { SavedState, StateRules } from "./saved.ts";
import { ConsumerState } from "./state.ts";

export const RULES: StateRules = {
  ack: "explicit",
  ackWaitMs: 100,
  maxInFlight: 4,
  maxDeliver: 0,
  backoffMs: [],
  ordered: true,
};

const fresh = (floor: Seq = 0): SavedState => ({ floor, ranges: [], counts: [], dead: [] });

/** A state over a log that is a list of seqs: pulls as the driver does. */
export class Puller {
  readonly log: Seq[] = [];
  now = 0;
  state: ConsumerState;
  readonly #rules: StateRules;

  constructor(rules: Partial<StateRules> = {}, saved: SavedState = fresh()) {
    this.#rules = { ...RULES, ...rules };
    this.state = new ConsumerState(this.#rules, saved, saved.floor);
  }

  /** An ack counts for what comes before. */
  get isAll(): boolean {
    return this.#rules.ack === "all";
  }

  get head(): Seq {
    return this.log.at(-1) ?? 0;
  }

  say(...seqs: readonly Seq[]): this {
    this.log.push(...seqs);
    return this;
  }

  /** What is handed out, with the number of the delivery. */
  pull(max = 100, told: (seq: Seq) => void = () => undefined): readonly (readonly [Seq, number])[] {
    const { state, now } = this;
    const out: (readonly [Seq, number])[] = [];
    const put = (seq: Seq, handed: ReturnType<ConsumerState["take"]>): void => {
      if (handed === null) return;
      out.push([seq, handed.delivery]);
      told(seq);
    };
    state.expire(now);
    for (const seq of state.due(now, max)) put(seq, state.again(seq, now));
    const news = this.log
      .filter((seq) => seq > state.cursor)
      .slice(0, Math.max(0, Math.min(max - out.length, state.room)));
    for (const seq of news) put(seq, state.take(seq, now));
    const last = news.at(-1);
    if (last === this.head || (last === undefined && state.room > 0 && out.length < max)) state.looked(this.head);
    return out;
  }

  seqs(max?: number): readonly Seq[] {
    return this.pull(max).map(([seq]) => seq);
  }

  /** Through the texts of the marks; the clock begins anew. */
  restart(through: (saved: SavedState) => SavedState = (saved) => saved): void {
    this.state = new ConsumerState(this.#rules, through(this.state.save()), this.head);
  }
}
