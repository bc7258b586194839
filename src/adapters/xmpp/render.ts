import type { Block, Body, SharedFile } from "../../contract/content.ts";
import { progressAt } from "./ids.ts";
import { END, type Progress } from "../../contract/ids.ts";
import type { OpAuthor, PostDraft } from "../../contract/ops.ts";
import { hiddenWords } from "../../content/hidden-file.ts";
import { cut, measure } from "../../content/length.ts";
import { plainText } from "../../content/plain.ts";
import { lettersOf } from "../../content/slice.ts";
import { openWords } from "../../content/spoilers.ts";
import { looksStyled } from "../../content/styling-parse.ts";
import { styled } from "../../content/styling-render.ts";
import { pack } from "../kit/pack.ts";

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
  const open = openWords(body.blocks);
  const hint = open === null ? {} : { hint: cut(`${author?.shown ?? ""}${open}`.trim(), HINT_MAX, "codepoints") };
  const part = (
    { words, isStyled }: Words,
    name: string,
    end: string,
    hidden: Pick<TextPart, "hint"> = {},
  ): TextPart => {
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
  const parts: XmppPart[] = pieces(body, options, Math.max(options.textMax - nameLength(author), ROOM_MIN)).map((at) =>
    part(at, String(at.from), String(at.to), hint),
  );
  const needsName = plainText(body.blocks).trim() === "" && author !== null;
  for (const [at, file] of body.files.entries()) {
    const caption = captionOf(file, needsName && at === 0);
    if (caption !== "") parts.push(part({ words: caption, isStyled: false }, `c${at}`, `c${at}`));
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
  if (comment !== "" || !needsName) return comment;
  return file.spoiler === undefined ? file.name : hiddenWords(file);
}

/** The text begins after `resume` already. */
function behind(parts: readonly XmppPart[], resume: Progress | null): readonly XmppPart[] {
  return resume === END ? [] : parts.slice(parts.findIndex(({ end }) => end === resume) + 1);
}

interface Looks {
  readonly isAction: boolean;
  readonly isStyled: boolean;
}

function withName(words: string, author: OpAuthor | null, { isAction, isStyled }: Looks): string {
  const lines = author?.shown.replaceAll(/\r\n?|[\u2028\u2029\u0085]/gu, "\n") ?? "";
  const name = isAction ? lines.replaceAll(/\n+/gu, " ") : lines;
  // A quote or a fence begins with its line.
  const needsLine = isStyled && name !== "" && /^(?:>|```)/u.test(words);
  return `${isAction ? "/me " : ""}${needsLine ? `${name.trimEnd()}\n` : name}${words}`;
}

function nameLength(author: OpAuthor | null): number {
  return author === null ? 0 : measure(author.shown, "codepoints") + 1;
}

/** Below this there is no room for words. */
const ROOM_MIN = 64;

/** Words of a message, and whether the marks in them are meant. */
interface Words {
  readonly words: string;
  readonly isStyled: boolean;
}

/** Letters of the text (`lettersOf`), with one between its blocks. */
interface Piece extends Words {
  readonly from: number;
  readonly to: number;
}

/** What is left of the text, in pieces of which each has its own formatting. */
function pieces({ source, blocks }: Body, { resume }: XmppRenderOptions, max: number): readonly Piece[] {
  const begins: number[] = [0];
  for (const block of blocks) begins.push((begins.at(-1) ?? 0) + lettersOf(block).length + 1);
  const end = Math.max((begins.at(-1) ?? 0) - 1, 0);
  const start = /^\d+$/u.test(resume ?? "0") ? Number(resume ?? "0") : end;
  const sizeOf = (text: string): number => measure(text, "codepoints");
  const said = (of: readonly Block[]): Words => {
    const { text: words, isStyled } = styled(of);
    return { words, isStyled };
  };
  const whole = source.format === "styling" ? { words: source.text, isStyled: true } : said(blocks);
  if (start === 0 && sizeOf(whole.words) <= max)
    return whole.words.trim() === "" ? [] : [{ ...whole, from: 0, to: end }];
  const first = Math.max(
    begins.findLastIndex((begin) => begin <= start),
    0,
  );
  const packed = pack(
    blocks.slice(first),
    {
      textMax: max,
      firstMax: max,
      unit: "codepoints",
      sizeOf: (of) => sizeOf(said(of).words),
      from: start - (begins[first] ?? 0),
    },
    [],
  );
  let from = start;
  return packed.flatMap(({ of, blocks: done, at }) => {
    const to = Math.min((begins[first + done] ?? end) + at, end);
    const piece = { ...said(of), from, to };
    from = to;
    // White space alone is no message.
    return piece.words.trim() === "" ? [] : [piece];
  });
}
