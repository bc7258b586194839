import { EMOJI_LINES } from "./emoji.generated.ts";

/** The emoji of a short code without colons, such as `smile` or `flag-de`; null: it is none's. */
export function emojiNamed(code: string): string | null {
  const points = tables().points.get(code);
  if (points !== undefined) return fromPoints(points);
  if (code === "simple_smile") return emojiNamed("slightly_smiling_face");
  const [, base = "", tone = ""] = /^(.+?)_(light|medium_light|medium|medium_dark|dark)_skin_tone$/.exec(code) ?? [];
  const emoji = base === "" ? null : emojiNamed(base);
  if (emoji !== null) return /^\p{Emoji_Modifier_Base}/u.test(emoji) ? toned(emoji, TONES.indexOf(tone)) : null;
  const flag = /^flag-([a-z])([a-z])$/.exec(code);
  return flag === null ? null : regionalIndicator(flag[1] ?? "") + regionalIndicator(flag[2] ?? "");
}

/** As Mattermost names them, from the lightest one. */
const TONES: readonly string[] = ["light", "medium_light", "medium", "medium_dark", "dark"];

/** An emoji in one of the five colours of skin, of which 0 is the lightest. */
export function toned(emoji: string, tone: number): string {
  const [first = "", ...rest] = Array.from(emoji.replace("\ufe0f", ""));
  return first + String.fromCodePoint(LIGHTEST + tone) + rest.join("");
}

const LIGHTEST = 0x1f3fb;

/** Its short codes, the usual one first; with and without the sign that asks for a coloured picture it is the same. */
export function namesOfEmoji(emoji: string): readonly string[] {
  return tables().names.get(withoutVariation(emoji)) ?? [];
}

const withoutVariation = (emoji: string): string => emoji.replaceAll("\uFE0F", "");

const fromPoints = (points: string): string =>
  String.fromCodePoint(...points.split("-").map((point) => Number.parseInt(point, 16)));

function regionalIndicator(letter: string): string {
  return String.fromCodePoint(0x1f1e6 + letter.charCodeAt(0) - 0x61);
}

interface EmojiTables {
  readonly points: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, readonly string[]>;
}

let made: EmojiTables | null = null;

/** Made at the first question: most programs run for long without one. */
function tables(): EmojiTables {
  made ??= parse(EMOJI_LINES);
  return made;
}

/** Other codes, such as `Christmas_tree`, are those of the reference, and no network has them. */
const KNOWN = /^[a-z0-9_+-]+$/;

function parse(lines: string): EmojiTables {
  const points = new Map<string, string>();
  const names = new Map<string, readonly string[]>();
  for (const line of lines.split("\n")) {
    const [own = "", ...codes] = line.split(" ");
    if (own === "") continue;
    for (const code of codes) points.set(code, own);
    names.set(
      withoutVariation(fromPoints(own)),
      codes.filter((code) => KNOWN.test(code)),
    );
  }
  return { points, names };
}
