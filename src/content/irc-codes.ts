/**
 * Formatting codes of IRC: a character that toggles or resets, or a colour code with its digits. What is in force at a
 * place in a text. Colours are two digits of the palette (`04`) or `#rrggbb`; null is the reader's own colour.
 */
export interface IrcFormat {
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly code: boolean;
  readonly reverse: boolean;
  readonly fore: string | null;
  readonly back: string | null;
}

export const PLAIN: IrcFormat = {
  bold: false,
  italic: false,
  underline: false,
  strike: false,
  code: false,
  reverse: false,
  fore: null,
  back: null,
};

type Toggle = "bold" | "italic" | "underline" | "strike" | "code" | "reverse";

const TOGGLES: ReadonlyMap<string, Toggle> = new Map([
  ["\x02", "bold"],
  ["\x11", "code"],
  ["\x16", "reverse"],
  ["\x1d", "italic"],
  ["\x1e", "strike"],
  ["\x1f", "underline"],
]);

const COLOUR = "\x03";
const HEX = "\x04";
export const RESET = "\x0f";
/** The colour of the palette that is none. */
const OWN = "99";

/** The code that begins at `at`, and what is in force after it; null when none begins there. */
export function readCode(
  text: string,
  at: number,
  now: IrcFormat,
): { readonly end: number; readonly format: IrcFormat } | null {
  const character = text.charAt(at);
  if (character === RESET) return { end: at + 1, format: PLAIN };
  if (character === COLOUR) return readColours(text, at + 1, now, PALETTE_COLOURS);
  if (character === HEX) return readColours(text, at + 1, now, HEX_COLOURS);
  const toggle = TOGGLES.get(character);
  return toggle === undefined ? null : { end: at + 1, format: { ...now, [toggle]: !now[toggle] } };
}

interface ColourSyntax {
  readonly pattern: RegExp;
  readonly colour: (digits: string) => string | null;
}

const PALETTE_COLOURS: ColourSyntax = {
  pattern: /(?<fore>\d{1,2})(?:,(?<back>\d{1,2}))?/y,
  colour: (digits) => (digits === OWN ? null : digits.padStart(2, "0")),
};

const HEX_COLOURS: ColourSyntax = {
  pattern: /(?<fore>[0-9A-Fa-f]{6})(?:,(?<back>[0-9A-Fa-f]{6}))?/y,
  colour: (digits) => `#${digits.toLowerCase()}`,
};

/** A code without digits ends both colours; one without a second colour leaves the background as it is. */
function readColours(
  text: string,
  at: number,
  now: IrcFormat,
  syntax: ColourSyntax,
): { end: number; format: IrcFormat } {
  syntax.pattern.lastIndex = at;
  const match = syntax.pattern.exec(text);
  const fore = match?.groups?.["fore"];
  if (match === null || fore === undefined) return { end: at, format: { ...now, fore: null, back: null } };
  const back = match.groups?.["back"];
  return {
    end: at + match[0].length,
    format: { ...now, fore: syntax.colour(fore), back: back === undefined ? now.back : syntax.colour(back) },
  };
}

/** What is in force at `to` when `now` is at `from`. */
export function formatAt(text: string, from: number, to: number, now: IrcFormat): IrcFormat {
  let format = now;
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at) < 0x20 ? readCode(text, at, format) : null;
    if (code !== null) format = code.format;
    at = code?.end ?? at + 1;
  }
  return format;
}

/** The codes that lead from `from` to `to` before the text `next`, which they cannot swallow a part of. */
export function changeCodes(from: IrcFormat, to: IrcFormat, next: string): string {
  if (!leadsTo(from, to)) return samePlain(to) ? RESET : RESET + changeCodes(PLAIN, to, next);
  let codes = "";
  for (const [character, toggle] of TOGGLES) if (from[toggle] !== to[toggle]) codes += character;
  if (from.fore === to.fore && from.back === to.back) return codes;
  codes += colourCodes(to.fore, to.back);
  // A comma and digits could be read as the background: an empty bold stands between.
  return next.startsWith(",") ? `${codes}\x02\x02` : codes;
}

/** Whether no reset is needed: no colour ends. A reset alone is the shortest way to plain text. */
function leadsTo(from: IrcFormat, to: IrcFormat): boolean {
  const ends = (from.fore !== null && to.fore === null) || (from.back !== null && to.back === null);
  return !ends && (!samePlain(to) || samePlain(from));
}

export function samePlain(format: IrcFormat): boolean {
  return KEYS.every((key) => format[key] === PLAIN[key]);
}

const KEYS = Object.keys(PLAIN).filter((key): key is keyof IrcFormat => key in PLAIN);

/** Always two digits, so that digits of the text stay text. */
function colourCodes(fore: string | null, back: string | null): string {
  const hexFore = fore?.startsWith("#") === true;
  const hexBack = back?.startsWith("#") === true;
  if (hexFore) {
    if (back === null) return HEX + fore.slice(1);
    return hexBack ? `${HEX}${fore.slice(1)},${back.slice(1)}` : `${COLOUR}${OWN},${back}${HEX}${fore.slice(1)}`;
  }
  if (hexBack) return `${HEX}${back.slice(1)},${back.slice(1)}${COLOUR}${fore ?? OWN}`;
  return COLOUR + (fore ?? OWN) + (back === null ? "" : `,${back}`);
}
