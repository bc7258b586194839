import type { TailLine } from "../../../src/admin/views.ts";

/** The newest lines, in blocks: a block that is full stays the same object, so nothing of it is rendered again. */
export interface Lines {
  readonly blocks: readonly LineBlock[];
  readonly count: number;
}

export interface LineBlock {
  readonly key: number;
  readonly lines: readonly TailLine[];
}

const BLOCK = 50;

export const NO_LINES: Lines = { blocks: [], count: 0 };

/** Behind those that are there; of all only about `max` are kept, in whole blocks. */
export function withLines({ blocks }: Lines, more: readonly TailLine[], max: number): Lines {
  const last = blocks.at(-1);
  const open = last !== undefined && last.lines.length < BLOCK ? last : null;
  const whole = open === null ? [...blocks] : blocks.slice(0, -1);
  const loose = [...(open?.lines ?? []), ...more];
  let key = open?.key ?? (last?.key ?? 0) + 1;
  for (let at = 0; at < loose.length; at += BLOCK) {
    whole.push({ key, lines: loose.slice(at, at + BLOCK) });
    key += 1;
  }
  let count = whole.reduce((sum, { lines }) => sum + lines.length, 0);
  let gone = 0;
  while (count > max) {
    count -= whole[gone]?.lines.length ?? count;
    gone += 1;
  }
  return { blocks: gone === 0 ? whole : whole.slice(gone), count };
}
