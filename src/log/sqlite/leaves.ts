import { closeSync, copyFileSync, openSync, readSync, statSync, writeSync } from "node:fs";
import type { Seq } from "../log.ts";
import type { LostRange } from "./salvage.ts";

/**
 * The pages that hold entries, found by what they look like (https://sqlite.org/fileformat2.html): when a page that
 * leads to them is damaged, they are whole and out of reach.
 */
export interface Leaf {
  readonly page: number;
  readonly first: Seq;
  readonly last: Seq;
}

const PAGE = 4096;
const LEAF = 0x0d;
const INNER = 0x05;
/**
 * Where the first page says which pages are free, and where the cells' places begin in a leaf and in a page above
 * leaves.
 */
const FREE_AT = 32;
const LEAF_HEADER = 8;
const INNER_HEADER = 12;
/** A cell above leaves: a page, a number, and its place. */
const INNER_CELL = 4 + 9 + 2;
const LEAVES_PER_ROOT = Math.floor((PAGE - INNER_HEADER) / INNER_CELL);
/** Pages that are read at once. */
const STEP = 256;

/** Leaves that hold entries of these ranges, in order; those that share numbers with an earlier one are left out. */
export function leavesWithin(file: string, ranges: readonly LostRange[]): readonly Leaf[] {
  const fd = openSync(file, "r");
  try {
    const count = Math.floor(statSync(file).size / PAGE);
    const free = freePages(fd, count);
    const found: Leaf[] = [];
    const pages = Buffer.alloc(STEP * PAGE);
    for (let from = 1; from <= count; from += STEP) {
      const read = readSync(fd, pages, 0, pages.length, (from - 1) * PAGE);
      for (let at = 0; at + PAGE <= read; at += PAGE) {
        const page = from + at / PAGE;
        const leaf = free.has(page) ? null : leafOf(pages.subarray(at, at + PAGE), page);
        if (leaf !== null && ranges.some(({ from: low, to }) => leaf.last >= low && leaf.first <= (to ?? Infinity)))
          found.push(leaf);
      }
    }
    found.sort((one, other) => one.first - other.first);
    let last = 0;
    return found.filter((leaf) => {
      if (leaf.first <= last) return false;
      ({ last } = leaf);
      return true;
    });
  } finally {
    closeSync(fd);
  }
}

/**
 * Calls `read` with copies of a file in which the table with this root consists of some of the leaves, until it had
 * all.
 */
export function withLeaves(
  file: string,
  copy: string,
  { root, leaves }: { readonly root: number; readonly leaves: readonly Leaf[] },
  read: () => void,
): void {
  copyFileSync(file, copy);
  for (let at = 0; at < leaves.length; at += LEAVES_PER_ROOT) {
    const fd = openSync(copy, "r+");
    writeSync(fd, rootOf(leaves.slice(at, at + LEAVES_PER_ROOT)), 0, PAGE, (root - 1) * PAGE);
    closeSync(fd);
    read();
  }
}

/** Free pages keep what they held: those that list others, and those that are listed. */
function freePages(fd: number, count: number): ReadonlySet<number> {
  const free = new Set<number>();
  const page = Buffer.alloc(PAGE);
  readSync(fd, page, 0, PAGE, 0);
  let trunk = page.readUInt32BE(FREE_AT);
  while (trunk > 1 && trunk <= count && !free.has(trunk)) {
    free.add(trunk);
    readSync(fd, page, 0, PAGE, (trunk - 1) * PAGE);
    const listed = Math.min(page.readUInt32BE(4), PAGE / 4 - 2);
    for (let at = 0; at < listed; at += 1) free.add(page.readUInt32BE(8 + 4 * at));
    trunk = page.readUInt32BE(0);
  }
  return free;
}

function leafOf(page: Buffer, number: number): Leaf | null {
  if (page[0] !== LEAF) return null;
  const cells = page.readUInt16BE(3);
  if (cells === 0 || LEAF_HEADER + 2 * cells > PAGE) return null;
  const first = entryAt(page, page.readUInt16BE(LEAF_HEADER));
  const last = entryAt(page, page.readUInt16BE(LEAF_HEADER + 2 * (cells - 1)));
  return first === null || last === null || last < first ? null : { page: number, first, last };
}

/** The number of the entry in a cell; null: what is there is no entry. */
function entryAt(page: Buffer, cell: number): Seq | null {
  const next = varints(page, cell);
  next();
  const seq = next();
  const headerBytes = next();
  const types = Array.from({ length: 7 }, next);
  const [id, subject, at, account, key, label, payload] = types;
  // The time tells it from the table of what was said, which has it one column earlier.
  const isEntry = headerBytes > types.length && id === 0 && isWhole(subject) && at === 5 && isWhole(account, true);
  const hasTexts = isText(key, true) && isText(label) && isText(payload);
  return isEntry && hasTexts && Number.isSafeInteger(seq) && seq > 0 ? seq : null;
}

/** A number from `name`, which is small. */
const isWhole = (type = NaN, orNull = false): boolean =>
  (type >= 1 && type <= 4) || type === 8 || type === 9 || (orNull && type === 0);
const isText = (type = NaN, orNull = false): boolean => (type >= 13 && type % 2 === 1) || (orNull && type === 0);

/** Reads numbers of one to nine bytes, one after another; NaN after the end of the page. */
function varints(page: Buffer, from: number): () => number {
  let at = from;
  return () => {
    let value = 0;
    for (let count = 1; count <= 9; count += 1) {
      const byte = page[at];
      if (byte === undefined) return NaN;
      at += 1;
      if (count === 9) return value * 256 + byte;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return value;
  };
}

/** A page above these leaves. The numbers take nine bytes each, which is as good as fewer. */
function rootOf(leaves: readonly Leaf[]): Buffer {
  const page = Buffer.alloc(PAGE);
  const inner = leaves.slice(0, -1);
  let content = PAGE;
  for (const [index, { page: child, last }] of inner.entries()) {
    content -= INNER_CELL - 2;
    page.writeUInt32BE(child, content);
    writeVarint(page, content + 4, last);
    page.writeUInt16BE(content, INNER_HEADER + 2 * index);
  }
  page.writeUInt8(INNER, 0);
  page.writeUInt16BE(inner.length, 3);
  page.writeUInt16BE(content, 5);
  page.writeUInt32BE(leaves.at(-1)?.page ?? 0, 8);
  return page;
}

/** Seven bits in each of eight bytes, and eight in the ninth. */
function writeVarint(page: Buffer, at: number, value: number): void {
  let rest = BigInt(value);
  page.writeUInt8(Number(rest & 0xffn), at + 8);
  rest >>= 8n;
  for (let index = 7; index >= 0; index -= 1) {
    page.writeUInt8(Number(rest & 0x7fn) | 0x80, at + index);
    rest >>= 7n;
  }
}
