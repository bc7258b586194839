import type { FormatName } from "./formats/pick.ts";
import { scalarsOf } from "./formats/pick.ts";
import type { SecretNames } from "./secret-names.ts";

/** A part of a text, in UTF-16 units; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface SecretSpan extends Span {
  /** It is the value of a secret, not just the same text elsewhere. */
  readonly isOwn: boolean;
}

/** A shorter secret is looked for in its own place alone: it would be found in half of all words. */
const ECHO_MIN = 8;
/** So many secrets are looked for in the rest of the text. */
const ECHOES_MAX = 500;

const ASSIGNMENT = /(?<![\w-])(?<quote>["']?)(?<name>[A-Za-z][\w-]*)\k<quote>[ \t]*(?<sign>[=:])[ \t]*/gu;
/** The password of an address. */
const IN_ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:"'<>]*:(?<password>[^\s/?#@"']+)@/giu;

/**
 * Where a configuration has secrets, in order, never one within another, each on one line: values of secret settings,
 * also in what is commented out, passwords in addresses, and the same texts elsewhere. A file that cannot be read is
 * gone through by its words, and rather too much of it is taken for secret.
 */
export function secretSpans(text: string, format: FormatName, names: SecretNames): readonly SecretSpan[] {
  const scalars = scalarsOf(format, text);
  const found = new Spans(text);
  const taken: Span[] = [];
  for (const { path, also = [], value, ...span } of scalars ?? []) {
    taken.push(span);
    if (isPlain(value) || ![path, ...also].some(names.isSecretAt)) continue;
    found.add(span);
    if (typeof value === "string") found.echoes.add(value);
  }
  const isTaken = compileOverlaps(taken);
  for (const { index, 0: whole, groups: { name = "", sign } = {} } of text.matchAll(ASSIGNMENT)) {
    // In a comment, a sign of another format is a part of a sentence.
    const isMeant = scalars === null || sign === (format === "toml" ? "=" : ":");
    if (!isMeant || !names.isSecretName(name)) continue;
    const span = valueAt(text, index + whole.length, { index, isBroken: scalars === null });
    if (span !== null && !isTaken(span)) found.add(span);
  }
  for (const { index, 0: whole, groups: { password = "" } = {} } of text.matchAll(IN_ADDRESS)) {
    const end = index + whole.length - 1;
    found.add({ start: end - password.length, end });
  }
  const own = [...found.all()];
  found.addEchoes(own);
  const starts = new Map(own.map(({ start, end }) => [start, end]));
  return found.all().map(({ start, end }) => ({ start, end, isOwn: starts.get(start) === end }));
}

/** On, off and nothing tell no secret. */
const isPlain = (value: unknown): boolean => value === "" || value === null || typeof value === "boolean";

class Spans {
  /** What is looked for in the rest of the text. */
  readonly echoes = new Set<string>();
  readonly #text: string;
  #spans: Span[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Each of its lines, without the white space around it. */
  add({ start, end }: Span): void {
    for (const { 0: line, index } of this.#text.slice(start, end).matchAll(/[^\r\n]+/gu)) {
      const from = start + index + (line.length - line.trimStart().length);
      const span = { start: from, end: from + line.trim().length };
      if (span.end > span.start) this.#spans.push(span);
    }
  }

  addEchoes(all: readonly Span[]): void {
    const own = all.map(({ start, end }) => this.#text.slice(start, end));
    const wanted = [...new Set([...own, ...this.echoes])].filter(({ length }) => length >= ECHO_MIN);
    for (const secret of wanted.slice(0, ECHOES_MAX)) {
      for (let at = this.#text.indexOf(secret); at !== -1; at = this.#text.indexOf(secret, at + secret.length))
        this.add({ start: at, end: at + secret.length });
    }
  }

  all(): readonly Span[] {
    this.#spans = mergeSpans(this.#spans);
    return this.#spans;
  }
}

/** In order, and those that overlap as one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || span.start >= last.end) apart.push(span);
    else if (span.end > last.end) apart[apart.length - 1] = { start: last.start, end: span.end };
  }
  return apart;
}

/** Whether something has a part of the spans, which are apart. */
function compileOverlaps(spans: readonly Span[]): (span: Span) => boolean {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  return ({ start, end }) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle]?.start ?? 0) < end) low = middle + 1;
      else high = middle;
    }
    return start < (sorted[low - 1]?.end ?? -1);
  };
}

interface Assigned {
  /** Of the key. */
  readonly index: number;
  readonly isBroken: boolean;
}

/** What is assigned there, as far as it can be told without reading the rest; null: nothing that is secret. */
function valueAt(text: string, at: number, { index, isBroken }: Assigned): Span | null {
  const lineEnd = endOfLine(text, at);
  for (const fence of ['"""', "'''"]) {
    if (!text.startsWith(fence, at)) continue;
    const end = isBroken ? text.indexOf(fence, at + 3) : text.slice(0, lineEnd).indexOf(fence, at + 3);
    return { start: at + 3, end: end !== -1 ? end : isBroken ? text.length : lineEnd };
  }
  const sign = text[at] ?? "";
  if (sign === '"' || sign === "'") {
    const rest = text.slice(at + 1, lineEnd);
    const inside = (sign === '"' ? /^(?:\\.|[^"\\])*/u : /^(?:''|[^'])*/u).exec(rest)?.[0] ?? "";
    const isClosed = rest[inside.length] === sign;
    return { start: at + 1, end: isClosed ? at + 1 + inside.length : lineEnd };
  }
  if (sign === "[") {
    const close = text.indexOf("]", at);
    const limit = isBroken ? text.length : lineEnd;
    return { start: at + 1, end: close === -1 || close > limit ? limit : close };
  }
  const line = text.slice(at, lineEnd);
  if (/^(?:true|false|null|\*\S+)?\s*$/iu.test(line)) return null;
  if (isBroken && /^(?:&\S+\s*)?[|>][0-9+-]*\s*$/u.test(line))
    return { start: lineEnd, end: endOfBlock(text, index, lineEnd) };
  return { start: at, end: lineEnd };
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
};

/** Of the lines that are indented more than the one of the key. */
function endOfBlock(text: string, key: number, from: number): number {
  const indent = key - (text.lastIndexOf("\n", key) + 1);
  let end = from;
  while (end < text.length) {
    const next = endOfLine(text, end + 1);
    const line = text.slice(end + 1, next);
    if (line.trim() !== "" && line.length - line.trimStart().length <= indent) break;
    end = next;
  }
  return end;
}
