/** Line and column (both from 1; columns in UTF-16 units) of an offset in a text. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** As `positionAt`, for many places of one text: its lines are counted once. */
export function compilePositions(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0, ...Array.from(text.matchAll(/\n/gu), (match) => match.index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
