import { withoutCodes } from "../../../content/irc.ts";
import { formatCtcp, parseCtcp } from "../wire/ctcp.ts";

/** What some channels refuse a line for, although they take the same words without it. */
export type LineTrait = "codes" | "notice" | "capitals" | "ctcp";

/** For people. */
export const TRAIT_NAMES: Readonly<Record<LineTrait, string>> = {
  codes: "formatting codes",
  notice: "notices",
  capitals: "texts in capitals",
  ctcp: "CTCP",
};

interface Line {
  readonly command: "PRIVMSG" | "NOTICE";
  /** The last parameter. */
  readonly text: string;
}

/** Codes that format; CR, LF and NUL never get here. */
// oxlint-disable-next-line eslint/no-control-regex -- these are the codes
const CODES = /[\x02-\x04\x0f\x11\x16\x1d-\x1f]/;
/** A shorter text is never refused for its capitals. */
const CAPITALS_MIN = 5;

export function traitsOf({ command, text }: Line): readonly LineTrait[] {
  const traits: LineTrait[] = [];
  const ctcp = parseCtcp(text);
  if (CODES.test(text)) traits.push("codes");
  if (command === "NOTICE") traits.push("notice");
  if (isLoud(ctcp?.args ?? text)) traits.push("capitals");
  if (ctcp !== null) traits.push("ctcp");
  return traits;
}

/** Servers let the operator say how many capitals are too many: a third of the letters is the least. */
function isLoud(text: string): boolean {
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  return capitals >= CAPITALS_MIN && capitals * 2 >= (text.match(/\p{Ll}/gu)?.length ?? 0);
}

/** The same words without these traits. Addresses keep their capitals. */
export function withoutTraits(line: Line, traits: ReadonlySet<LineTrait>): Line {
  const ctcp = parseCtcp(line.text);
  let words = ctcp?.args ?? line.text;
  if (traits.has("codes")) words = withoutCodes(words);
  if (traits.has("capitals"))
    words = words.replaceAll(/\S+/gu, (word) => (ADDRESS.test(word) ? word : word.toLowerCase()));
  if (ctcp !== null) words = traits.has("ctcp") ? `* ${words}` : formatCtcp(ctcp.command, words);
  return { command: traits.has("notice") ? "PRIVMSG" : line.command, text: words };
}

const ADDRESS = /:\/\/|^www\./iu;
