import type { Inline } from "../contract/content.ts";
import { CHAT, type Dialect } from "./markdown-dialect.ts";
import { scan, type Token } from "./markdown-scan.ts";

/** The lines of a paragraph; those whose numbers are in `opaque` are text. */
export function parseLines(lines: readonly string[], opaque: ReadonlySet<number>): readonly Inline[] {
  const of: Inline[] = [];
  for (const [number, line] of lines.entries()) {
    const end = number === lines.length - 1 ? "" : "\n";
    if (opaque.has(number)) put(of, { t: "text", text: line + end });
    else {
      for (const inline of parseLine(line)) put(of, inline);
      if (end !== "") put(of, { t: "text", text: end });
    }
  }
  return of;
}

/**
 * One line: `*italic*`, `_italic_`, `**bold**`, `~~strike~~`, `||spoiler||`, code spans and `[words](http…)`. An
 * opener stands at the beginning, after white space, one of `( [ { " '` or another opener; a closer before the end,
 * white space, one of `. , ; : ! ? ) ] } " '` or another closer; and there are words between them. Typographic quotes
 * and brackets are as those of ASCII, and beside other signs that are not of ASCII all but `*` and `_` open and
 * close. A backslash before an opener or a closer makes the two of them text, and is left out; any other is text
 * itself.
 */
export function parseLine(line: string, dialect: Dialect = CHAT): readonly Inline[] {
  if (!dialect.signs.test(line)) return line === "" ? [] : [{ t: "text", text: line }];
  return treeOf(line, piecesIn(line, dialect));
}

/** Places for backslashes, after which a line is read as the text that it is; the first place first. */
export function placesToProtect(line: string): readonly number[] {
  if (!CHAT.signs.test(line)) return [];
  const places: number[] = [];
  for (const piece of piecesIn(line, CHAT)) {
    if (piece.is === "instead") continue;
    if (piece.is === "code") {
      places.push(piece.span.at);
      if (piece.span.closeSlashes > 0) places.push(piece.span.close);
    } else if (piece.pairs.some(({ opener }) => opener === piece.token)) places.push(piece.token.at);
    else if (piece.pairs.length > 0 && piece.token.slashes > 0) places.push(piece.token.at);
  }
  return places;
}

/** Pairs within each other; what is around more of them is text. */
const DEPTH_MAX = 16;

type Style = "bold" | "italic" | "strike" | "spoiler" | "link";

interface Pair {
  readonly style: Style;
  readonly opener: Token;
  readonly closer: Token;
  readonly isProtected: boolean;
}

/** A token and the pairs that it begins or ends, the innermost first. */
interface TokenPiece {
  readonly is: "token";
  readonly token: Token;
  readonly pairs: Pair[];
}

type Found = ReturnType<typeof scan>[number];
type Piece =
  | TokenPiece
  | { readonly is: "code"; readonly span: Extract<Found, { is: "code" }> }
  | Extract<Found, { is: "instead" }>;

/** An opener that waits for its closer. */
interface Open {
  readonly piece: TokenPiece;
  /** Marks that have no closer yet. */
  left: number;
  /** How deep the pairs after it are. */
  depth: number;
}

function piecesIn(line: string, dialect: Dialect): readonly Piece[] {
  const matcher = new Matcher();
  return scan(line, dialect).map((found): Piece => {
    if (found.is === "instead") return found;
    if (found.is === "code") return { is: "code", span: found };
    const piece: TokenPiece = { is: "token", token: found, pairs: [] };
    matcher.take(piece);
    return piece;
  });
}

/** Finds the opener of each closer: the last one of its kind. What stands open between the two is text. */
class Matcher {
  readonly #stack: Open[] = [];
  /** How many open ones there are of each kind, so that nobody looks for what is not there. */
  readonly #counts: number[] = [];
  /** Brackets before this place of the stack are around a link. */
  #dead = 0;

  take(piece: TokenPiece): void {
    const { token } = piece;
    const width = token.end - token.at;
    if (token.is === "]") this.#closeLink(piece);
    else if (token.closes && this.#close(piece, width) < width) return;
    else if (token.opens) this.#push({ piece, left: width, depth: 0 });
  }

  /** Gives how many of its marks have no opener. */
  #close(piece: TokenPiece, width: number): number {
    const { is } = piece.token;
    for (let left = width; ;) {
      const open = this.#last(kindsFor(is, left));
      if (open === null) return left;
      const marks = Math.min(open.left, left);
      for (const style of STYLES[is]?.[marks] ?? []) this.#pair(style, open, piece);
      this.#use(open, marks);
      left -= marks;
      if (left === 0) return 0;
    }
  }

  #closeLink(piece: TokenPiece): void {
    const open = this.#last(BRACKET);
    if (open === null) return;
    const isAround = this.#stack.length <= this.#dead;
    if (!isAround) this.#pair("link", open, piece);
    this.#use(open, 1);
    this.#dead = isAround ? Math.min(this.#dead, this.#stack.length) : this.#stack.length;
  }

  #pair(style: Style, { piece: opener, depth, left }: Open, closer: TokenPiece): void {
    if (closer.token.content < opener.token.end || depth + left > DEPTH_MAX) return;
    const isProtected = opener.token.slashes > 0 || closer.token.slashes > 0;
    const pair = { style, opener: opener.token, closer: closer.token, isProtected };
    opener.pairs.push(pair);
    closer.pairs.push(pair);
  }

  /** The last open one of some kinds; what stands open after it is closed as text. */
  #last(kinds: readonly number[]): Open | null {
    if (!kinds.some((kind) => (this.#counts[kind] ?? 0) > 0)) return null;
    for (;;) {
      const open = this.#stack.at(-1);
      if (open === undefined || kinds.includes(kindOf(open))) return open ?? null;
      this.#pop();
    }
  }

  #push(open: Open): void {
    this.#stack.push(open);
    this.#count(open, 1);
  }

  #pop(): void {
    const gone = this.#stack.pop();
    const below = this.#stack.at(-1);
    if (gone === undefined) return;
    this.#count(gone, -1);
    this.#dead = Math.min(this.#dead, this.#stack.length);
    if (below !== undefined) below.depth = Math.max(below.depth, gone.depth);
  }

  /** Takes marks off the last one. */
  #use(open: Open, marks: number): void {
    this.#count(open, -1);
    open.left -= marks;
    open.depth += marks;
    this.#count(open, 1);
    if (open.left === 0) this.#pop();
  }

  #count(open: Open, by: number): void {
    const kind = kindOf(open);
    this.#counts[kind] = (this.#counts[kind] ?? 0) + by;
  }
}

/** Of open ones: their sign and how many marks are left of them. */
const kindOf = ({ piece, left }: Open): number => SIGN_NUMBERS[piece.token.is] + left;

const SIGN_NUMBERS = { "*": 0, _: 4, "~": 8, "|": 12, "[": 16, "]": 20 } as const;
const BRACKET: readonly number[] = [SIGN_NUMBERS["["] + 1];

/** What a closer of so many marks can close: of stars and lines any number that goes into the other. */
function kindsFor(is: Token["is"], marks: number): readonly number[] {
  return KINDS[is]?.[marks] ?? [];
}

const KINDS: Readonly<Partial<Record<Token["is"], readonly (readonly number[])[]>>> = {
  "*": [[], [1, 3], [2, 3], [1, 2, 3]],
  _: [[], [5, 7], [6, 7], [5, 6, 7]],
  "~": [[], [], [10]],
  "|": [[], [], [14]],
};

/** By mark and number, the innermost first. */
const STYLES: Readonly<Partial<Record<Token["is"], Readonly<Record<number, readonly Style[]>>>>> = {
  "*": { 1: ["italic"], 2: ["bold"], 3: ["bold", "italic"] },
  _: { 1: ["italic"], 2: ["bold"], 3: ["bold", "italic"] },
  "~": { 2: ["strike"] },
  "|": { 2: ["spoiler"] },
};

const WIDTHS: Readonly<Record<Style, number>> = { bold: 2, italic: 1, strike: 2, spoiler: 2, link: 1 };

/** A style or a link that has begun. */
interface Level {
  readonly pair: Pair;
  readonly of: Inline[];
}

function treeOf(line: string, pieces: readonly Piece[]): readonly Inline[] {
  const root: Inline[] = [];
  const levels: Level[] = [];
  const add = (inline: Inline): void => put(levels.at(-1)?.of ?? root, inline);
  let from = 0;
  const addText = (to: number): void => {
    if (to > from) add({ t: "text", text: line.slice(from, to) });
    from = to;
  };
  for (const piece of pieces) {
    if (piece.is === "instead") {
      addText(piece.at);
      add({ t: "text", text: piece.text });
      from = piece.end;
      continue;
    }
    if (piece.is === "code") {
      const { at, close, closeSlashes, end, slashes, text } = piece.span;
      addText(at - Math.min(slashes, 1));
      from = at;
      if (slashes === 0) add({ t: "code", text });
      else {
        addText(close - Math.min(closeSlashes, 1));
        from = close;
        addText(end);
      }
      from = end;
      continue;
    }
    const { token, pairs } = piece;
    const real = pairs.filter(({ isProtected }) => !isProtected);
    const isProtected = token.slashes > 0 && pairs.length > 0;
    if (real.length === 0 && !isProtected) continue;
    addText(token.at - (isProtected ? 1 : 0));
    from = token.at;
    const rest = token.is === "]" ? 0 : token.end - token.at - real.reduce((sum, { style }) => sum + WIDTHS[style], 0);
    if (real.length === 0) addText(token.end);
    else if (real[0]?.opener === token) {
      addText(token.at + rest);
      for (const pair of real.toReversed()) levels.push({ pair, of: [] });
    } else {
      for (let count = real.length; count > 0; count -= 1) {
        const level = levels.pop();
        if (level !== undefined) add(inlineOf(level));
      }
      from = token.end - rest;
      addText(token.end);
    }
    from = token.end;
  }
  addText(line.length);
  return root;
}

function inlineOf({ pair: { style, closer }, of }: Level): Inline {
  return style === "link" ? { t: "link", href: closer.href, of } : { t: style, of };
}

/** Text after text becomes one. */
function put(of: Inline[], inline: Inline): void {
  const last = of.at(-1);
  if (inline.t === "text" && last?.t === "text") of[of.length - 1] = { t: "text", text: last.text + inline.text };
  else of.push(inline);
}
