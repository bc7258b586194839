import type { Dropped } from "../gateway/drops.ts";
import { shorten } from "../lib/printable.ts";

/** All that is kept, oldest out first. */
const COUNT_MAX = 1000;
/** Of all texts together, in UTF-16 units. */
const CHARS_MAX = 512 * 1024;
const TEXT_CHARS = 1000;
const NAME_CHARS = 200;
const REFS_MAX = 4;

/** What was not relayed lately, for those who ask where it is. In memory only: nothing of it was accepted. */
export class Drops {
  /** Oldest first. */
  readonly #all: Dropped[] = [];
  #chars = 0;

  add(dropped: Dropped): void {
    const { by, text, refs, rule } = dropped;
    const kept: Dropped = {
      ...dropped,
      by: shorten(by, NAME_CHARS),
      text: shorten(text, TEXT_CHARS),
      refs: refs.slice(0, REFS_MAX).map((ref) => shorten(ref, NAME_CHARS)),
      ...(rule !== undefined && { rule: shorten(rule, NAME_CHARS) }),
    };
    this.#all.push(kept);
    this.#chars += charsOf(kept);
    while (this.#all.length > COUNT_MAX || this.#chars > CHARS_MAX) this.#chars -= charsOf(this.#all.shift());
  }

  /** Those that have this id, newest first. */
  withRef(ref: string): readonly Dropped[] {
    return this.#all.filter(({ refs }) => refs.includes(ref)).toReversed();
  }

  /** Those that have this id, or these words in their text or in the sender's name; capitals do not count. */
  about(words: string): readonly Dropped[] {
    const wanted = words.toLowerCase();
    const says = ({ text, by, refs }: Dropped): boolean =>
      text.toLowerCase().includes(wanted) || by.toLowerCase().includes(wanted) || refs.includes(words);
    return this.#all.filter(says).toReversed();
  }
}

function charsOf(dropped: Dropped | undefined): number {
  if (dropped === undefined) return 0;
  const { by, text, refs, rule = "" } = dropped;
  return by.length + text.length + rule.length + refs.join("").length;
}
