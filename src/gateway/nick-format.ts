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

/**
 * As `compileNickFormat`, for a name that shares its line with what is said: where the name ends nobody but the format
 * says. Values that hold the text that follows them in the format are broken there by a zero width space. A single
 * character is no such text: too many names hold it.
 */
export function compileNamePrefix(format: string): NickFormat {
  const parts = cut(format, PLACEHOLDERS);
  return (values) => {
    let [out, name] = ["", ""];
    for (const part of parts) {
      if (typeof part !== "string") name += part(values);
      else {
        out += broken(name, part) + part;
        name = "";
      }
    }
    return out + name;
  };
}

/** So that `end` is not to be found in the name, nor where the name meets it. */
function broken(name: string, end: string): string {
  const [first = "", second] = Array.from(end);
  if (name === "" || second === undefined) return name;
  const mark = end.includes(SPACE) ? JOINER : SPACE;
  const line = name + end;
  let out = "";
  let from = 0;
  for (let at = line.indexOf(end); at < name.length; at = line.indexOf(end, at + 1)) {
    out += name.slice(from, at + first.length) + mark;
    from = at + first.length;
  }
  return out + name.slice(from);
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
