import { createRequire } from "node:module";
import type * as Yaml from "yaml";
import type { CST, Document, ErrorCode, Scalar } from "yaml";
import { compilePositions } from "../../lib/position.ts";
import type { Path, FilePosition } from "../problems.ts";
import { keySetTwice, maxDepth, maxMistakes } from "./format.ts";
import type { ConfigFormat, ParsedConfig, Scalar as Value, SyntaxProblem, Tell } from "./format.ts";

const require: (name: "yaml") => typeof Yaml = createRequire(import.meta.url);

/** Loaded with the first file in YAML: the others do not wait for it. */
const library = (): typeof Yaml => require("yaml");

export const yaml: ConfigFormat = { parse: parseYaml, scalars };

function parseYaml(text: string): ParsedConfig {
  const document = read(text);
  // Not the library's own LineCounter: it is wrong after a quoted text of several lines.
  const placeOf = compilePositions(text);
  const mistakes: SyntaxProblem[] = document.errors.slice(0, maxMistakes).map(({ code, pos }) => {
    const { line, column } = placeOf(Math.min(pos[0], text.length));
    return { line, column, message: explain(code) };
  });
  if (mistakes.length === 0) mistakes.push(...keysSetTwice(document, placeOf));
  if (mistakes.length > 0) return { ok: false, problems: mistakes };
  try {
    const root: unknown = document.toJS({ maxAliasCount: 100 });
    return { ok: true, root, positions: (tell) => walk(document.contents, [], placeOf, tell) };
  } catch (error) {
    // Unresolved or excessive aliases and bad merges surface only here, without a place.
    if (!(error instanceof Error)) throw error;
    return {
      ok: false,
      problems: [{ line: 1, column: 1, message: "not valid YAML: an alias (*) or a merge (<<) does not resolve" }],
    };
  }
}

/** As the library's `parseDocument`, in a time that is linear in the text, whatever is wrong with it. */
function read(text: string): Document.Parsed {
  const { Composer } = library();
  // The library would compare each key with all keys before it.
  const options = {
    merge: true,
    prettyErrors: false,
    logLevel: "silent",
    stringKeys: true,
    uniqueKeys: false,
  } as const;
  const { stackTraceLimit } = Error;
  // Each mistake is an Error, and nothing reads its stack.
  Error.stackTraceLimit = 0;
  try {
    const documents = new Composer(options).compose(tokensOf(text), true, text.length);
    const { value } = documents.next();
    if (value === undefined) throw new Error("the parser of YAML gave no document");
    return value;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Ends early after too many mistakes. Throws a RangeError for too deep nesting. */
function* tokensOf(text: string): Generator<CST.Token> {
  const { Lexer, Parser } = library();
  const parser = new Parser();
  let depth = 0;
  let mistakes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === "[" || lexeme === "{") depth += 1;
    if (lexeme === "]" || lexeme === "}") depth -= 1;
    if (depth > BRACKETS_MAX) throw new RangeError("brackets are nested too deeply");
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === "error") mistakes += 1;
      if (mistakes > maxMistakes) return;
    }
  }
  yield* parser.end();
}

/** No setting needs more than a few. */
const BRACKETS_MAX = 100;

/** The keys that a table has more than once. */
function keysSetTwice(document: Document.Parsed, placeOf: PlaceOf): readonly SyntaxProblem[] {
  const { isScalar, visit } = library();
  const problems: SyntaxProblem[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const lines = new Map<unknown, number>();
      for (const { key } of items) {
        const place = startOf(key, placeOf);
        if (!isScalar(key) || place === null) continue;
        const first = lines.get(key.value);
        if (first === undefined) lines.set(key.value, place.line);
        else problems.push({ ...place, ...keySetTwice(String(key.value), first) });
      }
      return problems.length < maxMistakes ? undefined : visit.BREAK;
    },
  });
  return problems.slice(0, maxMistakes);
}

/** Our own sentences: the parser's may quote the file. */
const sentences: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: "the indentation is wrong, or a bracket is not closed",
  BAD_SCALAR_START: "this value needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "two keys on one line; text that contains a colon and a space needs quotes",
  MISSING_CHAR: "a closing quote, bracket or colon is missing",
  MULTIPLE_DOCS: "the file contains several documents; remove the second ---",
  MULTILINE_IMPLICIT_KEY: "the indentation is wrong, or a colon is missing",
  NON_STRING_KEY: "a key must be text",
  TAB_AS_INDENT: "indent with spaces, not with tabs",
  UNEXPECTED_TOKEN: "this does not belong here; text with special characters needs quotes",
};

function explain(code: ErrorCode): string {
  return `not valid YAML: ${sentences[code] ?? "it cannot be read here"}`;
}

type PlaceOf = (offset: number) => FilePosition;

/** What an alias stands for has the place of the alias. */
function walk(node: unknown, path: Path, placeOf: PlaceOf, tell: Tell): void {
  if (path.length > maxDepth) return;
  const { isMap, isPair, isScalar, isSeq } = library();
  if (isMap(node)) {
    for (const pair of node.items) {
      if (!isPair(pair) || !isScalar(pair.key)) continue;
      const key = startOf(pair.key, placeOf) ?? { line: 1, column: 1 };
      const below = [...path, String(pair.key.value)];
      tell(below, key, startOf(pair.value, placeOf) ?? key);
      walk(pair.value, below, placeOf, tell);
    }
  }
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      const start = startOf(item, placeOf);
      if (start !== null) tell([...path, index], start, start);
      walk(item, [...path, index], placeOf, tell);
    }
  }
}

function startOf(node: unknown, placeOf: PlaceOf): FilePosition | null {
  return library().isNode(node) && node.range ? placeOf(node.range[0]) : null;
}

function scalars(text: string): readonly Value[] | null {
  const document = read(text);
  if (document.errors.length > 0) return null;
  const found = new Map<Scalar, { readonly path: Path; readonly also: Path[] }>();
  const into = { document, found, left: NODES_MAX };
  collect(document.contents, [], into);
  if (into.left < 0) return null;
  return Array.from(found, ([node, { path, also }]) => ({ ...rangeOf(node, text), path, value: node.value, also }));
}

interface Collecting {
  readonly document: Document.Parsed;
  readonly found: Map<Scalar, { readonly path: Path; readonly also: Path[] }>;
  /** So many may still come. */
  left: number;
}

/** Aliases of aliases are a thousand lists each. */
const NODES_MAX = 20_000;

function collect(node: unknown, path: Path, into: Collecting): void {
  into.left -= 1;
  if (path.length > maxDepth || into.left < 0) return;
  const { isAlias, isMap, isPair, isScalar, isSeq } = library();
  if (isAlias(node)) collect(node.resolve(into.document), path, into);
  else if (isScalar(node)) {
    const known = into.found.get(node);
    if (known === undefined) into.found.set(node, { path, also: [] });
    else known.also.push(path);
  } else if (isMap(node)) {
    for (const pair of node.items) {
      if (isPair(pair) && isScalar(pair.key)) collect(pair.value, [...path, String(pair.key.value)], into);
    }
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) collect(item, [...path, index], into);
  }
}

function rangeOf(node: Scalar, text: string): { readonly start: number; readonly end: number } {
  const [start, end] = node.range ?? [0, 0];
  const { type } = node;
  if (type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") return { start: start + 1, end: end - 1 };
  if (type !== "BLOCK_LITERAL" && type !== "BLOCK_FOLDED") return { start, end };
  // Behind the line with the sign.
  const line = text.indexOf("\n", start);
  return line === -1 || line >= end ? { start: end, end } : { start: line + 1, end };
}
