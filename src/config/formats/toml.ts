import { createRequire } from "node:module";
import { parse, TomlError } from "smol-toml";
import type * as TomlEslint from "toml-eslint-parser";
import type { AST } from "toml-eslint-parser";
import type { Path, FilePosition } from "../problems.ts";
import { maxDepth, maxMistakes } from "./format.ts";
import type { ConfigFormat, ParsedConfig, Scalar, SyntaxProblem, Tell } from "./format.ts";
import { explain, fix } from "./toml-mistakes.ts";

const require: (name: "toml-eslint-parser") => typeof TomlEslint = createRequire(import.meta.url);

/** Loaded when there is something to report: a start without problems does not wait for it. */
const parserWithPlaces = (): typeof TomlEslint => require("toml-eslint-parser");

export const toml: ConfigFormat = { parse: parseToml, scalars };

function parseToml(text: string): ParsedConfig {
  const problems: SyntaxProblem[] = [];
  let rest = text;
  while (problems.length < maxMistakes) {
    const parsed = attempt(rest);
    if (!(parsed instanceof TomlError)) {
      if (problems.length > 0) return { ok: false, problems };
      return { ok: true, root: parsed, positions: (tell) => positions(text, tell) };
    }
    const lines = rest.split("\n");
    const index = parsed.line - 1;
    problems.push({ line: parsed.line, column: parsed.column, ...explain(parsed, lines) });
    // The line is fixed as far as the parser cares, so that mistakes further down are found in the same run.
    const fixed = fix(lines[index] ?? "", parsed.message, problems.length);
    if (fixed === null) break;
    lines[index] = fixed;
    rest = lines.join("\n");
  }
  return { ok: false, problems };
}

function attempt(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: "asNeeded" });
  } catch (error) {
    if (error instanceof TomlError) return error;
    throw error;
  }
}

/** Null where the two parsers disagree about this file. To be called for texts that smol-toml can read. */
function parsedWithPlaces(text: string): AST.TOMLProgram | null {
  const { ParseError, parseTOML } = parserWithPlaces();
  try {
    return parseTOML(text, { tomlVersion: "1.1" });
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

function positions(text: string, tell: Tell): void {
  const program = parsedWithPlaces(text);
  // Without places every problem is on line 1.
  if (program === null) return;
  for (const node of program.body[0].body) {
    if (node.type === "TOMLKeyValue") {
      tellKeyValue(node, [], tell);
      continue;
    }
    tellHeader(node, tell);
    for (const pair of node.body) tellKeyValue(pair, node.resolvedKey, tell);
  }
}

/** `[a.b]` also is a place of `a`, and `[[g]]` one of the list `g`, as long as no better one was told before. */
function tellHeader(node: AST.TOMLTable, tell: Tell): void {
  const start = startOf(node.key.keys[0] ?? node);
  for (let length = 1; length <= Math.min(node.resolvedKey.length, maxDepth); length += 1)
    tell(node.resolvedKey.slice(0, length), start, start);
}

function tellKeyValue(pair: AST.TOMLKeyValue, table: Path, tell: Tell): void {
  const path = [...table];
  const value = startOf(pair.value);
  for (const key of pair.key.keys.slice(0, maxDepth)) {
    path.push(key.type === "TOMLBare" ? key.name : key.value);
    tell([...path], startOf(pair.key), value);
  }
  tellValue(pair.value, path, tell);
}

function tellValue(node: AST.TOMLContentNode, path: Path, tell: Tell): void {
  if (path.length > maxDepth) return;
  if (node.type === "TOMLInlineTable") for (const pair of node.body) tellKeyValue(pair, path, tell);
  if (node.type !== "TOMLArray") return;
  for (const [index, element] of node.elements.entries()) {
    const start = startOf(element);
    tell([...path, index], start, start);
    tellValue(element, [...path, index], tell);
  }
}

function startOf(node: { readonly loc: AST.SourceLocation }): FilePosition {
  return { line: node.loc.start.line, column: node.loc.start.column + 1 };
}

function scalars(text: string): readonly Scalar[] | null {
  // The parser with places takes seconds until it gives up a text with a hundred thousand brackets.
  if (attempt(text) instanceof TomlError) return null;
  const program = parsedWithPlaces(text);
  if (program === null) return null;
  const found: Scalar[] = [];
  for (const node of program.body[0].body) {
    if (node.type === "TOMLKeyValue") collectPair(node, [], found);
    else for (const pair of node.body) collectPair(pair, node.resolvedKey, found);
  }
  return found;
}

function collectPair(pair: AST.TOMLKeyValue, table: Path, found: Scalar[]): void {
  const keys = pair.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  collect(pair.value, [...table, ...keys], found);
}

function collect(node: AST.TOMLContentNode, path: Path, found: Scalar[]): void {
  if (node.type === "TOMLInlineTable") for (const pair of node.body) collectPair(pair, path, found);
  else if (node.type === "TOMLArray")
    for (const [index, element] of node.elements.entries()) collect(element, [...path, index], found);
  else {
    const quotes = node.kind !== "string" ? 0 : node.multiline ? 3 : 1;
    const [start, end] = node.range;
    found.push({ path, start: start + quotes, end: end - quotes, value: node.value });
  }
}
