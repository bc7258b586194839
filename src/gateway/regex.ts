import { RE2JS, RE2JSSyntaxException } from "re2js";
import { compileTemplate, expand } from "./template.ts";

/** A compiled pattern: Go's syntax and meaning (RE2), so matching takes time linear in the text. */
export interface Pattern {
  /** Capture groups, the whole match not counted. */
  readonly groups: number;
  /** True when the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean;
  /** The leftmost match: the whole at 0, then the groups ("" for one that took no part); null without a match. */
  readonly first: (text: string) => readonly string[] | null;
  /**
   * Compiles a replacement with Go's rules for `$1`, `${1}`, `$name`, `${name}`, `$$`; the function replaces all
   * matches.
   */
  readonly replacer: (template: string) => (text: string) => string;
}

/** Compiles a pattern; throws for one that `checkPattern` has words about. No input text makes the result throw. */
export function compilePattern(source: string): Pattern {
  const re = RE2JS.compile(source);
  const groups = re.groupCount();
  return {
    groups,
    test: (text) => re.test(text),
    first: (text) => firstMatch(re, groups, text),
    replacer: (template) => {
      const parts = compileTemplate(template, groups, re.namedGroups());
      return (text) => (re.test(text) ? replaceAll(re, parts, text) : text);
    },
  };
}

/** What is wrong with a pattern, in words for the person who wrote it; null when it is right. */
export function checkPattern(source: string): string | null {
  try {
    RE2JS.compile(source);
    return null;
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) return error instanceof Error ? error.message : String(error);
    const part = error.getPattern();
    const what = part === null || part === "" ? error.getDescription() : `${error.getDescription()} at "${part}"`;
    const advice = adviceFor(source, part ?? "");
    return advice === null ? what : `${what} (${advice})`;
  }
}

function adviceFor(source: string, part: string): string | null {
  if (/^\(\?<?[=!]/.test(part)) {
    return "RE2 has no look-ahead and no look-behind: match the surrounding text too and keep it with a group";
  }
  if (/^\\[1-9]/.test(part)) return "RE2 has no back-references inside a pattern";
  if (/^(?:\*\*|.?[*+?}]\+)$/.test(part))
    return "RE2 has no possessive or stacked repetition; group with ( ) to repeat twice";
  if (part === "*" || part === "+" || part === "?") return `to match the character itself write "\\${part}"`;
  if (/^[([]/.test(part) && part === source) return `to match the character itself write "\\${source[0]}"`;
  return null;
}

function firstMatch(re: RE2JS, groups: number, text: string): readonly string[] | null {
  const matcher = re.matcher(text);
  if (!matcher.find()) return null;
  return Array.from({ length: groups + 1 }, (_, index) => matcher.group(index) ?? "");
}

/** Go's ReplaceAll: an empty match directly after another match is not replaced, and the search always advances. */
function replaceAll(re: RE2JS, parts: ReturnType<typeof compileTemplate>, text: string): string {
  const matcher = re.matcher(text);
  const group = (index: number): string => matcher.group(index) ?? "";
  let out = "";
  let copied = 0;
  let from = 0;
  while (from <= text.length && matcher.find(from)) {
    const start = matcher.start();
    const end = matcher.end();
    out += text.slice(copied, start);
    if (end > copied || start === 0) out += expand(parts, group);
    copied = end;
    from = end > from ? end : from + characterLength(text, from);
  }
  return out + text.slice(copied);
}

/** UTF-16 units of the character at this place; 1 at the end and for half a pair. */
function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
