import type { SecretNames } from "./secret-names.ts";
import { compileLineEnds, type Span, valueAt } from "./secret-values.ts";

/** `//` and `/*` are those of files in which no format has comments. */
const MARK = /#|(?<=^|\s)(?:\/\/|\/\*)/gmu;
const WORD = /[A-Za-z][\w-]{0,60}/gu;
/** Between a name and what it names: at once, or after a few words, as in `Password of libera: …`. */
const SIGN = /^["'`]?[ \t]*(?:[=:]=?>?(?!\/\/)|[-~]+>|[→⇒|]|[-–—~](?=[ \t]))[ \t]*/u;
const LATER_SIGN = /^[^=:\r\n]{0,300}(?:=>?|:(?!\/\/))[ \t]*/u;
/** One word is all that follows. */
const LAST_WORD = /^["'`)]?(?:[ \t]+(?:is|was|now|still))?[ \t]+(?<word>\S{1,300})[ \t\r]*$/u;
const QUOTED = /(?<!\w)(?<quote>["'`])(?<inside>[^"'`\r\n]{1,300})\k<quote>(?!\w)/gu;
const UNQUOTED = /[^\s"'`(),;<>[\]{}]{6,}/gu;
/** Between two comments of which nothing but white space is in between. */
const NEXT_LINE = /^\n[ \t]*(?:#|\/\/|\/\*)$/u;
/** A value that begins on the next line. */
const BLOCK = /^(?:[|>][0-9+-]*)?[ \t\r]*$/u;
/** Nothing but what closes the name follows. */
const NOTHING = /^["'`*)]*[ \t\r]*$/u;
/** One word on a line of its own, and no rule below a heading. */
const LONE_WORD = /^\s*(?=\S*[\p{L}\p{N}])[^\s=:[\]]+\s*$/u;

interface CommentSecret extends Span {
  /** A sign says so; else it is guessed. */
  readonly isSure: boolean;
}

/**
 * What may be a secret in the comments of a configuration: what follows the name of a secret behind a sign of any
 * kind, or as the only word; and on such a line what is in quotes, or has letters and digits. `isTaken`: it is a part
 * of a value. Rather too much than too little: who edits the file sees a mask in a comment, and nothing is lost by it,
 * as what is guessed is masked at its place alone.
 */
export function commentSecrets(text: string, comments: readonly Span[], names: SecretNames): readonly CommentSecret[] {
  const found: CommentSecret[] = [];
  // What a value that has gone on has taken.
  let taken = 0;
  for (const [at, comment] of comments.entries()) {
    if (comment.end <= taken) continue;
    const named = namesIn(text, comment, names);
    if (named.length > 0) found.push(...guesses(text, comment, names));
    let until = 0;
    for (const name of named) {
      if (name.start < until) continue;
      const value = valueOf(text, name, comment);
      if (value === null) continue;
      const lines = value.isOpen ? continued(text, value, comments, at) : [];
      const { isSure } = value;
      found.push(...[value.span, ...lines].map(({ start, end }) => ({ start, end, isSure })));
      until = value.isOpen ? comment.end : value.span.end;
      taken = lines.at(-1)?.end ?? taken;
    }
  }
  return found.filter(({ start, end }) => start < end);
}

/** Without their marks, in order. `isTaken`: it is a part of a value. */
export function commentsOf(text: string, isTaken: (span: Span) => boolean): readonly Span[] {
  const comments: Span[] = [];
  const lineEnd = compileLineEnds(text);
  for (const { index, 0: mark } of text.matchAll(MARK)) {
    if (index < (comments.at(-1)?.end ?? 0) || isTaken({ start: index, end: index + 1 })) continue;
    comments.push({ start: index + mark.length, end: lineEnd(index) });
  }
  return comments;
}

/** A name behind which a value may stand. */
interface Name extends Span {
  /** It is one by its spelling; else only if a sign follows at once. */
  readonly isSure: boolean;
}

function namesIn(text: string, { start, end }: Span, { isSecretName, isSecretWord }: SecretNames): readonly Name[] {
  const names: Name[] = [];
  let last: Name = { start, end: start, isSure: false };
  for (const { index, 0: word } of text.slice(start, end).matchAll(WORD)) {
    const span = { start: start + index, end: start + index + word.length };
    // `API key` is a name as `APIKey` is.
    const isPair = span.start - last.end === 1 && !last.isSure && isSecretWord(text.slice(last.start, span.end));
    last = { ...span, isSure: isPair || isSecretWord(word) };
    if (last.isSure || (SIGN.test(text.slice(span.end, end)) && isSecretName(word))) names.push(last);
  }
  return names;
}

interface Value {
  readonly span: Span;
  readonly isSure: boolean;
  /** It goes on in the next comments. */
  readonly isOpen: boolean;
  /** What ends it there; null: as it is indented. */
  readonly fence: string | null;
  /** Of its own line; what is indented more belongs to it. */
  readonly indent: number;
}

function valueOf(text: string, name: Name, { start, end }: Span): Value | null {
  const rest = text.slice(name.end, end);
  const sign = SIGN.exec(rest) ?? (name.isSure ? LATER_SIGN.exec(rest) : null);
  if (sign === null) {
    if (!name.isSure) return null;
    const guess = { isSure: false, fence: null, indent: Infinity };
    if (NOTHING.test(rest)) return { ...guess, span: { start: end, end }, isOpen: true };
    const word = LAST_WORD.exec(rest)?.groups?.["word"];
    if (word === undefined) return null;
    const at = name.end + rest.lastIndexOf(word);
    return { ...guess, span: { start: at, end: at + word.length }, isOpen: false };
  }
  const at = name.end + sign[0].length;
  const said = text.slice(at, end);
  const before = text.slice(start, end);
  const indent = before.length - before.trimStart().length;
  if (BLOCK.test(said)) return { span: { start: at, end: at }, isSure: true, isOpen: true, fence: null, indent };
  const span = valueAt(text, at, {
    index: name.start,
    isBroken: false,
    lineEnd: end,
    mayBeAlias: false,
  });
  if (span === null) return null;
  const fence = ['"""', "'''", "["].find((each) => said.startsWith(each));
  const isOpen = fence !== undefined && span.end === end;
  return { span, isSure: true, isOpen, fence: fence === "[" ? "]" : (fence ?? null), indent };
}

/** The lines of comment behind a value that did not end on its own. */
function continued(
  text: string,
  { isSure, fence, indent }: Value,
  comments: readonly Span[],
  at: number,
): readonly Span[] {
  const lines: Span[] = [];
  for (let next = at + 1; next < comments.length; next += 1) {
    const [last, comment] = [comments[next - 1], comments[next]];
    if (last === undefined || comment === undefined) break;
    if (!NEXT_LINE.test(text.slice(last.end, comment.start))) break;
    const line = text.slice(comment.start, comment.end);
    const isInside = isSure && (line.length - line.trimStart().length > indent || /^\s*- /u.test(line));
    const isWord = lines.length === 0 && LONE_WORD.test(line);
    if (fence === null && !isInside && !isWord) break;
    const close = fence === null ? -1 : line.indexOf(fence);
    lines.push({ start: comment.start, end: close === -1 ? comment.end : comment.start + close });
    if (close !== -1) break;
  }
  return lines;
}

/** What looks like a secret by itself, in a comment that names one. */
function guesses(text: string, { start, end }: Span, { isSecretWord }: SecretNames): readonly CommentSecret[] {
  const comment = text.slice(start, end);
  const quoted = Array.from(comment.matchAll(QUOTED), ({ index, groups: { inside = "" } = {} }) => ({
    start: start + index + 1,
    end: start + index + 1 + inside.length,
    word: inside,
    isSure: false,
  }));
  const mixed = Array.from(comment.matchAll(UNQUOTED), ({ index, 0: word }) => ({
    start: start + index,
    end: start + index + word.length,
    word,
    isSure: false,
  })).filter(({ word }) => /\d/u.test(word) && /\p{L}/u.test(word));
  return [...quoted.filter(({ word }) => !/^[a-z]+$/iu.test(word) || !isSecretWord(word)), ...mixed];
}
