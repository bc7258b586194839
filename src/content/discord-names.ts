import { DiscordCode } from "./discord-code.ts";
import { protectDiscord } from "./discord-protect.ts";
import { type DiscordToken, encodeName, tokenAt } from "./discord-tokens.ts";
import { cut } from "./length.ts";

/**
 * The source text of the format `discord` is Discord's own, in which mentions have their names, because ids mean
 * nothing elsewhere: `<@1|Alice>`, `<@&7|mods>`, `<#5|general>`. Signs of ASCII in a name are percent-encoded.
 */

/** Who has an id, by the name that is shown; null: nobody knows. */
export interface DiscordNames {
  readonly user: (id: string) => string | null;
  readonly role: (id: string) => string | null;
  readonly channel: (id: string) => string | null;
}

const NAME_MAX = 100;

export const userMention = (id: string, name: string): string => mention("@", id, name);
export const roleMention = (id: string, name: string): string => mention("@&", id, name);
export const channelMention = (id: string, name: string): string => mention("#", id, name);

function mention(sign: string, id: string, name: string): string {
  const shown = encodeName(cut(name.toWellFormed(), NAME_MAX, "codepoints"));
  return shown === "" ? `<${sign}${id}>` : `<${sign}${id}|${shown}>`;
}

const MENTIONS = { user: userMention, role: roleMention, channel: channelMention } as const;

/** The content of a message as source text. What somebody wrote as if it were a mention with its name stays text. */
export function nameMentions(content: string, names: DiscordNames): string {
  return overTokens(content, ({ names: meant, name }, own) => {
    if (meant === null) return own;
    if (name !== null) return `\\${own}`;
    const found = names[meant.kind](meant.id);
    return found === null ? own : MENTIONS[meant.kind](meant.id, found);
  });
}

/** Whom and what a text may mean where it is posted. */
export interface DiscordHere {
  readonly user: (id: string) => boolean;
  readonly role: (id: string) => boolean;
  readonly channel: (id: string) => boolean;
}

/** A source text for being posted as it is: ids that mean something here are mentions again, all others their names. */
export function passDiscord(source: string, here: DiscordHere): string {
  return overTokens(source, ({ names: meant, inline }, own) => {
    if (meant === null) return own;
    if (here[meant.kind](meant.id)) return withoutName(own);
    return "text" in inline ? protectDiscord(inline.text) : own;
  });
}

/** A source text as Discord has it. */
export function withoutNames(source: string): string {
  return overTokens(source, (_, own) => withoutName(own));
}

const withoutName = (token: string): string => token.replace(/\|.*>$/, ">");

/** A source text as people would have written it who know no ids. */
export function writtenDiscord(source: string): string {
  return overTokens(source, ({ inline }, own) => ("text" in inline ? inline.text : own));
}

/** The text with something else for its tokens; none are within code or behind a backslash. */
function overTokens(text: string, change: (token: DiscordToken, own: string) => string): string {
  const code = new DiscordCode(text);
  let written = "";
  let from = 0;
  const places = /\\[^\dA-Za-z\s]|`+|</g;
  for (let found = places.exec(text); found !== null; found = places.exec(text)) {
    const at = found.index;
    if (found[0].startsWith("`")) {
      const end = code.at(at)?.end ?? at;
      places.lastIndex = Math.max(places.lastIndex, end);
      continue;
    }
    const token = found[0] === "<" ? tokenAt(text, at) : null;
    if (token === null) continue;
    written += text.slice(from, at) + change(token, text.slice(at, token.end));
    from = token.end;
    places.lastIndex = from;
  }
  return written + text.slice(from);
}
