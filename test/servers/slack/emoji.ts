import { emojiName as baseName, emojiOf as baseOf, isSystemEmoji } from "../site/emoji.ts";

/** From light to dark: tones 2 to 6. */
const TONES = ["\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"] as const;

const TONED = /[\u{1f3fb}-\u{1f3ff}]/u;

/** Whether every team has an emoji of this name, which is one without a tone of skin. */
export const isStandard = (name: string): boolean => isSystemEmoji(name);

/** The characters that clients show for a name; of emoji of the team they show a picture. */
export function emojiOf(name: string): string {
  const [base = "", tone] = name.split("::skin-tone-");
  const shown = baseOf(base);
  const skin = TONES[Number(tone) - 2];
  return skin === undefined ? shown : shown.replace(/\ufe0f$/u, "") + skin;
}

export function emojiName(characters: string): string {
  const tone = TONED.exec(characters)?.[0];
  if (tone === undefined) return baseName(characters);
  return `${baseName(characters.replace(TONED, ""))}::skin-tone-${TONES.findIndex((one) => one === tone) + 2}`;
}
