import { formatTags, NO_TAGS, parseTags, type Tags } from "./tags.ts";

/** One line of the protocol (RFC 2812 §2.3.1, IRCv3 "Message Tags"). */
export interface IrcLine {
  readonly tags: Tags;
  readonly source: LineSource | null;
  /** Upper case, or three digits. */
  readonly command: string;
  readonly params: readonly string[];
}

/** Who a line is from. `user` and `host` are empty when not told; a server has its name as `nick`. */
export interface LineSource {
  readonly nick: string;
  readonly user: string;
  readonly host: string;
}

/**
 * Reads a line without its CRLF. Takes what servers really send: several spaces, no trailing parameter, more than 15
 * parameters. Null when there is no command in it.
 */
export function parseLine(text: string): IrcLine | null {
  let at = 0;
  const word = (): string => {
    const space = text.indexOf(" ", at);
    const end = space === -1 ? text.length : space;
    const found = text.slice(at, end);
    at = end;
    while (text[at] === " ") at += 1;
    return found;
  };
  while (text[at] === " ") at += 1;
  const tags = text[at] === "@" ? parseTags(word().slice(1)) : NO_TAGS;
  const source = text[at] === ":" ? parseSource(word().slice(1)) : null;
  const command = word().toUpperCase();
  if (!/^(?:[A-Z]+|\d{3})$/.test(command)) return null;
  const params: string[] = [];
  while (at < text.length) {
    if (text[at] === ":") {
      params.push(text.slice(at + 1));
      break;
    }
    params.push(word());
  }
  return { tags, source, command, params };
}

/** `nick!user@host`, `nick@host`, `nick` or a server's name. */
export function parseSource(text: string): LineSource {
  const at = text.indexOf("@");
  const name = at === -1 ? text : text.slice(0, at);
  const bang = name.indexOf("!");
  return {
    nick: bang === -1 ? name : name.slice(0, bang),
    user: bang === -1 ? "" : name.slice(bang + 1),
    host: at === -1 ? "" : text.slice(at + 1),
  };
}

const PARAMS_MAX = 15;

/**
 * A line without its CRLF, and never with CR, LF or NUL in it: they become spaces in the last parameter. Null for what
 * cannot be one line: a parameter before the last that is empty, holds a space or begins with a colon, a command that
 * is none, an impossible tag key.
 */
export function formatLine(command: string, params: readonly string[], tags: Tags = NO_TAGS): string | null {
  if (!/^(?:[A-Za-z]+|\d{3})$/.test(command) || params.length > PARAMS_MAX) return null;
  const head = formatTags(tags);
  if (head === null) return null;
  let line = head === "" ? command : `@${head} ${command}`;
  for (const [index, param] of params.entries()) {
    const text = withoutBreaks(param);
    const plain = text !== "" && !text.includes(" ") && !text.startsWith(":");
    if (!plain && index < params.length - 1) return null;
    line += plain ? ` ${text}` : ` :${text}`;
  }
  return line;
}

/** A line as somebody wrote it (RunCommands), made safe as `formatLine` does. Null when nothing is in it. */
export function rawLine(text: string): string | null {
  const line = withoutBreaks(text).trim();
  return line === "" ? null : line;
}

function withoutBreaks(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- these three end a line
  return text.replaceAll(/[\r\n\0]/g, " ");
}
