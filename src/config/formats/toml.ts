import { createRequire } from "node:module";
import { parse, TomlError } from "smol-toml";
import type * as TomlEslint from "toml-eslint-parser";
import type { AST } from "toml-eslint-parser";
import type { Path, FilePosition } from "../problems.ts";
import { maxDepth, maxMistakes } from "./format.ts";
import type { ConfigFormat, ParsedConfig, Scalar, SyntaxProblem, Tell } from "./format.ts";

const require: (name: "toml-eslint-parser") => typeof TomlEslint = createRequire(import.meta.url);

/** Loaded when there is something to report: a start without problems does not wait for it. */
const parserWithPlaces = (): typeof TomlEslint => require("toml-eslint-parser");

export const toml: ConfigFormat = { parse: parseToml, positions, scalars };

function parseToml(text: string): ParsedConfig {
  const problems: SyntaxProblem[] = [];
  let rest = text;
  while (problems.length < maxMistakes) {
    const parsed = attempt(rest);
    if (!(parsed instanceof TomlError)) {
      return problems.length === 0 ? { ok: true, root: parsed } : { ok: false, problems };
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

/** Of a text whose second quote is missing. */
const UNCLOSED = "control characters are not allowed in strings";
const unclosed = /^(.*?)([\w-]+)\s*=\s*(["'])((?:(?!\3).)*)$/u;
const unquoted = /^(\s*(?:[\w-]+|"[^"]*"|'[^']*')\s*=\s*)(?!["'[{])\S/u;
/** Of a text without quotes that begins like a number: an address, a duration. */
const NUMERAL = "illegal character in numeric literal";
const numeral = /^\s*([\w-]+)\s*=\s*([+-]?\d[^\s"'#,{}[\]]*)\s*(?:#.*)?$/u;
const header = /^\s*\[\s*[^[\]]+\]/u;

/** The line without its mistake; null if it is unclear what was meant. */
function fix(line: string, message: string, serial: number): string | null {
  if (message.includes("trying to redefine")) {
    if (header.test(line)) return `["duplicate table ${serial}"]`;
    return /^\s*[^[{\s]/u.test(line) && !/"""|'''|[[{]/u.test(line) ? "" : null;
  }
  if (message.includes(UNCLOSED)) {
    const [, before = "", key = ""] = unclosed.exec(line) ?? [];
    return key !== "" && before.trim() === "" ? `${key} = 0` : null;
  }
  if (message.includes(NUMERAL)) {
    const [, key] = numeral.exec(line) ?? [];
    return key === undefined ? null : `${key} = 0`;
  }
  const assignment = message.includes("invalid value") ? unquoted.exec(line) : null;
  return assignment === null ? null : `${assignment[1] ?? ""}0`;
}

/** How the text of a key is written. Only the name of a channel is shown: everything else may be a secret. */
function quoted(key: string, value: string): string {
  const word = value.replace(/[\s,}\]]+$/u, "");
  const isShown = key.toLowerCase() === "channel" && /^#[\w.:#-]{1,100}$/u.test(word);
  return `write ${key} = "${isShown ? word : "…"}"`;
}

function needsQuotes(key: string, value: string): { readonly message: string; readonly remedy: string } {
  const isSwitch = /^(?:true|false)$/iu.test(value);
  const message = isSwitch ? "true and false are written in small letters" : "text needs quotes";
  return { message, remedy: isSwitch ? `write ${key} = ${value.toLowerCase()}` : quoted(key, value) };
}

/** smol-toml's message carries an excerpt of the file; only its first sentence is free of it. */
function explain(error: TomlError, lines: readonly string[]): { readonly message: string; readonly remedy?: string } {
  const said = (error.message.split("\n", 1)[0] ?? "").replace("Invalid TOML document: ", "");
  const line = lines[error.line - 1] ?? "";
  if (said.startsWith("trying to redefine")) {
    if (!/^\s*\[/u.test(line))
      return { message: "this key is set twice in one table", remedy: "remove one of the two" };
    const name = line.trim().split(/[\s#]/u, 1)[0] ?? "";
    const first = lines.findIndex((earlier) => earlier.trim().split(/[\s#]/u, 1)[0] === name) + 1;
    const where = first > 0 && first < error.line ? `, first on line ${first}` : "";
    const remedy = "put its keys under one header, or write [[...]] for a list of tables";
    return { message: `the table ${name} is defined twice${where}`, remedy };
  }
  const [, key] = /([\w-]+)\s*=\s*$/u.exec(line.slice(0, error.column - 1)) ?? [];
  if (said === "invalid value" && key !== undefined) {
    const value = /^[^\s"',}\]]*/u.exec(line.slice(error.column - 1))?.[0] ?? "";
    return needsQuotes(key, value);
  }
  const [, numbered, digits = ""] = said === NUMERAL ? (numeral.exec(line) ?? []) : [];
  if (numbered !== undefined) return needsQuotes(numbered, digits);
  const [, , open, , value = ""] = said === UNCLOSED ? (unclosed.exec(line) ?? []) : [];
  if (open !== undefined) return { message: "a quote is missing at the end of this text", remedy: quoted(open, value) };
  return { message: `not valid TOML: ${said}` };
}

/** Null where the two parsers disagree about this file. */
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
