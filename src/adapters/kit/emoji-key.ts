import { emojiNamed } from "../../content/emoji-names.ts";

/** `name` of `:name:`; null for an emoji of Unicode. */
export const emojiCode = (emoji: string): string | null =>
  /^:(?<name>[\w+-]{1,64}):$/u.exec(emoji)?.groups?.["name"] ?? null;

/** Without the colour of a skin. */
export const withoutTone = (emoji: string): string => emoji.replaceAll(/[\u{1f3fb}-\u{1f3ff}]/gu, "");

/** The same for all ways to write one emoji, of which a server may know the plain one alone. */
export function emojiKey(emoji: string): string {
  const code = emojiCode(emoji);
  const shown = (code === null ? null : emojiNamed(code)) ?? emoji;
  return withoutTone(shown).replaceAll("\uFE0F", "").toLowerCase();
}
