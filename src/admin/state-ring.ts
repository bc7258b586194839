/** How a stretch of time was; `none`: nobody knows, the program did not run. The worst counts, in this order. */
export type HistoryState = "none" | "ok" | "degraded" | "down";

/** The same state so many times. */
export type StateRun = readonly [state: HistoryState, count: number];

const STATES: readonly HistoryState[] = ["none", "ok", "degraded", "down"];
const LETTERS = "-odx";

/**
 * The states of the last so many stretches of time, of which each has a number that grows with the calendar. Pure: who
 * holds it has the clock. What the clock skips is `none`; when it is set back, what would be to come is forgotten.
 */
export class StateRing {
  readonly #states: Uint8Array;
  #last = 0;

  constructor(length: number) {
    this.#states = new Uint8Array(length);
  }

  /** The newest one of which something was noted. */
  get last(): number {
    return this.#last;
  }

  /** It was so at some time in this stretch. */
  note(at: number, state: HistoryState): void {
    this.#move(at);
    const index = at % this.#states.length;
    this.#states[index] = Math.max(this.#states[index] ?? 0, STATES.indexOf(state));
  }

  at(at: number): HistoryState {
    const { length } = this.#states;
    if (at > this.#last || at <= this.#last - length || at < 0) return "none";
    return STATES[this.#states[at % length] ?? 0] ?? "none";
  }

  /** Of as many stretches as there are, up to this one, the oldest first. */
  runs(upTo: number): readonly StateRun[] {
    const runs: [HistoryState, number][] = [];
    for (let at = upTo - this.#states.length + 1; at <= upTo; at += 1) {
      const state = this.at(at);
      const run = runs.at(-1);
      if (run?.[0] === state) run[1] += 1;
      else runs.push([state, 1]);
    }
    return runs;
  }

  /** `6120:-280o5x3`: the newest one, and the states up to it. */
  encode(): string {
    const runs = this.runs(this.#last).map(([state, count]) => `${LETTERS[STATES.indexOf(state)] ?? ""}${count}`);
    return `${this.#last}:${runs.join("")}`;
  }

  /** As far as it can be read: another length, or what a failing disk has left, is no reason to know nothing. */
  static decode(text: string, length: number): StateRing {
    const ring = new StateRing(length);
    const { last = "", runs = "" } = /^(?<last>\d{1,12}):(?<runs>[-odx\d]*)$/u.exec(text)?.groups ?? {};
    const all = Array.from(runs.matchAll(/([-odx])(\d{1,4})/gu), ([, letter = "", count = ""]) => ({
      state: STATES[LETTERS.indexOf(letter)] ?? "none",
      count: Math.min(Number(count), length),
    }));
    const total = all.reduce((sum, { count }) => sum + count, 0);
    let at = Number(last) - total + 1;
    for (const { state, count } of all) {
      for (let each = 0; each < count; each += 1, at += 1) if (at >= 0) ring.note(at, state);
    }
    return ring;
  }

  #move(to: number): void {
    const { length } = this.#states;
    const [from, until] = to > this.#last ? [this.#last, to] : [to, this.#last];
    // Those between the two: skipped, or not yet.
    for (let at = Math.max(from + 1, until - length + 1); at <= until; at += 1) this.#states[at % length] = 0;
    this.#last = to;
  }
}
