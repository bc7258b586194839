import type { Inline } from "../contract/content.ts";
import { mint } from "../contract/ids.ts";
import { emojiNamed, toned } from "./emoji-names.ts";
import { isLinkable } from "./links.ts";
import { momentWords } from "./slack-dates.ts";

/** Who has an id, by the name that is shown, without `@` and `#`; null: nobody knows. */
export interface SlackNames {
  /** `U…` and `W…`. */
  readonly user: (id: string) => string | null;
  /** `C…`, `G…` and `D…`. */
  readonly channel: (id: string) => string | null;
  /** `S…`. */
  readonly group: (id: string) => string | null;
}

export const NO_NAMES: SlackNames = { user: () => null, channel: () => null, group: () => null };

/** In words, what has no name here. */
const UNKNOWN = { user: "unknown-user", channel: "unknown", group: "unknown-group" } as const;

export const textOf = (text: string): Inline => ({ t: "text", text });

export function userInline(id: string, name: string | null): Inline {
  return { t: "mention", user: mint("UserRef", id), text: `@${bare(name, "@") ?? UNKNOWN.user}` };
}

export function channelInline(name: string | null): Inline {
  return textOf(`#${bare(name, "#") ?? UNKNOWN.channel}`);
}

export function groupInline(name: string | null): Inline {
  return { t: "mention", user: null, text: `@${bare(name, "@") ?? UNKNOWN.group}` };
}

function bare(name: string | null, sign: string): string | null {
  const words = name?.startsWith(sign) === true ? name.slice(1) : name;
  return words === "" ? null : words;
}

/**
 * An address as Slack has it, with the words for it; null: it has none of its own.
 */
export function linkInline(href: string, label: string | null): Inline {
  const own = href.replace(/^(?:mailto|tel):/i, "");
  const words = label === null || label.trim() === "" ? own : label;
  // Who types `e.example` gets a link to `http://e.example`.
  const isTyped = [own, own.replace(/^https?:\/\//i, ""), own.replace(/^https?:\/\/(.*)\/$/i, "$1")].includes(words);
  if (isTyped) return textOf(words);
  return isLinkable(href) ? { t: "link", href, of: [textOf(words)] } : textOf(`${words} (${own})`);
}

/** An emoji by its name; `tone`: 2 to 6, as Slack counts them. One that is not in Unicode is the network's own. */
export function emojiInline(name: string, tone: number | null): Inline {
  const emoji = emojiNamed(name);
  if (emoji === null) return { t: "emoji", text: `:${name}:` };
  return textOf(tone === null ? emoji : toned(emoji, tone - 2));
}

/** What signs are that the text may not have: Slack's own entities, and numbers for any other (slack-source.ts). */
export function decodeSlack(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:(amp|lt|gt)|#(\d{1,5}));/g, (_, name: string | undefined, code: string | undefined) =>
    name === undefined ? String.fromCharCode(Number(code)) : (NAMED[name] ?? ""),
  );
}

/** The signs of tokens as text. */
export function escapeSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };

/** What stands between `<` and `>`. */
export interface SlackToken {
  readonly end: number;
  /** Null: nothing, it only keeps apart what is beside it. */
  readonly inline: Inline | null;
}

const TOKEN = /<([^<>\n]{0,8000})>/y;
const MEANT =
  /^(?:(?:@(?<user>[UW][A-Z0-9]{1,40})|#(?<channel>[CGD][A-Z0-9]{1,40})|!subteam\^(?<group>S[A-Z0-9]{1,40})|!(?<all>here|channel|everyone|group)|!date\^(?<date>[^|]*)|!(?<other>\w[^|]*)|(?<href>[A-Za-z][A-Za-z\d+.-]{0,30}:[^|]*))(?:\|(?<label>.*))?)?$/s;

/** The token that begins with the `<` at a place; null: it is text. */
export function slackTokenAt(text: string, at: number, names: SlackNames): SlackToken | null {
  TOKEN.lastIndex = at;
  const [, body] = TOKEN.exec(text) ?? [];
  const end = TOKEN.lastIndex;
  const groups = body === undefined ? null : MEANT.exec(body);
  if (groups === null) return null;
  return { end, inline: body === "" ? null : meaning(groups.groups ?? {}, names) };
}

type Groups = Readonly<Partial<Record<string, string>>>;

function meaning({ user, channel, group, all, date, other, href = "", label }: Groups, names: SlackNames): Inline {
  const words = label === undefined ? null : decodeSlack(label);
  if (user !== undefined) return userInline(user, names.user(user) ?? words);
  if (channel !== undefined) return channelInline(names.channel(channel) ?? words);
  if (group !== undefined) return groupInline(names.group(group) ?? words);
  if (all !== undefined) return textOf(`@${all === "group" ? "channel" : all}`);
  if (other !== undefined) return textOf(words ?? `<${decodeSlack(other)}>`);
  if (date === undefined) return linkInline(decodeSlack(href), words);
  const [seconds = "", format = "", ...rest] = date.split("^");
  return dateInline(Number(seconds), decodeSlack(format), { url: decodeSlack(rest.join("^")), fallback: words });
}

/** A moment as its writer words it, else in UTC. */
export function dateInline(
  seconds: number,
  format: string,
  { url, fallback }: { readonly url: string; readonly fallback: string | null },
): Inline {
  const words = fallback ?? momentWords(seconds, format) ?? format;
  return isLinkable(url) ? linkInline(url, words) : textOf(words);
}

/**
 * Whether a code is a part of something longer, such as the `:a:` of `2001:db8:a:b::1`. Codes beside it are none, and
 * neither is a word before it: Slack shows an emoji behind `done:tada:`.
 */
export function isWithinWord(text: string, at: number, end: number): boolean {
  const [word = ""] = /\S*$/u.exec(text.slice(Math.max(0, at - NEAR), at).replace(/(?::[\w+'-]+:)+$/u, "")) ?? [];
  if (!/[\p{L}\p{N}:]$/u.test(word)) return false;
  return /[\p{N}:]/u.test(word) || /^[\p{L}\p{N}:]/u.test(text.slice(end, end + NEAR).replace(/^(?::[\w+'-]+:)+/u, ""));
}

const NEAR = 128;
