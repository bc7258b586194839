/**
 * Message tags (IRCv3 "Message Tags"): values are escaped, a tag without a value and one with an empty value are the
 * same.
 */
export type Tags = ReadonlyMap<string, string>;

export const NO_TAGS: Tags = new Map();

/** What stands between `@` and the first space. The last of several equal keys counts. */
export function parseTags(text: string): Tags {
  const tags = new Map<string, string>();
  for (const tag of text.split(";")) {
    const equals = tag.indexOf("=");
    const key = equals === -1 ? tag : tag.slice(0, equals);
    if (key !== "") tags.set(key, equals === -1 ? "" : unescapeTag(tag.slice(equals + 1)));
  }
  return tags;
}

/** Null when a key cannot be written. */
export function formatTags(tags: Tags): string | null {
  const parts: string[] = [];
  for (const [key, value] of tags) {
    if (!KEY.test(key)) return null;
    parts.push(value === "" ? key : `${key}=${escapeTag(value)}`);
  }
  return parts.join(";");
}

const KEY = /^\+?(?:[A-Za-z0-9.-]+\/)?[A-Za-z0-9-]+$/;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  [";", "\\:"],
  [" ", "\\s"],
  ["\\", "\\\\"],
  ["\r", "\\r"],
  ["\n", "\\n"],
  // NUL may not stand in a line and has no escape.
  ["\0", ""],
]);

function escapeTag(value: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- CR, LF and NUL are what is escaped
  return value.replaceAll(/[; \\\r\n\0]/g, (character) => ESCAPES.get(character) ?? "");
}

const UNESCAPES: ReadonlyMap<string, string> = new Map([
  [":", ";"],
  ["s", " "],
  ["r", "\r"],
  ["n", "\n"],
]);

/** An unknown escape stands for its character, a lone backslash at the end for nothing. */
function unescapeTag(value: string): string {
  return value.includes("\\")
    ? value.replaceAll(/\\(.?)/gsu, (_, character: string) => UNESCAPES.get(character) ?? character)
    : value;
}

/** Who relayed the line under another name (`draft/relaymsg`), or null. */
export function relayerOf(tags: Tags): string | null {
  return tags.get("draft/relaymsg") ?? tags.get("relaymsg") ?? tags.get("overdrivenetworks.com/relaymsg") ?? null;
}
