import type { Inline } from "../contract/content.ts";
import { endOfUrl } from "./links.ts";
import { AUTOLINK, codeText, ESCAPABLE, kindOf, PUNCTUATION, readTarget, SPACE, WORD } from "./markdown-scan.ts";
import { type Bracket, nest, type Piece, Runs } from "./markdown-tree.ts";

/**
 * The text of one paragraph or heading, without the spaces at the edges of its lines: emphasis, code, links, images, addresses in `<>`, escapes
 * and line breaks as CommonMark has them, `~~strike~~` of GFM and `||spoiler||` of chats. HTML, entities and reference links are text.
 */
export function parseInline(text: string): readonly Inline[] {
  if (!MARKS.test(text)) return text === "" ? [] : [{ t: "text", text }];
  return nest(new Scanner(text).scan(), DEPTH_MAX);
}

/** Without one of these a text is plain. */
const MARKS = /[*_`~|[\\<]/;
const DEPTH_MAX = 32;

/** What has a meaning, or begins an address. */
const SPECIAL = /[*_`~|[\]!\\<]|https?:\/\//gi;

class Scanner {
  private readonly pieces: Piece[] = [];
  private readonly runs = new Runs();
  private readonly brackets: Bracket[] = [];
  /** So many of these are outside a link: none of them can begin one, only an image. */
  private inactive = 0;
  /** Lengths of backtick runs that no run ahead closes. */
  private readonly unclosed = new Set<number>();
  /** Where the text begins that is not yet a piece. */
  private from = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  scan(): readonly Piece[] {
    let at = 0;
    for (;;) {
      SPECIAL.lastIndex = at;
      const match = SPECIAL.exec(this.text);
      if (match === null) break;
      at = this.special(match.index);
    }
    this.flush(this.text.length);
    this.runs.match(null);
    return this.pieces;
  }

  /** Gives where to go on. */
  private special(at: number): number {
    const char = this.text.charAt(at);
    switch (char) {
      case "*":
      case "_":
      case "~":
      case "|":
        return this.run(at, char);
      case "`":
        return this.code(at);
      case "[":
        return this.bracket(at, "[");
      case "!":
        return this.text.charAt(at + 1) === "[" ? this.bracket(at, "![") : at + 1;
      case "]":
        return this.linkEnd(at);
      case "\\":
        return this.escape(at);
      case "<":
        return this.autolink(at);
      default:
        // An address is text from its beginning to its end.
        return this.isWord(at - 1) ? at + 1 : Math.max(endOfUrl(this.text, at), at + 1);
    }
  }

  private isWord(at: number): boolean {
    return /^[\p{L}\p{N}]$/u.test(this.text.charAt(at));
  }

  private flush(to: number): void {
    if (to > this.from) this.pieces.push({ t: "text", text: this.text.slice(this.from, to) });
  }

  private put(at: number, end: number, piece: Piece): number {
    this.flush(at);
    this.pieces.push(piece);
    this.from = end;
    return end;
  }

  private run(at: number, char: string): number {
    let end = at + 1;
    while (this.text.charAt(end) === char) end += 1;
    const length = end - at;
    if ((char === "~" || char === "|") && length !== 2) return end;
    const before = kindOf(this.text, at - 1);
    const after = kindOf(this.text, end);
    const left = after === WORD || (after === PUNCTUATION && before !== WORD);
    const right = before === WORD || (before === PUNCTUATION && after !== WORD);
    let [opens, closes] = [left, right];
    if (char === "_")
      [opens, closes] = [left && (!right || before === PUNCTUATION), right && (!left || after === PUNCTUATION)];
    if (char === "|") [opens, closes] = [after !== SPACE, before !== SPACE];
    if (!opens && !closes) return end;
    return this.put(at, end, this.runs.add(char, length, opens, closes));
  }

  private code(at: number): number {
    let begin = at + 1;
    while (this.text.charAt(begin) === "`") begin += 1;
    const length = begin - at;
    if (this.unclosed.has(length)) return begin;
    for (let close = this.text.indexOf("`", begin); close !== -1;) {
      let end = close + 1;
      while (this.text.charAt(end) === "`") end += 1;
      if (end - close === length)
        return this.put(at, end, { t: "code", text: codeText(this.text.slice(begin, close)) });
      close = this.text.indexOf("`", end);
    }
    this.unclosed.add(length);
    return begin;
  }

  private bracket(at: number, text: "[" | "!["): number {
    const bracket: Bracket = { is: "bracket", text, last: this.runs.last, href: null };
    this.brackets.push(bracket);
    return this.put(at, at + text.length, bracket);
  }

  private linkEnd(at: number): number {
    const bracket = this.brackets.pop();
    const inactive = bracket?.text === "[" && this.brackets.length < this.inactive;
    this.inactive = Math.min(this.inactive, this.brackets.length);
    if (bracket === undefined || inactive) return at + 1;
    const target = readTarget(this.text, at + 1);
    if (target === null) return at + 1;
    this.runs.match(bracket.last);
    bracket.href = target.href;
    if (bracket.text === "[") this.inactive = this.brackets.length;
    return this.put(at, target.end, { is: "link end" });
  }

  private escape(at: number): number {
    const next = this.text.charAt(at + 1);
    if (!ESCAPABLE.test(next)) return at + 1;
    this.flush(at);
    this.from = at + 1;
    return at + 2;
  }

  private autolink(at: number): number {
    AUTOLINK.lastIndex = at;
    const groups = AUTOLINK.exec(this.text)?.groups;
    const [url, mail] = [groups?.["url"], groups?.["mail"]];
    const text = url ?? mail;
    if (text === undefined) return at + 1;
    const href = url ?? `mailto:${mail}`;
    return this.put(at, at + text.length + 2, { t: "link", href, of: [{ t: "text", text }] });
  }
}
