/** One thing said: the n-th by somebody in a round, by the name of the network or another. */
export interface Line {
  readonly round: number;
  readonly from: string;
  readonly n: number;
}

const LINE = /\bf(?<round>\d+)-(?<from>[a-z]+\d*)-(?<n>\d+)\b/u;

export function wordsOf({ round, from, n }: Line): string {
  return `f${round}-${from}-${n}`;
}

/** The line that a text holds; null when it is something else. */
export function lineIn(text: string): Line | null {
  const found = LINE.exec(text)?.groups;
  if (found === undefined) return null;
  return { round: Number(found["round"]), from: found["from"] ?? "", n: Number(found["n"]) };
}

/** What became, at one end, of what one person said in a round. */
export interface Verdict {
  readonly lost: readonly number[];
  readonly doubled: readonly number[];
  /** Lines that came after a later one, the first time. */
  readonly disordered: readonly number[];
}

/** `said`: they are numbered from 1; `heard`: their numbers in the order in which they came. */
export function verdict(said: number, heard: readonly number[]): Verdict {
  const seen = new Set<number>();
  const doubled: number[] = [];
  const disordered: number[] = [];
  let highest = 0;
  for (const n of heard) {
    if (seen.has(n)) doubled.push(n);
    else if (n < highest) disordered.push(n);
    seen.add(n);
    highest = Math.max(highest, n);
  }
  const lost = Array.from({ length: said }, (_, at) => at + 1).filter((n) => !seen.has(n));
  return { lost, doubled, disordered };
}
