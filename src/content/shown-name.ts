import { cut } from "./length.ts";

/** Most code points of a name that is shown elsewhere. */
const NAME_MAX = 256;
/** What is looked at of a name at all. */
const LOOK_MAX = 2_000;
/** Marks on one letter: more of them reach into the lines above and below. */
const MARKS_MAX = 4;

/** Control characters, the ends of lines, and letters that are blank. */
const BLANKS = /[\p{Cc}\p{Z}\u115f\u1160\u2800\u3164\uffa0]+/gu;
/**
 * What changes the direction of the text after it, and what nobody sees. The zero width space and the joiners stay:
 * bridges write the first into names so that they call nobody, and words and emoji are made with the others.
 */
const UNSEEN = /[\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const MARKS = new RegExp(`(\\p{M}{${MARKS_MAX}})\\p{M}+`, "gu");
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * A name of somebody from elsewhere as it may come before what they say: one short line that ends where it seems to
 * end. Names are strangers' words, and people read what stands around them as ours. Empty: nothing of it can be seen.
 */
export function shownName(name: string): string {
  if (PLAIN.test(name) && name.length <= NAME_MAX) return name;
  const line = name.slice(0, LOOK_MAX).toWellFormed().replaceAll(UNSEEN, "").replaceAll(BLANKS, " ");
  const shown = cut(line.replaceAll(MARKS, "$1").trim(), NAME_MAX, "codepoints").trimEnd();
  return VISIBLE.test(shown) ? shown : "";
}

/** Most names. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/u;
