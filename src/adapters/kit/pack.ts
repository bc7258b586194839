import type { Block } from "../../contract/content.ts";
import type { Loss } from "../../contract/outcome.ts";
import { cut, cutPoints, measure, type TextUnit } from "../../content/length.ts";
import {
  lettersOf,
  sizeOf as sizeOfBlock,
  sliceBlock,
  wholeUpTo,
  windowOf,
  withoutLinks,
} from "../../content/slice.ts";
import { paraOf } from "./words.ts";

/** A text ends at a line or a word when there is one in its last part of this size. */
const TAIL = 200;
/** Before it is protected, a piece of this share of a message fits as a rule. */
const ROOM = 0.9;
/** Letters that are so many times too many are not rendered: mentions may be shorter than what they show. */
const SHORTER_MAX = 2;
/** Units of UTF-16 of one code point: so far a block is looked at for what may fit. */
const WINDOW = 2;
/** An address that takes more of a message than this is text, and may be cut. */
const ADDRESS_MAX = 0.5;

interface PackOptions {
  /** Of one text, and of the first, before which something else stands. */
  readonly textMax: number;
  readonly firstMax: number;
  /** By which `textMax` and letters are measured. */
  readonly unit: TextUnit;
  /** How much of `textMax` these take as they are sent. */
  readonly sizeOf: (blocks: readonly Block[]) => number;
  /** Letters of the first block that are said already; 0 without it. */
  readonly from?: number;
}

/** A text, and what is said when it is: so many blocks, and so many letters of the next (`lettersOf`). */
export interface PackedText {
  readonly of: readonly Block[];
  readonly blocks: number;
  readonly at: number;
}

/**
 * As many blocks in each text as fit; a block that does not fit by itself is cut, and each part keeps its formatting. A
 * text may turn out to show nothing.
 */
export function pack(
  blocks: readonly Block[],
  { textMax, firstMax, unit, sizeOf, from = 0 }: PackOptions,
  losses: Loss[],
): readonly PackedText[] {
  const texts: PackedText[] = [];
  const isLong = (href: string): boolean => measure(href, unit) > textMax * ADDRESS_MAX;
  let [next, at] = [0, from];
  /** Of the next block. */
  let cuttable: { readonly block: Block; readonly size: number } | null = null;
  while (next < blocks.length) {
    const [first, ...rest] = blocks.slice(next, next + firstMax + textMax);
    if (first === undefined) break;
    const max = texts.length === 0 ? firstMax : textMax;
    cuttable ??= sized(withoutLinks(first, isLong));
    const isNear = cuttable.size - at <= max * SHORTER_MAX;
    const begun = at === 0 ? [first] : isNear ? sliceBlock(cuttable.block, at, Infinity) : [];
    const some = isNear ? likely([begun, ...rest.map((block) => [block])], max * SHORTER_MAX) : [];
    const count = fittingCount(some, (blocks) => sizeOf(blocks) <= max);
    if (count > 0) {
      [next, at, cuttable] = [next + count, 0, null];
      texts.push({ of: some.slice(0, count).flat(), blocks: next, at });
      continue;
    }
    const { block, base } = windowOf(cuttable.block, at, at + max * WINDOW + TAIL);
    const piece = pieceOf(block, at - base, { max, unit, sizeOf });
    if (piece.isPlain) losses.push({ what: "format", note: "its formatting leaves no room for the words" });
    at = base + piece.end;
    if (at >= cuttable.size) [next, at, cuttable] = [next + 1, 0, null];
    texts.push({ of: piece.of, blocks: next, at });
  }
  return texts;
}

const sized = (block: Block): { readonly block: Block; readonly size: number } => ({ block, size: sizeOfBlock(block) });

/** Blocks that stay together. */
type Group = readonly Block[];

/** The first of the groups, up to so many letters. */
function likely(groups: readonly Group[], max: number): readonly Group[] {
  let size = 0;
  const end = groups.findIndex((group) => {
    for (const block of group) size += sizeOfBlock(block) + 1;
    return size > max;
  });
  return end === -1 ? groups : groups.slice(0, end);
}

/** How many of the groups fit, found by halving: each look renders them and reads them back. */
function fittingCount(groups: readonly Group[], fits: (blocks: readonly Block[]) => boolean): number {
  if (groups.length > 0 && fits(groups.flat())) return groups.length;
  let [some, tooMany] = [0, groups.length];
  while (tooMany - some > 1) {
    const middle = (some + tooMany) >> 1;
    if (fits(groups.slice(0, middle).flat())) some = middle;
    else tooMany = middle;
  }
  return some;
}

interface CutPiece {
  readonly of: readonly Block[];
  /** Where the next one begins. */
  readonly end: number;
  /** It has lost its formatting. */
  readonly isPlain: boolean;
}

/** What of a block makes one text from a place on: marks, and signs that must be protected, take more room. */
function pieceOf(
  block: Block,
  from: number,
  { max, unit, sizeOf }: Pick<PackOptions, "unit" | "sizeOf"> & { readonly max: number },
): CutPiece {
  const letters = lettersOf(block);
  const piece = (most: number, isPlain: boolean): CutPiece => {
    const end = endOfPiece(block, letters, from, most, unit);
    const isBetween = end < letters.length && (block.t === "pre" ? "\n" : "\n ").includes(letters.charAt(end - 1));
    const shown = isBetween ? end - 1 : end;
    const of = isPlain ? [paraOf(letters.slice(from, shown))] : sliceBlock(block, from, shown);
    return { of, end, isPlain };
  };
  const fitting = (isPlain: boolean): CutPiece | null => {
    for (let most = Math.max(Math.floor(max * ROOM), 1); ;) {
      const some = piece(most, isPlain);
      const size = sizeOf(some.of);
      if (size <= max) return some;
      if (most === 1) return null;
      const taken = Math.min(most, measure(letters.slice(from, some.end), unit));
      const likely = Number.isFinite(size) ? (taken * max * ROOM) / size : taken / 2;
      most = Math.max(Math.min(Math.floor(likely), taken - 1), 1);
    }
  };
  return fitting(false) ?? fitting(true) ?? piece(1, true);
}

function endOfPiece(block: Block, letters: string, from: number, max: number, unit: TextUnit): number {
  const some = letters.slice(from, from + max * 2 + 64);
  // Of a letter with more marks than a text takes there is no whole one.
  const most = cut(some, max, unit) || cutPoints(some, max, unit) || Array.from(some.slice(0, 2))[0] || some;
  if (from + most.length >= letters.length) return letters.length;
  const tail = most.slice(-TAIL);
  const line = tail.lastIndexOf("\n");
  const place = line === -1 ? tail.lastIndexOf(" ") : line;
  const word = place === -1 ? most.length - addressIn(most) : most.length - tail.length + place + 1;
  const whole = wholeUpTo(block, from + word);
  return whole > from ? whole : from + most.length;
}

/** How many letters at the end are of an address that begins in the text, but not with it. */
function addressIn(text: string): number {
  const word = text.slice(Math.max(text.lastIndexOf(" "), text.lastIndexOf("\n")) + 1);
  return word.length < text.length && /https?:\/\/|www\./i.test(word) ? word.length : 0;
}
