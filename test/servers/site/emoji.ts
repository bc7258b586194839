import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

interface Emoji {
  readonly hexcode: string;
  readonly emoji: string;
  readonly skins?: readonly Emoji[];
}

interface Names {
  readonly characters: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, string>;
}

let known: Names | null = null;

/** The names of Mattermost's and Slack's own emoji are those of the emoji-data project. */
function load(): Names {
  if (known !== null) return known;
  const resolve = createRequire(import.meta.url).resolve;
  const read = (name: string): unknown => JSON.parse(readFileSync(resolve(`emojibase-data/en/${name}.json`), "utf8"));
  const codes = read("shortcodes/iamcal") as Record<string, string | string[]>;
  const all = (read("data") as Emoji[]).flatMap((one) => [one].concat(one.skins ?? []));
  const pairs = all.flatMap(({ hexcode, emoji }) =>
    [codes[hexcode] ?? []].flat().map((name) => [name, shown(emoji)] as const),
  );
  known = {
    characters: new Map(pairs),
    names: new Map(pairs.toReversed().map(([name, emoji]) => [withoutVariant(emoji), name])),
  };
  return known;
}

/** What is a picture anyway is not told to be one. */
const shown = (emoji: string): string => emoji.replaceAll(/(?<=\p{Emoji_Presentation})\ufe0f/gu, "");

const withoutVariant = (emoji: string): string => emoji.replaceAll("\ufe0f", "");

export function isSystemEmoji(name: string): boolean {
  return load().characters.has(name);
}

/** The characters that clients show for a name; of their server's own emoji they show a picture. */
export function emojiOf(name: string): string {
  return load().characters.get(name) ?? `:${name}:`;
}

export function emojiName(characters: string): string {
  const name = load().names.get(withoutVariant(characters));
  if (name === undefined) throw new Error(`there is no name for ${characters}`);
  return name;
}
