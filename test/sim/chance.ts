/** Chance from a seed: the same seed, the same course of things. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    for (let round = 0; round < 4; round += 1) this.next();
  }

  /** 0 <= x < 1 (mulberry32). */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** From 0 to below `end`, whole. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  hits(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  }

  /** Each with its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error("there is nothing to choose from");
  }

  /** Some of them, in their order. */
  some<T>(list: readonly T[], probability: number): readonly T[] {
    return list.filter(() => this.hits(probability));
  }

  /** A course of its own, which does not change with what is drawn here later. */
  fork(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 32));
  }
}
