import { Durations, type Percentiles } from "../lib/stats.ts";

export const ENDS = ["irc", "xmpp", "matrix", "api"] as const;
export type End = (typeof ENDS)[number];

/** What a thing said is called wherever it arrives. */
const WORD = /\b(?<word>(?:say|edit)(?<from>irc|xmpp|matrix|api)\d+)$/u;

/** Counts at every end what was said at the others, and how long it took. */
export class Counts {
  said = 0;
  doubled = 0;
  strange = 0;
  readonly #saidAt = new Map<string, number>();
  /** What has not arrived yet, by end. */
  readonly #waiting: Readonly<Record<End, Set<string>>> = {
    irc: new Set(),
    xmpp: new Set(),
    matrix: new Set(),
    api: new Set(),
  };
  readonly #heard: Record<End, number> = { irc: 0, xmpp: 0, matrix: 0, api: 0 };
  #delays = new Durations();

  /** It is to arrive at these ends. */
  say(word: string, ends: readonly End[]): void {
    this.said += 1;
    this.#saidAt.set(word, performance.now());
    for (const end of ends) this.#waiting[end].add(word);
  }

  hear(end: End, text: string): void {
    const word = WORD.exec(text)?.groups?.["word"];
    if (word === undefined) return;
    const at = this.#saidAt.get(word);
    if (at === undefined) this.strange += 1;
    else if (!this.#waiting[end].delete(word)) this.doubled += 1;
    else {
      this.#heard[end] += 1;
      this.#delays.record(performance.now() - at);
      if (this.isEverywhere(word)) this.#forgetLater(word);
    }
  }

  isEverywhere(word: string): boolean {
    return ENDS.every((end) => !this.#waiting[end].has(word));
  }

  /** How much has not arrived. */
  get missing(): number {
    return ENDS.reduce((sum, end) => sum + this.#waiting[end].size, 0);
  }

  get heard(): Readonly<Record<End, number>> {
    return this.#heard;
  }

  /** Of what has arrived since this was last asked for. */
  takeDelays(): Percentiles {
    const taken = this.#delays.percentiles();
    this.#delays = new Durations();
    return taken;
  }

  /** A second copy that comes later than ten minutes is only strange. */
  #forgetLater(word: string): void {
    setTimeout(() => this.#saidAt.delete(word), 600_000).unref();
  }
}
