/**
 * A text from elsewhere as one line that can do nothing to a terminal, a log or a table: control characters, line ends
 * and what turns the direction of writing (bidirectional controls) are shown as `\u{…}`, invisible as they would be
 * otherwise.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|\p{Cs}/gu, (character) => {
    if (character === "\n") return "⏎";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/**
 * At most `max` characters of it (code points), with … after it when there was more. Splits nothing that belongs
 * together in UTF-16.
 */
export function shorten(text: string, max: number): string {
  // Twice as many units always hold enough, and a text of megabytes is not spread out for its first words.
  const points = Array.from(text.slice(0, 2 * max + 2));
  return points.length <= max ? text : `${points.slice(0, Math.max(0, max - 1)).join("")}…`;
}
