export type TextUnit = "bytes" | "utf16" | "codepoints";

/** The length of a text; bytes are those of UTF-8. */
export function measure(text: string, unit: TextUnit): number {
  if (unit === "utf16") return text.length;
  if (unit === "bytes") return Buffer.byteLength(text);
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (!isPair) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/**
 * The longest beginning of the text that measures at most `max` and splits no grapheme. The work is bounded by `max`,
 * not by the text.
 */
export function cut(text: string, max: number, unit: TextUnit): string {
  // One more unit of UTF-16 than can fit: a code point has two at most, a byte is at most one.
  const window = Math.max(max, 0) * (unit === "codepoints" ? 2 : 1) + 1;
  if (text.length < window && measure(text, unit) <= max) return text;
  let end = 0;
  let left = max;
  // Ahead in steps: what comes before the last graphemes that fit needs no look at each of them.
  for (const { segment, index } of GRAPHEMES.segment(text.slice(0, window + GRAPHEME_MAX))) {
    left -= measure(segment, unit);
    if (left < 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** The longest beginning of whole code points that measures at most `max`: of a letter with more marks than fit. */
export function cutPoints(text: string, max: number, unit: TextUnit): string {
  let end = 0;
  let left = max;
  for (const point of text) {
    left -= measure(point, unit);
    if (left < 0) break;
    end += point.length;
  }
  return text.slice(0, end);
}

const GRAPHEMES = new Intl.Segmenter("und", { granularity: "grapheme" });
/** Units of UTF-16 of what people take for one character; some chains of marks are longer, and may be split. */
const GRAPHEME_MAX = 64;

/**
 * The beginning of a text as one line of at most `maxCharacters` graphemes, the last of them `…` when there was more.
 */
export function excerpt(text: string, maxCharacters: number): string {
  const window = text.trimStart().slice(0, Math.max(maxCharacters, 1) * GRAPHEME_MAX);
  const line = window.replaceAll(/\s+/gu, " ").trim();
  const isWhole = window.length >= text.trim().length;
  let count = 0;
  let end = 0;
  for (const { segment, index } of GRAPHEMES.segment(line)) {
    count += 1;
    if (count > maxCharacters) return `${line.slice(0, end).trimEnd()}…`;
    if (count < maxCharacters) end = index + segment.length;
  }
  return isWhole ? line : `${line.slice(0, end).trimEnd()}…`;
}
