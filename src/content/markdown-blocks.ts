/** Blocks of Markdown whose text is not yet read. `line`, `end`: its first line in the source, and the last. */
export type RawBlock =
  | { readonly is: "para"; readonly lines: string[]; readonly line: number; end: number }
  | { readonly is: "heading"; readonly level: number; readonly text: string }
  | { readonly is: "pre"; readonly lines: string[]; readonly fence: Fence | null }
  /** A line of marks that divides; it is shown as it is. */
  | { readonly is: "break"; readonly text: string }
  | { readonly is: "quote"; readonly of: RawBlock[] }
  | RawList;

export interface RawList {
  readonly is: "list";
  /** What two items of one list have alike: the bullet, or what stands behind the number. */
  readonly kind: string;
  /** The first number; null for bullets. */
  readonly start: number | null;
  readonly items: RawItem[];
}

interface RawItem {
  readonly marker: string;
  readonly of: RawBlock[];
}

interface Fence {
  readonly char: string;
  readonly length: number;
  readonly indent: number;
  /** What stands behind the opening marks. */
  readonly info: string;
}

/** An open quote or item. `width`: the columns that belong to the item's marker; null for a quote. */
interface Container {
  readonly of: RawBlock[];
  readonly width: number | null;
}

/** Quotes and lists within each other; what is deeper is text. */
const DEPTH_MAX = 16;

/**
 * The block structure of CommonMark 0.31, line by line as its appendix "A parsing strategy" says, without reference definitions, HTML blocks and
 * underlined headings. Takes time in proportion to the length of the text.
 */
export function readBlocks(text: string): readonly RawBlock[] {
  const reader = new Reader();
  for (const [number, line] of text.split("\n").entries()) reader.line(line, number);
  return reader.root;
}

class Reader {
  readonly root: RawBlock[] = [];
  private open: Container[] = [];
  /** The paragraph or the code that may go on. */
  private leaf: Extract<RawBlock, { is: "para" | "pre" }> | null = null;
  private rest = "";
  private number = 0;

  line(line: string, number: number): void {
    this.number = number;
    this.rest = line.includes("\t") ? withoutTabs(line) : line;
    const matched = this.matchContainers();
    const isWhole = matched === this.open.length;
    if (isWhole && this.leaf?.is === "pre" && this.goOnCode(this.leaf)) return;
    const depth = this.begin(matched, isWhole);
    if (depth !== null) this.text(depth);
  }

  /** Gives how many of the open containers the line goes on with. */
  private matchContainers(): number {
    for (const [index, { width, of }] of this.open.entries()) {
      const indent = indentOf(this.rest);
      if (width === null) {
        if (indent > 3 || this.rest.charAt(indent) !== ">") return index;
        this.rest = this.rest.slice(indent + (this.rest.charAt(indent + 1) === " " ? 2 : 1));
      } else if (indent >= width) this.rest = this.rest.slice(width);
      else if (indent !== this.rest.length || of.length === 0) return index;
      else this.rest = "";
    }
    return this.open.length;
  }

  /** Whether the line belongs to the code, or ends it. */
  private goOnCode(code: Extract<RawBlock, { is: "pre" }>): boolean {
    const indent = indentOf(this.rest);
    if (code.fence === null) {
      if (indent < 4 && indent < this.rest.length) return false;
      code.lines.push(this.rest.slice(4));
    } else if (indent < 4 && closes(this.rest, code.fence)) this.leaf = null;
    else code.lines.push(this.rest.slice(Math.min(indent, code.fence.indent)));
    return true;
  }

  /** Opens what the line begins; gives how many containers it is in then, null when nothing is left of it. */
  private begin(matched: number, isWhole: boolean): number | null {
    let depth = matched;
    let isFirst = true;
    for (;;) {
      const indent = indentOf(this.rest);
      // Within a paragraph, also a lazy one, an indented line is its text.
      const inPara = isFirst && this.leaf?.is === "para";
      if (indent === this.rest.length) return depth;
      if (indent > 3) {
        if (inPara) return depth;
        this.enter(depth).push((this.leaf = { is: "pre", lines: [this.rest.slice(4)], fence: null }));
        return null;
      }
      const words = this.rest.slice(indent);
      const leaf = leafOf(words, indent);
      if (leaf !== null) {
        this.enter(depth).push(leaf);
        this.leaf = leaf.is === "pre" ? leaf : null;
        return null;
      }
      if (depth >= DEPTH_MAX) return depth;
      if (words.startsWith(">")) {
        const of: RawBlock[] = [];
        this.enter(depth).push({ is: "quote", of });
        this.open.push({ of, width: null });
        this.rest = words.slice(words.charAt(1) === " " ? 2 : 1);
      } else if (!this.beginItem(words, indent, depth, inPara && isWhole)) return depth;
      depth += 1;
      isFirst = false;
    }
  }

  private beginItem(words: string, indent: number, depth: number, interrupts: boolean): boolean {
    const match = /^(?:[-+*]|(?<digits>\d{1,9})[.)])(?= |$)/.exec(words);
    if (match === null) return false;
    const [marker] = match;
    const digits = match.groups?.["digits"];
    const behind = words.slice(marker.length);
    const spaces = indentOf(behind);
    const isBlank = spaces === behind.length;
    if (interrupts && (isBlank || (digits !== undefined && Number(digits) !== 1))) return false;
    const gap = isBlank || spaces > 4 ? 1 : spaces;
    const kind = marker.slice(-1);
    const siblings = this.enter(depth);
    const last = siblings.at(-1);
    const item: RawItem = { marker, of: [] };
    if (last?.is === "list" && last.kind === kind) last.items.push(item);
    else siblings.push({ is: "list", kind, start: digits === undefined ? null : Number(digits), items: [item] });
    this.open.push({ of: item.of, width: indent + marker.length + gap });
    this.rest = behind.slice(gap);
    return true;
  }

  /** Closes what is deeper; gives the blocks to add to. */
  private enter(depth: number): RawBlock[] {
    this.open.length = depth;
    this.leaf = null;
    return this.open.at(-1)?.of ?? this.root;
  }

  private text(depth: number): void {
    const words = this.rest.trim();
    if (words !== "" && this.leaf?.is === "para") {
      // It goes on though the marks of its quote or list may be missing.
      this.leaf.lines.push(words);
      this.leaf.end = this.number;
    } else if (words === "") this.enter(depth);
    else this.enter(depth).push((this.leaf = { is: "para", lines: [words], line: this.number, end: this.number }));
  }
}

/** A heading, a dividing line or the beginning of a fence. */
function leafOf(words: string, indent: number): Exclude<RawBlock, { is: "para" | "quote" | "list" }> | null {
  const level = /^#{1,6}(?= |$)/.exec(words)?.[0].length;
  if (level !== undefined) return { is: "heading", level, text: withoutClosing(words.slice(level).trim()) };
  if (/^([-*_]) *(?:\1 *){2,}$/.test(words)) return { is: "break", text: words.trimEnd() };
  const marks = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(words)?.[0];
  if (marks === undefined) return null;
  const fence = { char: marks.charAt(0), length: marks.length, indent, info: words.slice(marks.length).trim() };
  return { is: "pre", lines: [], fence };
}

function withoutClosing(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === "#") end -= 1;
  return end === 0 || text.charAt(end - 1) === " " ? text.slice(0, end).trimEnd() : text;
}

function closes(line: string, { char, length }: Fence): boolean {
  const words = line.trim();
  return words.length >= length && words === char.repeat(words.length);
}

function indentOf(text: string): number {
  let at = 0;
  while (text.charCodeAt(at) === 0x20) at += 1;
  return at;
}

/** Tabs before the words are spaces up to the next column that four divides. */
function withoutTabs(line: string): string {
  const prefix = /^[\s>*+\-#\d.)]*/.exec(line)?.[0] ?? "";
  if (!prefix.includes("\t")) return line;
  let expanded = "";
  for (const char of prefix) expanded += char === "\t" ? " ".repeat(4 - (expanded.length % 4)) : char;
  return expanded + line.slice(prefix.length);
}
