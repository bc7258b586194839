/** More candidates than this are not looked at: a hint must not cost more than the work it belongs to. */
const maxCandidates = 2000;
/** A longer word is no misspelt name. */
const maxLength = 100;

/**
 * The candidate nearest to `word`, compared without case, or null when none is near enough (about one slip per
 * three characters). The first of several equally near wins.
 */
export function suggest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > maxLength) return null;
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > maxCandidates) break;
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const slips = distance(wanted, candidate.toLowerCase(), least);
    if (slips < least) [best, least] = [candidate, slips];
  }
  return best;
}

/**
 * Damerau-Levenshtein distance (optimal string alignment): insert, delete, replace, swap neighbours. A distance of at
 * least `enough` may be returned as any number from `enough` on.
 */
export function distance(a: string, b: string, enough = Infinity): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  let leastBefore = 0;
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let slips = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) slips = Math.min(slips, at(beforeLast, column - 2) + 1);
      current.push(slips);
      least = Math.min(least, slips);
    }
    // Every later row grows out of these two, a swap out of the one before.
    if (Math.min(least, leastBefore + 1) >= enough) return enough;
    leastBefore = least;
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
