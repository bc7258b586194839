import type { Body } from "../contract/content.ts";
import type { StandingReaction } from "../contract/ops.ts";
import { excerpt } from "../content/length.ts";
import type { About, Stored } from "./codec.ts";
import { nameLine, quoted, spoken } from "./fallback.ts";
import { noPing } from "./nick-format.ts";

/** Reactions in words, for where there are none. Everything is pure. */

/** What a line shows at most: emoji, characters of each, names to each. */
const EMOJI_MAX = 12;
const EMOJI_CHARS = 40;
const NAMES_MAX = 8;

/** A line of its own about what people have put on. */
export function reactionLine({ name, excerpt: said }: About, put: readonly StandingReaction[]): Body {
  const who = listed(put, ", ", (emoji, names) => `${names} reacted ${emoji}`);
  return spoken(`* ${who} to ${noPing(nameLine(name))}${quoted(said)}`);
}

/** The line that is edited as reactions come and go. `isSeen`: what it is about is seen without words. */
export function standingLine(
  { name, excerpt: said }: About,
  standing: readonly StandingReaction[],
  isSeen: boolean,
): Body {
  const all = standing.length === 0 ? "no reactions" : listed(standing, " · ", (emoji, names) => `${emoji} ${names}`);
  return spoken(isSeen ? all : `* to ${noPing(nameLine(name))}${quoted(said)}: ${all}`);
}

function listed(
  standing: readonly StandingReaction[],
  between: string,
  say: (emoji: string, names: string) => string,
): string {
  const shown = standing
    .slice(0, EMOJI_MAX)
    .map(({ emoji, names }) => say(excerpt(emoji, EMOJI_CHARS), namesOf(names)));
  return [...shown, ...(standing.length > EMOJI_MAX ? ["…"] : [])].join(between);
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).map((name) => noPing(nameLine(name)));
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`+${more}`] : [])].join(", ");
}

/** What people have put on in these entries, oldest first, that was not on before them and is on after them. */
export function putOn(changes: readonly Stored[]): readonly StandingReaction[] {
  const all = new Map<string, Change>();
  for (const { message, about } of changes) {
    if (about === null) continue;
    const { emoji, on } = about;
    const { account, channel, userid, username: name } = message;
    // A client that gives no id tells people apart by their names.
    const key = JSON.stringify([account, channel, userid === "" ? name : userid, emoji]);
    all.set(key, { emoji, name, first: all.get(key)?.first ?? on, last: on });
  }
  const byEmoji = new Map<string, string[]>();
  for (const { emoji, name, first, last } of all.values()) {
    if (first && last) byEmoji.set(emoji, [...(byEmoji.get(emoji) ?? []), name]);
  }
  return Array.from(byEmoji, ([emoji, names]) => ({ emoji, names }));
}

interface Change {
  readonly emoji: string;
  readonly name: string;
  /** Whether the first and the last change put it on. */
  readonly first: boolean;
  readonly last: boolean;
}
