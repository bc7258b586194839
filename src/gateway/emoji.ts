import { EMOJI_LINES } from "../content/emoji.generated.ts";

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
      const emoji = emojiOf(text.slice(open + 1, end));
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

function emojiOf(code: string): string | null {
  const points = table().get(code);
  if (points !== undefined)
    return String.fromCodePoint(...points.split("-").map((point) => Number.parseInt(point, 16)));
  const flag = /^flag-([a-z])([a-z])$/.exec(code);
  return flag === null ? null : regionalIndicator(flag[1] ?? "") + regionalIndicator(flag[2] ?? "");
}

function regionalIndicator(letter: string): string {
  return String.fromCodePoint(0x1f1e6 + letter.charCodeAt(0) - 0x61);
}

let codes: ReadonlyMap<string, string> | null = null;

/** Made at the first short code: most programs run for long without one. */
function table(): ReadonlyMap<string, string> {
  codes ??= parse(EMOJI_LINES);
  return codes;
}

function parse(lines: string): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const line of lines.split("\n")) {
    const [points = "", ...names] = line.split(" ");
    for (const name of names) map.set(name, points);
  }
  return map;
}
