import type { Body, SharedFile } from "../../contract/content.ts";
import { progressAt } from "./ids.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import { cut, measure } from "../../content/length.ts";
import { openWords } from "../../content/spoilers.ts";
import { looksStyled } from "../../content/styling-parse.ts";
import { styled } from "../../content/styling-render.ts";

/** A part of a post: one message. */
export type XmppPart = TextPart | FilePart;

export interface TextPart {
  readonly is: "text";
  /** Tells it from the other parts of its op: where its text begins. */
  readonly name: string;
  /** `Attempt.sent` takes it; END for the last part. */
  readonly end: Progress;
  /** With the name of the author before it. */
  readonly text: string;
  /** Its signs are no formatting (XEP-0393 §5). */
  readonly unstyled: boolean;
  /** What can be read before its words are uncovered (XEP-0382). Absent: they are not hidden. */
  readonly hint?: string;
}

/** A file alone: clients show it as what it is only when nothing else is in the message. */
export interface FilePart {
  readonly is: "file";
  readonly name: string;
  readonly end: Progress;
  readonly file: SharedFile;
}

export interface XmppRenderOptions {
  /** Most code points of one part. */
  readonly textMax: number;
  /** Where an earlier attempt ended. */
  readonly resume: Progress | null;
}

/**
 * A post as messages: its text, cut where it is too long, each piece with the author's shown name before it; then each
 * file, and right before it its caption. Pure. The progress is an offset into the text, and after that `c` or `f` and
 * the number of the file.
 */
export function renderPost(
  { body, author }: Pick<PostDraft, "body" | "author">,
  options: XmppRenderOptions,
): readonly XmppPart[] {
  const { text, isStyled } = bodyText(body);
  const open = openWords(body.blocks);
  const hint = open === null ? {} : { hint: cut(`${author?.shown ?? ""}${open}`.trim(), HINT_MAX, "codepoints") };
  const part = (words: string, name: string, end: string, hidden: Pick<TextPart, "hint"> = {}): TextPart => {
    const whole = withName(words, author, { isAction: body.style === "action", isStyled });
    return {
      is: "text",
      name,
      end: progressAt(end),
      text: whole,
      unstyled: !isStyled && looksStyled(whole),
      ...hidden,
    };
  };
  const from = /^\d+$/u.test(options.resume ?? "0") ? Number(options.resume ?? "0") : text.length;
  const room = options.textMax - nameLength(author);
  const parts: XmppPart[] = pieces(text, from, room).map((at) =>
    part(text.slice(at.from, at.to), String(at.from), String(at.next), hint),
  );
  const needsName = text.trim() === "" && author !== null;
  for (const [at, file] of body.files.entries()) {
    const caption = captionOf(file, needsName && at === 0);
    if (caption !== "") parts.push(part(caption, `c${at}`, `c${at}`));
    parts.push({ is: "file", name: `f${at}`, end: progressAt(`f${at}`), file });
  }
  const left = behind(parts, options.resume);
  const last = left.at(-1);
  return last === undefined ? [] : [...left.slice(0, -1), { ...last, end: END }];
}

/** Of a hidden text: in code points. */
const HINT_MAX = 255;

/** The words that stand above a file; without any, its name says whose it is. */
function captionOf(file: SharedFile, needsName: boolean): string {
  const comment = file.comment.trim();
  return comment !== "" || !needsName ? comment : file.name;
}

/** The text begins after `resume` already. */
function behind(parts: readonly XmppPart[], resume: Progress | null): readonly XmppPart[] {
  return resume === END ? [] : parts.slice(parts.findIndex(({ end }) => end === resume) + 1);
}

function bodyText({ source, blocks }: Body): ReturnType<typeof styled> {
  return source.format === "styling" ? { text: source.text, isStyled: true } : styled(blocks);
}

interface Looks {
  readonly isAction: boolean;
  readonly isStyled: boolean;
}

function withName(words: string, author: OpAuthor | null, { isAction, isStyled }: Looks): string {
  const name = author?.shown.replaceAll(/[\r\n\u2028\u2029\u0085]+/gu, " ") ?? "";
  // A quote or a fence begins with its line.
  const needsLine = isStyled && name !== "" && /^(?:>|```)/u.test(words);
  return `${isAction ? "/me " : ""}${needsLine ? `${name.trimEnd()}\n` : name}${words}`;
}

function nameLength(author: OpAuthor | null): number {
  return author === null ? 0 : measure(author.shown, "codepoints") + 1;
}

/** Below this there is no room for words. */
const ROOM_MIN = 64;

interface Piece {
  readonly from: number;
  readonly to: number;
  /** Where the next one begins: the white space between them is nowhere. */
  readonly next: number;
}

/**
 * Where each piece of the text begins and ends; between words or lines where there are any, and never within a
 * character.
 */
function pieces(text: string, start: number, max: number): readonly Piece[] {
  const room = Math.max(max, ROOM_MIN);
  const found: Piece[] = [];
  for (let from = start; from < text.length;) {
    const fit = cut(text.slice(from, from + room * 2 + 128), room, "codepoints");
    const isLast = from + fit.length >= text.length;
    // A character of more marks than there is room for.
    const to = from + (isLast ? fit.length : Math.max(breakIn(fit), 1));
    let next = to;
    while (/[ \n]/u.test(text[next] ?? "")) next += 1;
    // White space alone is no message.
    if (text.slice(from, to).trim() !== "") found.push({ from, to, next });
    from = next;
  }
  return found;
}

/** After the last line, else the last word, unless that leaves less than half. */
function breakIn(fit: string): number {
  for (const sign of ["\n", " "]) {
    const at = fit.lastIndexOf(sign);
    if (at > fit.length / 2) return at;
  }
  return fit.length;
}
