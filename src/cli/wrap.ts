/** Columns of a terminal that nobody has made wider, and the most that a help text has. */
const WIDTH = 80;

/**
 * A paragraph as lines of at most 80 columns, each ended by a newline. `first` begins the first line, and `rest` the
 * others: as many spaces, if nothing else is given. A longer word stays whole. Pure.
 */
export function wrap(text: string, first = "", rest = " ".repeat(first.length)): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/u)) {
    if (line !== "" && first.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  lines.push(line);
  return lines.map((each, at) => `${at === 0 ? first : rest}${each}\n`).join("");
}

/** A term and what it means, as a row of two columns; `width` is the first column with its margins. Pure. */
export function row(term: string, text: string, width: number): string {
  const left = `  ${term}  `;
  return left.length > width ? `${left.trimEnd()}\n${wrap(text, " ".repeat(width))}` : wrap(text, left.padEnd(width));
}
