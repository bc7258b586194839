import type { Block, Inline } from "../contract/content.ts";
import type { UserRef } from "../contract/ids.ts";
import { markedItem } from "./list-text.ts";
import { hidden } from "./spoilers.ts";

/** What an inline element does to its text. */
export type Wrap =
  | { readonly t: "bold" | "italic" | "underline" | "strike" | "spoiler" }
  | { readonly t: "code" }
  | { readonly t: "colour"; readonly fore: string | null; readonly back: string | null }
  | { readonly t: "link"; readonly href: string }
  | { readonly t: "mention"; readonly user: UserRef };

/** A piece of text with the elements it is in, the outermost first. */
interface Leaf {
  text: string;
  readonly t: "text" | "emoji";
  readonly path: readonly Wrap[];
}

interface Frame {
  readonly blocks: Block[];
  /** The paragraph under way. */
  leaves: Leaf[];
  /** Line breaks to come before the next text of the paragraph. */
  gap: number;
  /** Items of the list that this frame is. */
  readonly items: (readonly Block[])[] | null;
}

/**
 * Makes the tree out of what a parser of HTML meets, in its order. Spaces collapse as they do on a page; paragraphs
 * side by side are one, with line breaks between. What `open` and its like return ends what they began; ends come in
 * the reverse order of the beginnings.
 */
export class HtmlBuilder {
  private readonly frames: Frame[] = [newFrame(false)];
  private path: readonly Wrap[] = [];
  /** The text of `<pre>`, null outside of one. */
  private raw: string | null = null;
  private lang: string | null = null;
  /** A part of the text of `<pre>` is to be hidden, so all of it is: code holds no spoiler. */
  private isHidden = false;

  get inPre(): boolean {
    return this.raw !== null;
  }

  text(text: string): void {
    if (this.raw !== null) this.raw += text;
    else this.add("text", text.replaceAll(/[ \t\n\r\f]+/g, " "));
  }

  emoji(text: string): void {
    if (this.raw !== null) this.raw += text;
    else this.add("emoji", text);
  }

  lineBreak(): void {
    if (this.raw !== null) this.raw += "\n";
    else if (this.frame.leaves.length > 0) this.put("text", "\n");
  }

  rule(): void {
    this.gap(1);
    this.text("---");
    this.gap(1);
  }

  /** A border of an element that stands on lines of its own. */
  gap(lines: number): void {
    const { frame } = this;
    if (frame.leaves.length === 0) return;
    if (frame.gap === 0) endLine(frame.leaves);
    frame.gap = Math.max(frame.gap, lines);
  }

  /** A cell of a table that is not the first of its row comes after a bar. */
  cell(): void {
    const { frame } = this;
    const begins = frame.leaves.length === 0 || frame.gap > 0;
    if (!begins) this.text(" | ");
  }

  open(wrap: Wrap): () => void {
    const before = this.path;
    this.isHidden ||= wrap.t === "spoiler";
    // The same within the same says nothing, and neither links nor mentions hold links.
    const nested = before.some(({ t }) => t === wrap.t || (isAddress(t) && isAddress(wrap.t)));
    if (!nested || wrap.t === "colour") this.path = [...before, wrap];
    return () => {
      this.path = before;
    };
  }

  /** `start`: the first number, null for bullets. */
  list(start: number | null): () => void {
    this.flush();
    this.frames.push(newFrame(true));
    return () => {
      this.flush();
      const { items, blocks } = this.frames.pop() ?? newFrame(true);
      const all = [...(items ?? []), ...(blocks.length === 0 ? [] : [blocks])];
      if (all.length === 0) return;
      if (start === null || start === 1) this.frame.blocks.push({ t: "list", ordered: start === 1, items: all });
      else this.frame.blocks.push(...all.flatMap((item, index) => markedItem(`${start + index}. `, item)));
    };
  }

  item(): () => void {
    const { items } = this.frame;
    if (items === null) {
      this.gap(1);
      return () => {
        this.gap(1);
      };
    }
    return this.container((blocks) => {
      if (blocks.length > 0) items.push(blocks);
      return [];
    });
  }

  /** Blocks of its own; `done` says what becomes of them. */
  container(done: (blocks: readonly Block[]) => readonly Block[]): () => void {
    this.flush();
    this.frames.push(newFrame(false));
    return () => {
      this.flush();
      const { blocks } = this.frames.pop() ?? newFrame(false);
      this.frame.blocks.push(...done(blocks));
    };
  }

  pre(): (() => void) | null {
    if (this.raw !== null) return null;
    this.flush();
    this.raw = "";
    this.lang = null;
    this.isHidden = this.path.some(({ t }) => t === "spoiler");
    return () => {
      // A line break at either end belongs to the markup.
      const text = (this.raw ?? "").replace(/^\r?\n/, "").replace(/\r?\n$/, "");
      this.raw = null;
      if (text === "") return;
      const block: Block = { t: "pre", text: text.replaceAll(/\r\n?/g, "\n"), lang: this.lang };
      this.frame.blocks.push(...(this.isHidden ? hidden([block]) : [block]));
    };
  }

  /** Of the `<pre>` under way. */
  language(lang: string | null): null {
    this.lang ??= lang;
    return null;
  }

  end(): readonly Block[] {
    this.flush();
    return this.frame.blocks;
  }

  private get frame(): Frame {
    const frame = this.frames.at(-1);
    if (frame === undefined) throw new Error("more ends than beginnings");
    return frame;
  }

  private add(t: Leaf["t"], text: string): void {
    const { frame } = this;
    const last = frame.leaves.at(-1);
    const atStart = last === undefined || frame.gap > 0 || last.text.endsWith(" ") || last.text.endsWith("\n");
    const words = atStart && t === "text" ? text.replace(/^ +/, "") : text;
    if (words !== "") this.put(t, words);
  }

  private put(t: Leaf["t"], text: string): void {
    const { frame, path } = this;
    if (frame.gap > 0 || text.startsWith("\n")) trimLast(frame.leaves);
    if (frame.gap > 0 && frame.leaves.length > 0)
      frame.leaves.push({ t: "text", text: "\n".repeat(frame.gap), path: [] });
    frame.gap = 0;
    const last = frame.leaves.at(-1);
    if (last?.path === path && last.t === t && t === "text") last.text += text;
    else frame.leaves.push({ t, text, path });
  }

  private flush(): void {
    const { frame } = this;
    endLine(frame.leaves);
    const of = nested(frame.leaves, 0);
    if (of.length > 0) frame.blocks.push({ t: "para", of });
    frame.leaves = [];
    frame.gap = 0;
  }
}

function newFrame(isList: boolean): Frame {
  return { blocks: [], leaves: [], gap: 0, items: isList ? [] : null };
}

function isAddress(t: Wrap["t"]): boolean {
  return t === "link" || t === "mention";
}

/** Without the spaces at the end of what there is of the line. */
function trimLast(leaves: Leaf[]): void {
  for (let last = leaves.at(-1); last?.text.endsWith(" ") === true && last.t === "text"; last = leaves.at(-1)) {
    last.text = withoutSpaces(last.text);
    if (last.text !== "") return;
    leaves.pop();
  }
}

/** Spaces before a border show nothing, and one line break there is none. */
function endLine(leaves: Leaf[]): void {
  trimLast(leaves);
  const last = leaves.at(-1);
  if (last?.text.endsWith("\n") !== true) return;
  last.text = last.text.slice(0, -1);
  if (last.text === "") leaves.pop();
  trimLast(leaves);
}

function withoutSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charAt(end - 1) === " ") end -= 1;
  return text.slice(0, end);
}

/** The leaves as a tree: what stands side by side in one element is together in it. */
function nested(leaves: readonly Leaf[], depth: number): readonly Inline[] {
  const of: Inline[] = [];
  for (let from = 0; from < leaves.length;) {
    const wrap = leaves[from]?.path[depth];
    let to = from + 1;
    while (to < leaves.length && leaves[to]?.path[depth] === wrap) to += 1;
    const part = leaves.slice(from, to);
    if (wrap === undefined) of.push(...part.map(inlineOf));
    else of.push(wrapOf(wrap, part, depth + 1));
    from = to;
  }
  return of;
}

function inlineOf({ t, text }: Leaf): Pick<Leaf, "t" | "text"> {
  // A space that does not break is a space everywhere else.
  return { t, text: text.replaceAll("\u00a0", " ") };
}

function wrapOf(wrap: Wrap, leaves: readonly Leaf[], depth: number): Inline {
  if (wrap.t === "code" || wrap.t === "mention") {
    const text = leaves.map((leaf) => inlineOf(leaf).text).join("");
    return wrap.t === "code" ? { t: "code", text } : { t: "mention", user: wrap.user, text };
  }
  return { ...wrap, of: nested(leaves, depth) };
}
