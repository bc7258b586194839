import type { Block, Inline } from "../contract/content.ts";
import { shownLink } from "./links.ts";
import { markedItem } from "./list-text.ts";
import { plainText } from "./plain.ts";
import { overInlines } from "./tree.ts";

/**
 * Cuts a tree so that each part keeps its styles, links, quotes and code. A place in a block is a count of its letters:
 * units of UTF-16 of all its texts, with one line break between the blocks and items within it.
 */

type Link = Extract<Inline, { t: "link" }>;
type List = Extract<Block, { t: "list" }>;

/** A link of more letters may be cut: each part of it leads to the same address. */
const WHOLE_LINK_MAX = 256;

/** The letters of a block, by which it is cut. */
export function lettersOf(block: Block): string {
  switch (block.t) {
    case "para":
    case "heading":
      return inlineLetters(block.of);
    case "pre":
      return block.text;
    case "quote":
      return block.of.map(lettersOf).join("\n");
    case "list":
      return block.items.map((item) => item.map(lettersOf).join("\n")).join("\n");
  }
}

const inlineLetters = (of: readonly Inline[]): string => of.map(lettersIn).join("");

function lettersIn(inline: Inline): string {
  if (inline.t === "link") return isAddress(inline) ? inline.href : inlineLetters(inline.of);
  return "of" in inline ? inlineLetters(inline.of) : inline.text;
}

/** How many letters a block has. */
export function sizeOf(block: Block): number {
  switch (block.t) {
    case "para":
    case "heading":
      return sizeOfInlines(block.of);
    case "pre":
      return block.text.length;
    case "quote":
      return sizeOfAll(block.of) - 1;
    case "list":
      return Math.max(block.items.reduce((sum, item) => sum + sizeOfAll(item), 0) - 1, 0);
  }
}

/** Of blocks, with the line break behind them. */
const sizeOfAll = (blocks: readonly Block[]): number =>
  Math.max(
    blocks.reduce((sum, block) => sum + sizeOf(block) + 1, 0),
    1,
  );

const sizeOfInlines = (of: readonly Inline[]): number => of.reduce((sum, inline) => sum + sizeIn(inline), 0);

function sizeIn(inline: Inline): number {
  if (!("of" in inline)) return inline.text.length;
  return inline.t === "link" && isAddress(inline) ? inline.href.length : sizeOfInlines(inline.of);
}

/** Whether only the address of a link is shown. */
const isAddress = ({ href, of }: Link): boolean => shownLink(plainText([{ t: "para", of }]), href) === "address";

/** The letters from `from` up to `to`, with all their formatting; `to` Infinity: up to the end. */
export function sliceBlock(block: Block, from: number, to: number): readonly Block[] {
  if (from <= 0 && to === Infinity) return [block];
  switch (block.t) {
    case "para":
    case "heading":
      return [{ ...block, of: sliceInlines(block.of, from, to) }];
    case "pre":
      return [{ ...block, text: block.text.slice(Math.max(from, 0), to) }];
    case "quote":
      return [{ ...block, of: sliceBlocks(block.of, from, to) }];
    case "list":
      return sliceList(block, from, to);
  }
}

function sliceBlocks(blocks: readonly Block[], from: number, to: number): readonly Block[] {
  return within(blocks, sizeWithBreak, from, to).flatMap(({ one, at, size }) =>
    // Of the one before, only the line break behind it may be left.
    from > at && from >= at + size - 1 ? [] : sliceBlock(one, from - at, to < at + size - 1 ? to - at : Infinity),
  );
}

const sizeWithBreak = (block: Block): number => sizeOf(block) + 1;

/** An item whose mark is in an earlier part goes on without one; the numbers go on in words. */
function sliceList({ ordered, items }: List, from: number, to: number): readonly Block[] {
  const some = within(items, sizeOfAll, from, to).map(({ one, at, index }) => ({
    of: sliceBlocks(one, from - at, to - at),
    isBegun: at < from,
    index,
  }));
  const begun = some.flatMap(({ of, isBegun }) => (isBegun ? of : []));
  const whole = some.filter(({ isBegun }) => !isBegun);
  const isNumbered = ordered && whole[0]?.index !== 0;
  if (isNumbered) return [...begun, ...whole.flatMap(({ of, index }) => markedItem(`${index + 1}. `, of))];
  return whole.length === 0 ? begun : [...begun, { t: "list", ordered, items: whole.map(({ of }) => of) }];
}

interface Within<T> {
  readonly one: T;
  readonly at: number;
  readonly size: number;
  readonly index: number;
}

/** Those of which there is something between two places. */
function within<T>(all: readonly T[], sizeOf: (one: T) => number, from: number, to: number): readonly Within<T>[] {
  const some: Within<T>[] = [];
  let at = 0;
  for (const [index, one] of all.entries()) {
    if (at >= to) break;
    const size = sizeOf(one);
    if (at + size > from) some.push({ one, at, size, index });
    at += size;
  }
  return some;
}

function sliceInlines(of: readonly Inline[], from: number, to: number): readonly Inline[] {
  return within(of, sizeIn, from, to).flatMap(({ one, at, size }) =>
    at >= from && at + size <= to ? [one] : sliceInline(one, from - at, to - at),
  );
}

function sliceInline(inline: Inline, from: number, to: number): readonly Inline[] {
  if (!("of" in inline)) {
    const text = inline.text.slice(Math.max(from, 0), to);
    // No mark of code may stand beside a blank.
    if (inline.t === "code") return [{ t: "code", text: text.trim() }];
    return [{ t: "text", text }];
  }
  if (inline.t === "link" && isAddress(inline)) return [{ t: "text", text: inline.href.slice(Math.max(from, 0), to) }];
  const part = { ...inline, of: sliceInlines(inline.of, from, to) };
  // A link without words would be its address.
  return part.t === "link" && isAddress(part) ? part.of : [part];
}

interface Window {
  readonly block: Block;
  /** Where its first letter is in the block that it is a part of. */
  readonly base: number;
}

/** A part of a block that has all from `from` up to `to`: a very long one is cut without a look at all of it. */
export function windowOf(block: Block, from: number, to: number): Window {
  if (block.t !== "para" && block.t !== "heading") return { block, base: 0 };
  const { of, base } = windowIn(block.of, from, to);
  return { block: { ...block, of }, base };
}

function windowIn(
  of: readonly Inline[],
  from: number,
  to: number,
): { readonly of: readonly Inline[]; readonly base: number } {
  const some = within(of, sizeIn, from, to);
  const [first] = some;
  if (first === undefined) return { of: [], base: from };
  const all = some.map(({ one }) => one);
  if (!("of" in first.one) || first.one.t === "link") return { of: all, base: first.at };
  const inner = windowIn(first.one.of, from - first.at, to - first.at);
  return { of: [{ ...first.one, of: inner.of }, ...all.slice(1)], base: first.at + inner.base };
}

/** The last place up to `at` that is not within a mention, an emoji or a link; 0 is none. */
export function wholeUpTo(block: Block, at: number): number {
  switch (block.t) {
    case "para":
    case "heading":
      return wholeInlines(block.of, at);
    case "pre":
      return at;
    case "quote":
      return wholeBlocks(block.of, at);
    case "list": {
      const [last] = within(block.items, sizeOfAll, at - 1, at);
      return last === undefined ? at : last.at + wholeBlocks(last.one, at - last.at);
    }
  }
}

function wholeBlocks(blocks: readonly Block[], at: number): number {
  const [last] = within(blocks, sizeWithBreak, at - 1, at);
  return last === undefined ? at : last.at + wholeUpTo(last.one, at - last.at);
}

function wholeInlines(of: readonly Inline[], at: number): number {
  const [last] = within(of, sizeIn, at - 1, at);
  if (last === undefined || last.at + last.size <= at) return at;
  if (isWhole(last.one, last.size)) return last.at;
  return "of" in last.one ? last.at + wholeInlines(last.one.of, at - last.at) : at;
}

const isWhole = (inline: Inline, size: number): boolean =>
  inline.t === "mention" ||
  inline.t === "emoji" ||
  (inline.t === "link" && (size <= WHOLE_LINK_MAX || isAddress(inline)));

/** A block in which each link with such an address is its words and the address. */
export const withoutLinks = (block: Block, isLong: (href: string) => boolean): Block =>
  overInlines(block, (of) => of.flatMap((inline) => unlinked(inline, isLong)));

function unlinked(inline: Inline, isLong: (href: string) => boolean): readonly Inline[] {
  if (!("of" in inline)) return [inline];
  if (inline.t !== "link") return [{ ...inline, of: inline.of.flatMap((inner) => unlinked(inner, isLong)) }];
  if (!isLong(inline.href)) return [inline];
  const text = plainText([{ t: "para", of: [{ ...inline, of: [] }] }]);
  return isAddress(inline) ? [{ t: "text", text }] : [...inline.of, { t: "text", text: ` (${text})` }];
}
