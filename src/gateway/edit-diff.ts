import { EXCERPT_MAX } from "./acts.ts";

/** Most words on either side of a change that is told as one. */
const WORDS_MAX = 12;
/** Most words taken along so that it is clear which place is meant. */
const CONTEXT_MAX = 6;

/**
 * What changed between two texts as `s/old/new/`; null when one short run of words does not say it all, when the line
 * would be no shorter than `limit` characters, or when `before` may have been cut. The old words stand in the old text
 * once.
 */
export function diffLine(before: string, after: string, limit: number): string | null {
  if (before.length >= EXCERPT_MAX - 1 || before === after || before === "") return null;
  // No short run of words makes it so much longer.
  if (after.length > 2 * EXCERPT_MAX) return null;
  const [from, to] = [before.match(TOKENS) ?? [], after.match(TOKENS) ?? []];
  const shortest = Math.min(from.length, to.length);
  let head = 0;
  while (head < shortest && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  if (Math.max(from.length, to.length) - head - tail > 2 * WORDS_MAX) return null;
  for (let context = 0; context <= 2 * CONTEXT_MAX; context += 1) {
    const lines = widen(context, { head, tail })
      .map(([start, end]) => [from.slice(start, from.length - end).join(""), to.slice(start, to.length - end).join("")])
      .filter(([old = "", fresh = ""]) => old !== "" && isTrim(old) && isTrim(fresh) && isOnce(old, before))
      .map(([old = "", fresh = ""]) => `s/${escape(old)}/${escape(fresh)}/`)
      .filter((line) => line.length < limit && !LINE_END.test(line));
    const [best] = lines.toSorted((a, b) => a.length - b.length);
    if (best !== undefined) return best;
  }
  return null;
}

/** Words and what stands between them, in turn. */
const TOKENS = /\s+|\S+/gu;

const LINE_END = /[\n\v\f\r\u0085\u2028\u2029]/;

/** All ways to take `context` of the equal tokens around the change along, as how many stay out at either end. */
function widen(
  context: number,
  { head, tail }: { head: number; tail: number },
): readonly (readonly [number, number])[] {
  return Array.from({ length: context + 1 }, (_, left) => [head - left, tail - (context - left)] as const).filter(
    ([start, end]) => start >= 0 && end >= 0,
  );
}

/** Whole words are read more easily than ones with a space at the edge. */
const isTrim = (text: string): boolean => text === text.trim();

const isOnce = (part: string, whole: string): boolean => whole.indexOf(part) === whole.lastIndexOf(part);

/**
 * A slash gets a backslash; those before it, and those at the end, are doubled, so that it stays clear where each part
 * ends.
 */
function escape(text: string): string {
  return text.replaceAll(/(?<!\\)\\+(?=\/|$)/g, (run) => run + run).replaceAll("/", String.raw`\/`);
}
