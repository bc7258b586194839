import type { Block, Inline, Source } from "../contract/content.ts";
import { isObject, listOf } from "../lib/shapes.ts";
import { renderHtml } from "./html-render.ts";

/**
 * What a message says, as text that the core reads: `plain` when nothing in it is more than its words, else `html`.
 * `entities` is what the network sent, whatever that is: what is beyond the text, within a character or of no kind that
 * crosses counts as words.
 */
export function telegramSource(text: string, entities: unknown): Source {
  const words = text.toWellFormed();
  const read = readEntities(words, entities);
  if (read.length === 0) return { format: "plain", text: words };
  return treeSource(blocksOf(words, read));
}

/** The same as the tree. */
export function telegramBlocks(text: string, entities: unknown): readonly Block[] {
  const words = text.toWellFormed();
  return words === "" ? [] : blocksOf(words, readEntities(words, entities));
}

/** A tree as text that the core reads. */
export const treeSource = (blocks: readonly Block[]): Source => ({ format: "html", text: renderHtml(blocks) });

/** A message has 100 at most. */
const ENTITIES_MAX = 256;

type InlineMark =
  | { readonly t: "bold" | "italic" | "underline" | "strike" | "spoiler" }
  | { readonly t: "code" }
  | { readonly t: "link"; readonly href: string };

type Mark = InlineMark | { readonly t: "quote" } | { readonly t: "pre"; readonly lang: string | null };

interface Span {
  readonly mark: Mark;
  readonly from: number;
  readonly to: number;
}

const MARKS: ReadonlyMap<unknown, Mark> = new Map<unknown, Mark>([
  ["bold", { t: "bold" }],
  ["italic", { t: "italic" }],
  ["underline", { t: "underline" }],
  ["strikethrough", { t: "strike" }],
  ["spoiler", { t: "spoiler" }],
  ["code", { t: "code" }],
  ["blockquote", { t: "quote" }],
  ["expandable_blockquote", { t: "quote" }],
]);

function readEntities(text: string, entities: unknown): readonly Span[] {
  const spans = listOf(entities)
    .slice(0, ENTITIES_MAX)
    .flatMap((entity) => spanOf(text, entity));
  return spans.toSorted((one, other) => one.from - other.from || other.to - one.to);
}

function spanOf(text: string, entity: unknown): readonly Span[] {
  if (!isObject(entity)) return [];
  const { type, offset, length, language, url } = entity;
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) return [];
  const from = Math.max(Number(offset), 0);
  const to = Math.min(Number(offset) + Number(length), text.length);
  const mark = markOf(type, language, url);
  if (mark === null || from >= to) return [];
  return [{ mark, from: isWithin(text, from) ? from - 1 : from, to: isWithin(text, to) ? to + 1 : to }];
}

function markOf(type: unknown, language: unknown, url: unknown): Mark | null {
  if (type === "pre") return { t: "pre", lang: typeof language === "string" && language !== "" ? language : null };
  if (type === "text_link") return typeof url === "string" && url !== "" ? { t: "link", href: url } : null;
  return MARKS.get(type) ?? null;
}

/** Whether a character goes on here. */
const isWithin = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(at - 1, 0), at + 1));

function blocksOf(text: string, spans: readonly Span[]): readonly Block[] {
  const quotes = apart(spans.filter(({ mark }) => mark.t === "quote"));
  return cut(
    text,
    { from: 0, to: text.length },
    quotes,
    (range) => linesOf(text, range, spans),
    (quote) => ({
      t: "quote",
      of: linesOf(text, quote, spans),
    }),
  );
}

/** Paragraphs and blocks of code. */
function linesOf(text: string, range: Range, spans: readonly Span[]): readonly Block[] {
  const pres = apart(spans.filter(({ mark }) => mark.t === "pre").flatMap((span) => clipped(span, range)));
  return cut(
    text,
    range,
    pres,
    (words) => [{ t: "para", of: inlinesOf(text, words, spans) }],
    ({ from, to, mark }) => ({ t: "pre", text: text.slice(from, to), lang: mark.t === "pre" ? mark.lang : null }),
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function clipped(span: Span, range: Range): readonly Span[] {
  const [from, to] = [Math.max(span.from, range.from), Math.min(span.to, range.to)];
  return from < to ? [{ ...span, from, to }] : [];
}

/** Of those that have characters in common the first is whole. */
function apart(spans: readonly Span[]): readonly Span[] {
  let end = 0;
  return spans.flatMap((span) => {
    const left = clipped(span, { from: end, to: span.to });
    end = Math.max(end, span.to);
    return left;
  });
}

/** The blocks of a range, some of which stand on lines of their own: the line breaks around those are theirs. */
function cut(
  text: string,
  { from, to }: Range,
  spans: readonly Span[],
  between: (range: Range) => readonly Block[],
  block: (span: Span) => Block,
): readonly Block[] {
  const blocks: Block[] = [];
  let at = from;
  const words = (end: number): void => {
    const begin = at > from && text[at] === "\n" && at < end ? at + 1 : at;
    const until = end < to && end > begin && text[end - 1] === "\n" ? end - 1 : end;
    if (begin < until) blocks.push(...between({ from: begin, to: until }));
  };
  for (const span of spans) {
    words(span.from);
    const endsLine = text[span.to - 1] === "\n" && span.to < to && text[span.to] !== "\n";
    if (!endsLine || span.to - 1 > span.from) blocks.push(block({ ...span, to: endsLine ? span.to - 1 : span.to }));
    at = span.to;
  }
  words(to);
  return blocks;
}

type Piece = readonly [text: string, path: readonly InlineMark[]];

function inlinesOf(text: string, range: Range, spans: readonly Span[]): readonly Inline[] {
  const here = spans.flatMap((span) => clipped(span, range));
  const edges = new Set([range.from, range.to, ...here.flatMap(({ from, to }) => [from, to])]);
  const points = [...edges].toSorted((one, other) => one - other);
  const shown = spaced(text.slice(range.from, range.to));
  const pieces = points.slice(1).map((to, index): Piece => {
    const from = points[index] ?? 0;
    const around = here.filter((span) => span.from <= from && to <= span.to).map(({ mark }) => mark);
    return [shown.slice(from - range.from, to - range.from), pathOf(around)];
  });
  return nested(pieces, 0);
}

/** The marks of a piece, each kind once: a link around all others, so that it stays whole, and code within them. */
function pathOf(marks: readonly Mark[]): readonly InlineMark[] {
  const path: InlineMark[] = [];
  for (const mark of marks) {
    if (mark.t !== "quote" && mark.t !== "pre" && path.every(({ t }) => t !== mark.t)) path.push(mark);
  }
  return path.toSorted((one, other) => DEPTHS[one.t] - DEPTHS[other.t]);
}

const DEPTHS = { link: 0, bold: 1, italic: 1, underline: 1, strike: 1, spoiler: 1, code: 2 } as const;

function nested(pieces: readonly Piece[], depth: number): readonly Inline[] {
  const of: Inline[] = [];
  for (let from = 0; from < pieces.length;) {
    const mark = pieces[from]?.[1][depth];
    let to = from + 1;
    while (to < pieces.length && pieces[to]?.[1][depth] === mark) to += 1;
    const part = pieces.slice(from, to);
    const text = part.map(([words]) => words).join("");
    if (mark === undefined) of.push({ t: "text", text });
    else if (mark.t === "code") of.push({ t: "code", text });
    else of.push({ ...mark, of: nested(part, depth + 1) });
    from = to;
  }
  return of;
}

/** Spaces that HTML would swallow do not break there; the tree has them as they were. */
const spaced = (text: string): string => text.replaceAll(/(?<=^|\s) | (?=$|\s)/gm, "\u00a0");
