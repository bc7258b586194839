import { printable, shorten } from "../lib/printable.ts";

/** Where a text is shown. */
export interface Screen {
  /** Columns; Infinity if unknown. */
  readonly width: number;
  readonly colour: boolean;
}

export type Colour = "red" | "yellow" | "green" | "dim" | "bold";

const CODES: Readonly<Record<Colour, string>> = { red: "31", yellow: "33", green: "32", dim: "2", bold: "1" };

export function paint(text: string, colour: Colour | null, screen: Screen): string {
  return colour === null || !screen.colour || text === "" ? text : `\u001b[${CODES[colour]}m${text}\u001b[0m`;
}

export interface Cell {
  readonly text: string;
  readonly colour?: Colour | null;
}

const GAP = "  ";
/** What a column keeps when the screen is narrow. */
const LEAST = 8;

/**
 * Rows as lines: columns as wide as they need to be, cut where the screen is too narrow, the last first, then the
 * widest. What comes from elsewhere cannot do anything to the terminal. Characters count as one column each, so that
 * wide ones may push a row to the right.
 */
export function table(rows: readonly (readonly Cell[])[], screen: Screen): string {
  const clean = rows.map((row) => row.map(({ text, colour = null }) => ({ text: printable(text), colour })));
  const columns = Math.max(0, ...clean.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(0, ...clean.map((row) => lengthOf(row[at]?.text ?? ""))),
  );
  narrow(widths, screen.width - GAP.length * Math.max(0, columns - 1));
  return clean
    .map((row) => {
      const cells = row.map(({ text, colour }, at) => {
        const width = widths[at] ?? 0;
        const short = shorten(text, width);
        const pad = at === row.length - 1 ? "" : " ".repeat(Math.max(0, width - lengthOf(short)));
        return paint(short, colour, screen) + pad;
      });
      return `${cells.join(GAP).trimEnd()}\n`;
    })
    .join("");
}

function narrow(widths: number[], room: number): void {
  const last = widths.length - 1;
  const lacking = widths.reduce((sum, width) => sum + width, 0) - room;
  const end = widths[last] ?? 0;
  // The last column has sentences, and their first words say more than half a name does.
  if (lacking > 0 && end > LEAST) widths[last] = Math.max(LEAST, end - lacking);
  for (;;) {
    const total = widths.reduce((sum, width) => sum + width, 0);
    const widest = Math.max(0, ...widths);
    if (total <= room || widest <= LEAST) return;
    const at = widths.indexOf(widest);
    widths[at] = Math.max(LEAST, widest - (total - room));
    // Not below the next widest at once: they share what is lacking.
    const second = Math.max(LEAST, ...widths.filter((_, index) => index !== at));
    widths[at] = Math.max(widths[at] ?? LEAST, Math.min(widest - 1, second));
  }
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
