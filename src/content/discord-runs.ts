interface Run {
  readonly at: number;
  readonly end: number;
}

/**
 * Where styles of one sign end in Discord's text, whose engine takes the first end there is: two signs behind each
 * other end a bold or an underlined text, and one of an odd number an italic one. Each answer takes logarithmic time.
 */
export class DiscordRuns {
  readonly #text: string;
  readonly #sign: "*" | "_";
  readonly #all: readonly Run[];
  readonly #odd: readonly Run[];
  readonly #many: readonly Run[];

  constructor(text: string, sign: "*" | "_") {
    this.#text = text;
    this.#sign = sign;
    const found: Run[] = [];
    for (const { index, 0: run } of text.matchAll(sign === "*" ? /\\[^]|\*+/g : /\\[^]|_+/g))
      if (!run.startsWith("\\")) found.push({ at: index, end: index + run.length });
    this.#all = found;
    this.#odd = found.filter(({ at, end }) => (end - at) % 2 === 1);
    this.#many = found.filter(({ at, end }) => end - at >= 2);
  }

  /** Where the two signs are that end what two signs at a place begin, before `to`; -1: nowhere. */
  double(place: number, to: number): number {
    if (this.#text.charAt(place + 1) !== this.#sign) return -1;
    // There is at least one character between.
    const least = place + 3;
    const run = this.#many[firstWith(this.#many, ({ end }) => end >= least + 2)];
    if (run !== undefined && run.end <= to) return run.end - 2;
    const split = this.#splitBy(to);
    return split !== null && to - 2 >= Math.max(split.at, least) ? to - 2 : -1;
  }

  /** The same of one sign. */
  single(place: number, to: number): number {
    const first = place + 1;
    if (first >= to || (this.#sign === "*" && isBlank(this.#text, first))) return -1;
    const own = this.#runAt(first);
    const ownEnd = own === null ? first : Math.min(own.end, to);
    const length = ownEnd - first;
    if (length % 2 === 1) return length === 1 ? -1 : this.#endAt(ownEnd, to);
    const run = this.#odd[firstWith(this.#odd, ({ at }) => at >= ownEnd)];
    if (run !== undefined && run.end <= to) return this.#ends(run, to);
    const split = this.#splitBy(to);
    const isOdd = split !== null && split.at >= ownEnd && (to - split.at) % 2 === 1;
    return isOdd ? this.#ends({ at: split.at, end: to }, to) : -1;
  }

  #ends({ at, end }: Run, to: number): number {
    // A star behind a space may begin a list.
    const isFree = this.#sign === "*" && end - at === 1 && isBlank(this.#text, at - 1);
    return isFree ? -1 : this.#endAt(end, to);
  }

  /** A `_` ends nothing within a word. */
  #endAt(end: number, to: number): number {
    const isWithin = this.#sign === "_" && end < to && /^[A-Za-z\d]$/.test(this.#text.charAt(end));
    return isWithin ? -1 : end - 1;
  }

  /** The one that a place is in. */
  #runAt(place: number): Run | null {
    const run = this.#all[firstWith(this.#all, ({ end }) => end > place)];
    return run !== undefined && run.at <= place ? run : null;
  }

  /** The one that begins before a place and ends behind it. */
  #splitBy(place: number): Run | null {
    const run = this.#runAt(place);
    return run !== null && run.at < place ? run : null;
  }
}

const isBlank = (text: string, at: number): boolean => /^\s?$/.test(text.charAt(at));

/** The index of the first of some runs that is so; all behind it are. */
function firstWith(runs: readonly Run[], isSo: (run: Run) => boolean): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const run = runs[middle];
    if (run !== undefined && isSo(run)) high = middle;
    else low = middle + 1;
  }
  return low;
}
