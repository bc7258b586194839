import type { Inline } from "../contract/content.ts";

/** What a run of marks can become. */
type Mark = "bold" | "italic" | "strike" | "spoiler";

/** A run of one mark's characters. What is left of it when all is matched is text. */
export interface Run {
  readonly is: "run";
  readonly char: string;
  readonly length: number;
  /** Place among the runs of its text. */
  readonly index: number;
  left: number;
  readonly opens: boolean;
  readonly closes: boolean;
  /** Marks that end here, the innermost first, and that begin here, the innermost first. */
  readonly ends: Mark[];
  readonly begins: Mark[];
  before: Run | null;
  after: Run | null;
}

/** `[` or `![`; `href` once it is known to begin a link. */
export interface Bracket {
  readonly is: "bracket";
  readonly text: "[" | "![";
  /** The runs behind this one stand within the brackets. */
  readonly last: Run | null;
  href: string | null;
}

/** A paragraph taken apart: in order, not yet nested. */
export type Piece = Inline | Run | Bracket | { readonly is: "link end" };

/** The runs of a text that may still be matched, linked in their order. */
export class Runs {
  last: Run | null = null;
  private count = 0;

  add(char: string, length: number, opens: boolean, closes: boolean): Run {
    const { last } = this;
    const run: Run = {
      is: "run",
      char,
      length,
      left: length,
      index: this.count,
      opens,
      closes,
      ends: [],
      begins: [],
      before: last,
      after: null,
    };
    if (last !== null) last.after = run;
    this.last = run;
    this.count += 1;
    return run;
  }

  /**
   * Matches the runs behind `bottom` (null: all) with each other and forgets them, as "process emphasis" of CommonMark does; runs of `~` and `|`
   * match whole only.
   */
  match(bottom: Run | null): void {
    // For runs alike, where looking for an opener has been in vain already: without it the work were quadratic.
    const floors = new Map<string, number>();
    let closer = bottom === null ? this.first() : bottom.after;
    while (closer !== null) {
      const next: Run | null = closer.closes ? this.close(closer, bottom, floors) : closer.after;
      closer = next;
    }
    this.last = bottom;
    if (bottom !== null) bottom.after = null;
  }

  /** Gives the run to go on with. */
  private close(closer: Run, bottom: Run | null, floors: Map<string, number>): Run | null {
    const kind = `${closer.char}${closer.opens ? 1 : 0}${closer.char === "*" || closer.char === "_" ? closer.length % 3 : 0}`;
    const floor = floors.get(kind) ?? bottom?.index ?? -1;
    let opener = closer.before;
    while (opener !== null && opener.index > floor && !fits(opener, closer)) opener = opener.before;
    if (opener === null || opener.index <= floor) {
      floors.set(kind, closer.index - 1);
      const { after } = closer;
      if (!closer.opens) this.remove(closer);
      return after;
    }
    const width = opener.char === "~" || opener.char === "|" || (opener.left > 1 && closer.left > 1) ? 2 : 1;
    const mark = markOf(opener.char, width);
    opener.begins.push(mark);
    closer.ends.push(mark);
    opener.left -= width;
    closer.left -= width;
    // What stands between could only overlap.
    opener.after = closer;
    closer.before = opener;
    if (opener.left === 0) this.remove(opener);
    if (closer.left > 0) return closer;
    const { after } = closer;
    this.remove(closer);
    return after;
  }

  private first(): Run | null {
    let run = this.last;
    while (run !== null && run.before !== null) run = run.before;
    return run;
  }

  private remove(run: Run): void {
    if (run.before !== null) run.before.after = run.after;
    if (run.after === null) this.last = run.before;
    else run.after.before = run.before;
  }
}

function fits(opener: Run, closer: Run): boolean {
  if (!opener.opens || opener.char !== closer.char) return false;
  if (opener.char === "~" || opener.char === "|") return true;
  if (!opener.closes && !closer.opens) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

function markOf(char: string, width: number): Mark {
  if (char === "~") return "strike";
  if (char === "|") return "spoiler";
  return width === 2 ? "bold" : "italic";
}

interface Level {
  readonly of: Inline[];
  readonly inLink: boolean;
  /** Null: only the words are kept. */
  readonly wrap: ((of: readonly Inline[]) => Inline) | null;
}

/** The pieces as a tree. Marks deeper than `maxDepth` are left out; their words stay. */
export function nest(pieces: readonly Piece[], maxDepth: number): readonly Inline[] {
  const root: Inline[] = [];
  const stack: Level[] = [];
  const top = (): Inline[] => stack.at(-1)?.of ?? root;
  const open = (link: boolean, wrap: (of: readonly Inline[]) => Inline): void => {
    const inLink = stack.at(-1)?.inLink === true;
    // A link holds no link, also no picture's.
    const keeps = stack.length < maxDepth && !(link && inLink);
    stack.push({ of: [], inLink: link || inLink, wrap: keeps ? wrap : null });
  };
  const close = (): void => {
    const level = stack.pop();
    if (level === undefined) return;
    for (const inline of level.wrap === null ? level.of : [level.wrap(level.of)]) put(top(), inline);
  };
  for (const piece of pieces) {
    if (!("is" in piece)) put(top(), piece);
    else if (piece.is === "link end") close();
    else if (piece.is === "run") {
      for (let count = piece.ends.length; count > 0; count -= 1) close();
      if (piece.left > 0) put(top(), { t: "text", text: piece.char.repeat(piece.left) });
      for (const t of piece.begins.toReversed()) open(false, (of) => ({ t, of }));
    } else {
      const { href } = piece;
      if (href === null) put(top(), { t: "text", text: piece.text });
      else open(true, (of) => ({ t: "link", href, of }));
    }
  }
  return root;
}

/** Text behind text becomes one. */
function put(of: Inline[], inline: Inline): void {
  const last = of.at(-1);
  if (inline.t === "text" && last?.t === "text") of[of.length - 1] = { t: "text", text: last.text + inline.text };
  else of.push(inline);
}
