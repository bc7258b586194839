/**
 * What is counted while the program runs: plain numbers, on the way of every message. How they are written is
 * exposition.ts's.
 */

/** What is known for one set of label values. */
export interface Sample<V> {
  /** In the order of the labels' names. */
  readonly labels: readonly string[];
  readonly value: V;
}

export interface Count {
  value: number;
}

export const newCount = (): Count => ({ value: 0 });

/** One cell for each set of label values, made when it is first asked for, and kept. */
export class LabelledValues<C> {
  readonly #make: () => C;
  readonly #root: Branch<C> = { cell: null, next: new Map() };
  readonly #all: Sample<C>[] = [];

  constructor(make: () => C) {
    this.#make = make;
  }

  /** `labels`: as many as the labels have names. */
  at(...labels: readonly string[]): C {
    let branch = this.#root;
    for (const label of labels) {
      let next = branch.next.get(label);
      if (next === undefined) {
        next = { cell: null, next: new Map() };
        branch.next.set(label, next);
      }
      branch = next;
    }
    if (branch.cell === null) {
      branch.cell = this.#make();
      this.#all.push({ labels, value: branch.cell });
    }
    return branch.cell;
  }

  /** In the order in which they were first asked for. */
  get all(): readonly Sample<C>[] {
    return this.#all;
  }
}

/** Label values are not joined into one key: a name may have every character. */
interface Branch<C> {
  cell: C | null;
  readonly next: Map<string, Branch<C>>;
}

/** How values are spread over buckets. */
export class Distribution {
  readonly #bounds: readonly number[];
  /**
   * One for each bound, and one for what is above them all. Numbers in typed arrays are changed in place: nothing is
   * allocated.
   */
  readonly #counts: Float64Array;
  readonly #sum = new Float64Array(1);

  /** `bounds`: the highest value of each bucket, rising. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum[0] = this.sum + value;
  }

  get sum(): number {
    return this.#sum[0] ?? 0;
  }

  /** How many values are at most each bound, and at the end how many there are. */
  get upTo(): readonly number[] {
    let count = 0;
    return Array.from(this.#counts, (each) => (count += each));
  }
}
