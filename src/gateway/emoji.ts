import type { PresentationSettings } from "../config/config.ts";
import { emojiNamed } from "../content/emoji-names.ts";
import { replaceStandingCodes } from "../content/standing-codes.ts";

/** Short codes in a text of a format, as the setting EmojiCodes of its account says. */
export function replaceCodes(text: string, format: string, how: PresentationSettings["emojiCodes"]): string {
  switch (how) {
    case "standing":
      return replaceStandingCodes(text, format);
    case "reference":
      return replaceEmoji(text);
    case "off":
      return text;
  }
}

/**
 * Short codes to Unicode: `:smile:` becomes 😄. A code runs from a colon to the next colon or white space; an unknown
 * one stays and takes its closing colon with it, which is why `10:30:45` comes to no harm. A very long text is a
 * document and not something said: it stays as it is, so that no message holds up the others. Source: the reference
 * §3.4.
 */
export function replaceEmoji(text: string): string {
  if (text.length > SCANNED_CHARS) return text;
  let open = text.indexOf(":");
  if (open === -1) return text;
  let out = "";
  let copied = 0;
  while (open !== -1) {
    const end = endOfCode(text, open + 1);
    if (end === -1) break;
    if (text[end] === ":" && end > open + 1) {
      const emoji = emojiNamed(text.slice(open + 1, end));
      if (emoji !== null) {
        out += text.slice(copied, open) + emoji;
        copied = end + 1;
      }
    }
    // Of two colons in a row the second may open a code.
    open = end === open + 1 && text[end] === ":" ? end : text.indexOf(":", end + 1);
  }
  return copied === 0 ? text : out + text.slice(copied);
}

const SCANNED_CHARS = 64 * 1024;

/** White space as Go has it: unlike `\s`, U+0085 is and U+FEFF is not. */
const COLON_OR_SPACE = /[:\t\n\v\f\r\u0085\p{Z}]/gu;

/** Index of the first colon or white space from `from` on; -1 when there is none. */
function endOfCode(text: string, from: number): number {
  COLON_OR_SPACE.lastIndex = from;
  return COLON_OR_SPACE.exec(text)?.index ?? -1;
}
