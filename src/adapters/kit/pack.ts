import type { Block } from "../../contract/content.ts";
import type { Loss } from "../../contract/outcome.ts";
import { cut, cutPoints, measure, type TextUnit } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { paraOf } from "./words.ts";

/** A text ends at a line or a word when there is one in its last part of this size. */
const TAIL = 200;
/** Before it is protected, a piece of this share of a message fits as a rule. */
const ROOM = 0.9;
/** Words that are so many times too long are not rendered: mentions may be shorter than what they show. */
const SHORTER_MAX = 2;

interface PackOptions {
  /** Of one text, and of the first, before which something else stands. */
  readonly textMax: number;
  readonly firstMax: number;
  /** By which `textMax` and words are measured. */
  readonly unit: TextUnit;
  /** How much of `textMax` these take as they are sent. */
  readonly sizeOf: (blocks: readonly Block[]) => number;
}

/** A text, and what is said when it is: so many blocks, and so many units of UTF-16 of the words of the next. */
export interface PackedText {
  readonly of: readonly Block[];
  readonly blocks: number;
  readonly at: number;
}

/** The words of a block, by which it is cut. */
export const wordsOfBlock = (block: Block): string => (block.t === "pre" ? block.text : plainText([block]));

/** A piece of a block. */
export const blockWith = (block: Block, words: string): Block =>
  block.t === "pre" ? { ...block, text: words } : paraOf(words);

/**
 * As many blocks in each text as fit; what does not fit by itself is cut, and told as a loss of its formatting. A text
 * may turn out to show nothing.
 */
export function pack(
  blocks: readonly Block[],
  { textMax, firstMax, unit, sizeOf }: PackOptions,
  losses: Loss[],
): readonly PackedText[] {
  const texts: PackedText[] = [];
  let next = 0;
  /** Of the words of the next block; null: it is whole, and has its formatting. */
  let at: number | null = null;
  while (next < blocks.length) {
    const [first, ...rest] = blocks.slice(next, next + firstMax + textMax);
    if (first === undefined) break;
    const max = texts.length === 0 ? firstMax : textMax;
    const words = wordsOfBlock(first).slice(at ?? 0);
    const some = likely([at === null ? first : blockWith(first, words), ...rest], max * SHORTER_MAX);
    const count = fittingCount(some, (blocks) => sizeOf(blocks) <= max);
    let said: readonly Block[] = some.slice(0, count);
    if (count > 0) {
      next += count;
      at = null;
    } else if (at === null) {
      if (first.t !== "pre" && losses.length === 0 && !isPlain(first))
        losses.push({ what: "format", note: "a text this long is sent without its formatting" });
      // Without its formatting it may fit, and others behind it.
      at = 0;
      continue;
    } else {
      const size = fittingSize(words, { max, unit, fits: (text) => sizeOf([blockWith(first, text)]) <= max });
      said = [blockWith(first, size < words.length ? words.slice(0, size).replace(/\n$/, "") : words)];
      at = size < words.length ? at + size : null;
      if (at === null) next += 1;
    }
    texts.push({ of: said, blocks: next, at: at ?? 0 });
  }
  return texts;
}

/** The first of the blocks, up to so many units of words. */
function likely(blocks: readonly Block[], max: number): readonly Block[] {
  let size = 0;
  const end = blocks.findIndex((block) => (size += wordsOfBlock(block).length + 1) > max);
  return end === -1 ? blocks : blocks.slice(0, end);
}

/** How many of the blocks fit, found by halving: each look renders them and reads them back. */
function fittingCount(blocks: readonly Block[], fits: (blocks: readonly Block[]) => boolean): number {
  if (blocks.length > 0 && fits(blocks)) return blocks.length;
  let [some, tooMany] = [0, blocks.length];
  while (tooMany - some > 1) {
    const middle = (some + tooMany) >> 1;
    if (fits(blocks.slice(0, middle))) some = middle;
    else tooMany = middle;
  }
  return some;
}

const isPlain = (block: Block): boolean => block.t === "para" && block.of.every(({ t }) => t === "text");

interface Fit {
  readonly max: number;
  readonly unit: TextUnit;
  readonly fits: (text: string) => boolean;
}

/** How much of the words makes one text: signs that must be protected take more room. */
function fittingSize(words: string, { max, unit, fits }: Fit): number {
  let most = Math.max(Math.floor(max * ROOM), 1);
  for (;;) {
    const piece = pieceAt(words, most, unit);
    if (most === 1 || fits(piece)) return Math.max(piece.length, 1);
    most = Math.max(Math.floor(Math.min(most, measure(piece, unit)) / 2), 1);
  }
}

function pieceAt(text: string, max: number, unit: TextUnit): string {
  const some = text.slice(0, max * 2 + 64);
  // Of a letter with more marks than a text takes there is no whole one.
  const most = cut(some, max, unit) || cutPoints(some, max, unit) || text.slice(0, 2);
  if (most.length >= text.length) return most;
  const tail = most.slice(-TAIL);
  const line = tail.lastIndexOf("\n");
  const place = line === -1 ? tail.lastIndexOf(" ") : line;
  return place === -1 ? most : most.slice(0, most.length - tail.length + place + 1);
}
