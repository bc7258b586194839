import type { Inline } from "../contract/content.ts";
import { overTexts, readNameMarks } from "../content/name-marks.ts";
import { showAddresses } from "../content/shown-addresses.ts";

/** What a nick format can put in its place; every value is used as it is and never read as a format again. */
export interface NickValues {
  readonly nick: string;
  /** The name part of the source account: `right` of `api.right`. */
  readonly bridge: string;
  readonly protocol: string;
  readonly gateway: string;
  readonly label: string;
  readonly userid: string;
  /** The source channel. */
  readonly channel: string;
}

export type NickFormat = (values: NickValues) => string;

/**
 * Compiles RemoteNickFormat: `{NICK} {NOPINGNICK} {BRIDGE} {PROTOCOL} {GATEWAY} {LABEL} {USERID} {CHANNEL}`.
 * `{TENGO}` is empty (there are no scripts); any other `{WORD}` stays as written.
 */
export function compileNickFormat(format: string): NickFormat {
  const parts = cut(format, PLACEHOLDERS);
  return (values) => join(parts, values);
}

/** A name as a destination shows it. */
export interface ShownName {
  readonly shown: string;
  /** The same name with the marks of its format; absent where it has none. */
  readonly marks?: readonly Inline[];
}

/**
 * As `compileNickFormat`, for a name that shares its line with what is said, of which only the format says where it
 * ends. A value that holds the text that follows it in the format is broken there by a zero width space, except where
 * that text is a single character, because too many names hold it. `markup`: the format of name-marks.ts in which the
 * destination writes; null: the format has no marks. Values are plain text in any case.
 */
export function compileNamePrefix(format: string, markup: string | null = null): (values: NickValues) => ShownName {
  const parts = cut(format.replaceAll(SLOTS, ""), PLACEHOLDERS);
  const written = parts.map((part, at) => (typeof part === "string" ? part : slotOf(at))).join("");
  const isRead = markup !== null && written.length <= FORMAT_MAX;
  const template = isRead ? readNameMarks(markup, written) : [textOf(written)];
  const pieces: readonly (string | Value)[] = template.flatMap(textsIn).map((text) => {
    const part = SLOT.test(text) ? parts[indexOf(text)] : text;
    return part ?? "";
  });
  const hasMarks = template.some(({ t }) => t !== "text");
  return (values) => {
    const texts = filled(pieces, values);
    const shown = texts.join("");
    if (!hasMarks) return { shown };
    const left = texts.values();
    const next = (text: string): string =>
      split(text)
        .map(() => left.next().value ?? "")
        .join("");
    const encode = (href: string): string =>
      href.replaceAll(ENCODED_SLOT, (slot) => {
        const part = parts[indexOf(decodeURIComponent(slot))];
        return typeof part === "function" ? percentEncode(part(values)) : "";
      });
    const of = template.map((inline) => overTexts(inline, next, encode));
    return {
      shown,
      marks: showAddresses([{ t: "para", of }]).flatMap((block) => (block.t === "para" ? block.of : [])),
    };
  };
}

/** Of a format that is read: longer ones are text. */
const FORMAT_MAX = 2_000;

/** Stands for a placeholder while the format is read: with letters at its edges, because a name is a word. */
const slotOf = (at: number): string => `n${String.fromCodePoint(SLOT_BASE + at)}n`;
const indexOf = (slot: string): number => (slot.codePointAt(1) ?? 0) - SLOT_BASE;
const SLOT_BASE = 0xf0000;
/** Private characters, which mean nothing in a format; the last two are those of name-marks.ts. */
const SLOTS = /[\u{f0000}-\u{fffff}]/gu;
const SLOT = /^n[\u{f0000}-\u{ffff0}]n$/u;
const ENCODED_SLOT = /n(?:[\u{f0000}-\u{ffff0}]|%F3(?:%[89AB][0-9A-F]){3})n/giu;

const split = (text: string): readonly string[] =>
  text.split(/(n[\u{f0000}-\u{ffff0}]n)/u).filter((piece) => piece !== "");

const textsIn = (inline: Inline): readonly string[] =>
  "of" in inline ? inline.of.flatMap(textsIn) : split(inline.text);

const textOf = (text: string): Inline => ({ t: "text", text });

/** What stands at the place of each piece. Names that meet are one name, and so are texts. */
function filled(pieces: readonly (string | Value)[], values: NickValues): readonly string[] {
  const texts = pieces.map((piece) => (typeof piece === "string" ? piece : piece(values)));
  for (let from = 0; from < pieces.length;) {
    let to = from;
    while (typeof pieces[to] === "function") to += 1;
    let next = to;
    while (typeof pieces[next] === "string") next += 1;
    const end = texts.slice(to, next).join("");
    const breaks = breaksIn(texts.slice(from, to).join(""), end);
    const mark = end.includes(SPACE) ? JOINER : SPACE;
    for (let at = from, begin = 0; at < to; at += 1) {
      const name = texts[at] ?? "";
      const own = breaks.filter((place) => place > begin && place <= begin + name.length);
      texts[at] = own.reduceRight(
        (text, place) => text.slice(0, place - begin) + mark + text.slice(place - begin),
        name,
      );
      begin += name.length;
    }
    from = next;
  }
  return texts;
}

/** Where the name has to be broken so that `end` is not to be found in it, nor where the two meet. */
function breaksIn(name: string, end: string): readonly number[] {
  const [first = "", second] = Array.from(end);
  if (name === "" || second === undefined) return [];
  const line = name + end;
  const places: number[] = [];
  for (let at = line.indexOf(end); at < name.length; at = line.indexOf(end, at + 1)) places.push(at + first.length);
  return places;
}

/** Other bridges write it into names as well, and it is left in what they say (see shown-name.ts). */
const SPACE = "\u200b";
/** For an operator who has the first one in the format. */
const JOINER = "\u2060";

/**
 * Compiles IconURL, the avatar of those who have none: `{NICK} {BRIDGE} {PROTOCOL}`. Values are percent-encoded,
 * because they stand inside a URL.
 */
export function compileIconURL(template: string): NickFormat {
  const parts = cut(template, ICON_PLACEHOLDERS);
  return (values) => join(parts, values);
}

/** StripNick: only ASCII letters and digits are left. */
export function stripNick(nick: string): string {
  return nick.replaceAll(/[^a-zA-Z0-9]+/g, "");
}

/**
 * The nick with a zero width space after its first character as people see it, so that it does not highlight its owner.
 */
export function noPing(nick: string): string {
  if (nick === "") return "";
  const first = firstGrapheme(nick);
  return `${first}\u200b${nick.slice(first.length)}`;
}

type Value = (values: NickValues) => string;

const PLACEHOLDERS: ReadonlyMap<string, Value> = new Map([
  ["{NICK}", (values: NickValues) => values.nick],
  ["{NOPINGNICK}", (values: NickValues) => noPing(values.nick)],
  ["{BRIDGE}", (values: NickValues) => values.bridge],
  ["{PROTOCOL}", (values: NickValues) => values.protocol],
  ["{GATEWAY}", (values: NickValues) => values.gateway],
  ["{LABEL}", (values: NickValues) => values.label],
  ["{USERID}", (values: NickValues) => values.userid],
  ["{CHANNEL}", (values: NickValues) => values.channel],
  ["{TENGO}", () => ""],
]);

const ICON_PLACEHOLDERS: ReadonlyMap<string, Value> = new Map([
  ["{NICK}", (values: NickValues) => percentEncode(values.nick)],
  ["{BRIDGE}", (values: NickValues) => percentEncode(values.bridge)],
  ["{PROTOCOL}", (values: NickValues) => percentEncode(values.protocol)],
]);

function cut(template: string, known: ReadonlyMap<string, Value>): readonly (string | Value)[] {
  // The split keeps what the group caught: text and candidate words take turns.
  return template
    .split(/(\{[A-Z]+\})/)
    .filter((piece) => piece !== "")
    .map((piece) => known.get(piece) ?? piece);
}

function join(parts: readonly (string | Value)[], values: NickValues): string {
  let out = "";
  for (const part of parts) out += typeof part === "string" ? part : part(values);
  return out;
}

/** encodeURIComponent throws on half a surrogate pair; such halves become U+FFFD first. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });

function firstGrapheme(text: string): string {
  // Two printable ASCII characters never join; that is most nicks, and the segmenter is slow.
  if (/^[ -~](?:[ -~]|$)/.test(text)) return text.slice(0, 1);
  return graphemes.segment(text).containing(0)?.segment ?? text;
}
