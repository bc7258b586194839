import type { Seq } from "../log/log.ts";
import type { HolderId, SavedState, StateRules } from "./saved.ts";
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

interface Pulled {
  readonly out: readonly (readonly [Seq, number])[];
  readonly gap: readonly Seq[];
}

/** A state over a log that is a list of seqs: pulls as the driver does. */
export class Puller {
  readonly log: Seq[] = [];
  now = 0;
  /** Retention has taken what is before it. */
  first: Seq = 0;
  state: ConsumerState;
  readonly #rules: StateRules;
  #holder = 0;

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

  /** A holder that has nothing yet. */
  holder(): HolderId {
    this.#holder += 1;
    return this.#holder;
  }

  /** What is handed out, with the number of the delivery. */
  pull(
    max = 100,
    told: (seq: Seq) => void = () => undefined,
    holder: HolderId = this.holder(),
  ): readonly (readonly [Seq, number])[] {
    return this.take(max, told, holder).out;
  }

  /** The same, with what retention took before it was handed out. */
  take(max: number, told: (seq: Seq) => void, holder: HolderId): Pulled {
    const { state, now, first } = this;
    const out: (readonly [Seq, number])[] = [];
    const put = (seq: Seq, handed: ReturnType<ConsumerState["take"]>): void => {
      if (handed === null) return;
      out.push([seq, handed.delivery]);
      told(seq);
    };
    state.expire(now);
    const due = state.due(now, max);
    const gone = due.filter((seq) => seq < first);
    for (const seq of gone) state.vanished(seq);
    for (const seq of due) if (seq >= first) put(seq, state.again(seq, now, holder));
    // As the driver: nothing new passes what is due, or the report of a gap.
    const isFull = gone.length > 0 || state.due(now, 1).length > 0;
    const room = isFull ? 0 : Math.max(0, Math.min(max - out.length, state.room));
    if (room === 0) return { out, gap: gone };
    const lost = this.log.filter((seq) => seq > state.cursor && seq < first);
    state.looked(first - 1);
    const news = this.log.filter((seq) => seq > state.cursor).slice(0, room);
    for (const seq of news) put(seq, state.take(seq, now, holder));
    if (news.length < room || news.at(-1) === this.head) state.looked(this.head);
    return { out, gap: lost };
  }

  seqs(max?: number, holder?: HolderId): readonly Seq[] {
    return this.pull(max, undefined, holder).map(([seq]) => seq);
  }

  /** Through the texts of the marks; the clock begins anew. */
  restart(through: (saved: SavedState) => SavedState = (saved) => saved): void {
    this.state = new ConsumerState(this.#rules, through(this.state.save()), this.head);
  }
}
