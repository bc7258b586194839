import type { EpochClaim } from "../../../src/log/fence.ts";
import type { Chance } from "../chance.ts";

/** Time goes in steps, in ms. */
export const STEP_MS = 50;

/** One append: for whom, in which epoch its node held that, and what no other append is. */
export interface SimBatch {
  readonly account: string;
  readonly epoch: number;
  readonly id: string;
}

/** What the stream has at one place. */
export interface SimMessage {
  /** The same for all that the servers may have of one. */
  readonly id: string;
  readonly node: string;
  readonly run: string;
  /** Of commits, counted from 1 in a run; claims have 0. */
  readonly number: number;
  readonly claims: readonly EpochClaim[];
  readonly batches: readonly SimBatch[];
}

/** What the network does to messages in one story. */
export interface Weather {
  readonly delayMs: number;
  /** How often what was published arrives long after it was given up. */
  readonly late: number;
  /** How often the servers have what was published and nobody hears of it, or do not have it. */
  readonly unsure: number;
  /** How often they store what they have already. */
  readonly twice: number;
}

/** The servers: a stream as a list, what they do to who publishes, and who hears whom. */
export class Net {
  readonly stream: SimMessage[] = [];
  readonly #chance: Chance;
  readonly #weather: Weather;
  readonly #due = new Map<number, (() => void)[]>();
  readonly #ids = new Set<string>();
  /** Nodes that reach no server at all. */
  readonly cut = new Set<string>();
  /** Nodes behind servers that are fewer than half; they hear each other. */
  readonly minority = new Set<string>();
  nowMs = 0;
  /** Until then the servers have no leader; and until then they carry nothing else either. */
  leaderlessMs = 0;
  deafMs = 0;

  constructor(chance: Chance, weather: Weather) {
    this.#chance = chance;
    this.#weather = weather;
  }

  get hasLeader(): boolean {
    return this.nowMs >= this.leaderlessMs;
  }

  reachesQuorum(node: string): boolean {
    return this.hasLeader && !this.cut.has(node) && !this.minority.has(node);
  }

  hears(from: string, to: string): boolean {
    const isCut = this.nowMs < this.deafMs || this.cut.has(from) || this.cut.has(to);
    return !isCut && this.minority.has(from) === this.minority.has(to);
  }

  after(ms: number, work: () => void): void {
    const at = this.nowMs + Math.max(1, Math.ceil(ms / STEP_MS)) * STEP_MS;
    const due = this.#due.get(at);
    if (due === undefined) this.#due.set(at, [work]);
    else due.push(work);
  }

  soon(): number {
    return this.#chance.below(this.#weather.delayMs);
  }

  /** One attempt to publish. */
  publish(message: SimMessage): void {
    const isLate = this.#chance.hits(this.#weather.late);
    if (!this.reachesQuorum(message.node) && !isLate) return;
    this.after(isLate ? this.#chance.between(1000, 15_000) : this.soon(), () => {
      if (!this.hasLeader || this.#chance.hits(this.#weather.unsure / 2)) return;
      if (this.#ids.has(message.id) && !this.#chance.hits(this.#weather.twice)) return;
      this.#ids.add(message.id);
      this.stream.push(message);
    });
  }

  /** A beat comes to the servers; `told`: that most of them have it. */
  acknowledge(node: string, told: () => void): void {
    if (!this.reachesQuorum(node)) return;
    this.after(this.soon(), () => {
      if (this.reachesQuorum(node) && !this.#chance.hits(this.#weather.unsure / 10)) told();
    });
  }

  step(): void {
    this.nowMs += STEP_MS;
    const due = this.#due.get(this.nowMs) ?? [];
    this.#due.delete(this.nowMs);
    for (const work of due) work();
  }
}
