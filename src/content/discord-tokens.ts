import type { Inline } from "../contract/content.ts";
import { mint } from "../contract/ids.ts";

/** What stands between `<` and `>` in Discord's text: a mention, an emoji of a guild, a moment, a place of its app. */
export interface DiscordToken {
  readonly end: number;
  /** Null for what names nobody and no place. */
  readonly names: { readonly kind: "user" | "role" | "channel"; readonly id: string } | null;
  /** As it was given inline (discord-names.ts); null: not at all. */
  readonly name: string | null;
  /** What people see of it. */
  readonly inline: Inline;
}

const NAMED = /<(?<sign>@!?|@&|#)(?<id>\d{1,20})(?:\|(?<name>[^<>|\n]{1,400}))?>/y;
const OTHER =
  /<(?:a?:(?<emoji>\w{1,64}):\d{1,20}|\/(?<command>[\p{L}\p{N}_ -]{1,110}):\d{1,20}|t:(?<unix>-?\d{1,13})(?::(?<style>[tTdDfFRsS]))?|id:(?<place>customize|browse|guide|linked-roles))>/uy;

/** The one that begins with the `<` at a place. */
export function tokenAt(text: string, at: number): DiscordToken | null {
  NAMED.lastIndex = at;
  const named = NAMED.exec(text)?.groups;
  if (named !== undefined) return namedToken(named, NAMED.lastIndex);
  OTHER.lastIndex = at;
  const groups = OTHER.exec(text)?.groups;
  const inline = groups === undefined ? null : inlineOf(groups);
  return inline === null ? null : { end: OTHER.lastIndex, names: null, name: null, inline };
}

type Groups = Readonly<Partial<Record<string, string>>>;

/** Discord's own words for what it does not know. */
const UNKNOWN = { user: "unknown-user", role: "deleted-role", channel: "unknown" } as const;

function namedToken({ sign = "", id = "", name }: Groups, end: number): DiscordToken {
  const kind = sign === "#" ? "channel" : sign === "@&" ? "role" : "user";
  const shown = name === undefined ? null : decodeName(name);
  const text = (kind === "channel" ? "#" : "@") + (shown ?? UNKNOWN[kind]);
  const user = kind === "user" ? mint("UserRef", id) : null;
  const inline: Inline = kind === "channel" ? { t: "text", text } : { t: "mention", user, text };
  return { end, names: { kind, id }, name: shown, inline };
}

function inlineOf({ emoji, command, unix, style, place = "" }: Groups): Inline | null {
  if (emoji !== undefined) return { t: "emoji", text: `:${emoji}:` };
  if (command !== undefined) return { t: "text", text: `/${command}` };
  const text = unix === undefined ? PLACES[place] : momentText(Number(unix), style);
  return text === undefined || text === null ? null : { t: "text", text };
}

/** As the app calls them. */
const PLACES: Groups = {
  customize: "Channels & Roles",
  browse: "Browse Channels",
  guide: "Server Guide",
  "linked-roles": "Linked Roles",
};

const SECONDS_MAX = 8.64e12;

/**
 * A moment as people read it where nobody knows their zone: in UTC, by its style; how long ago it was says nothing
 * later on. `unix`: seconds. Null: no date can show it.
 */
function momentText(unix: number, style = "f"): string | null {
  if (Math.abs(unix) > SECONDS_MAX) return null;
  const at = new Date(unix * 1000);
  const part = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" }).format(at);
  const clock = at.toISOString().replace(/^.*T(\d\d:\d\d):.*$/, "$1");
  const seconds = `${clock}:${String(at.getUTCSeconds()).padStart(2, "0")}`;
  const date = at.toISOString().replace(/T.*$/, "");
  const long = part({ day: "numeric", month: "long", year: "numeric" });
  switch (style) {
    case "t":
      return `${clock} UTC`;
    case "T":
      return `${seconds} UTC`;
    case "d":
      return date;
    case "D":
      return long;
    case "F":
      return `${part({ weekday: "long" })}, ${long} ${clock} UTC`;
    case "s":
      return `${date} ${clock} UTC`;
    case "S":
      return `${date} ${seconds} UTC`;
    default:
      return `${long} ${clock} UTC`;
  }
}

/** No sign in it has a meaning, so that it stands anywhere in a text. */
export function encodeName(name: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- no name has a line break
  return name.replaceAll(/[\0-\x1f!-,/:-@[-`{-\x7f]/g, (sign) => `%${hex(sign)}`);
}

const hex = (sign: string): string => sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");

function decodeName(encoded: string): string {
  return encoded.replaceAll(/%([\dA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
