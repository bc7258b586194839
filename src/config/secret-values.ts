/** A part of a text, in UTF-16 units; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Assigned {
  /** Of the key. */
  readonly index: number;
  readonly isBroken: boolean;
  /** Where the line of the value ends. */
  readonly lineEnd: number;
  /** It may be the alias of a value that stands elsewhere, as in YAML; never so within a comment or another value. */
  readonly mayBeAlias: boolean;
}

/** What is assigned there, as far as it can be told without reading the rest; null: nothing that is secret. */
export function valueAt(text: string, at: number, { index, isBroken, lineEnd, mayBeAlias }: Assigned): Span | null {
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
    const limit = isBroken ? text.length : lineEnd;
    const close = text.slice(at, limit).indexOf("]");
    return { start: at + 1, end: close === -1 ? limit : at + close };
  }
  const line = text.slice(at, lineEnd);
  if (/^(?:true|false|null)?\s*$/iu.test(line)) return null;
  if (mayBeAlias && /^\*\S+\s*$/u.test(line)) return null;
  if (isBroken && /^(?:&\S+\s*)?[|>][0-9+-]*\s*$/u.test(line))
    return { start: lineEnd, end: endOfBlock(text, index, lineEnd) };
  return { start: at, end: lineEnd };
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
};

/** Each line is looked through once, also one with a thousand assignments; to be asked from the start on. */
export function compileLineEnds(text: string): (at: number) => number {
  let end = -1;
  return (at) => (at <= end ? end : (end = endOfLine(text, at)));
}

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
