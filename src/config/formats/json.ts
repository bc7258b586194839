import { createRequire } from "node:module";
import type * as Jsonc from "jsonc-parser";
import type { Node, ParseError } from "jsonc-parser";
import { compilePositions, positionAt } from "../../lib/position.ts";
import type { Path, FilePosition } from "../problems.ts";
import { keySetTwice, maxDepth, maxMistakes, typographicQuotes } from "./format.ts";
import type { ConfigFormat, ParsedConfig, Scalar, SyntaxProblem, Tell } from "./format.ts";

const require: (name: "jsonc-parser") => typeof Jsonc = createRequire(import.meta.url);

/** Loaded with the first file in JSON: the others do not wait for it. */
const jsonc = (): typeof Jsonc => require("jsonc-parser");

const strict = { disallowComments: true, allowTrailingComma: false };

export const json: ConfigFormat = { parse: parseJson, scalars };

function parseJson(text: string): ParsedConfig {
  try {
    const root: unknown = JSON.parse(text);
    const problems = duplicates(text);
    if (problems.length > 0) return { ok: false, problems };
    return { ok: true, root, positions: (tell) => positions(text, tell) };
  } catch {
    // V8's message quotes the file, which may hold secrets; a second parser says where.
    return { ok: false, problems: [syntaxProblem(text)] };
  }
}

/** JSON.parse lets the last of two equal keys win; a gateway would vanish without a word. */
function duplicates(text: string): readonly SyntaxProblem[] {
  const seen = new Map<string, number>();
  const problems: SyntaxProblem[] = [];
  positions(text, (path, place) => {
    const id = JSON.stringify(path);
    const first = seen.get(id);
    if (first === undefined) seen.set(id, place.line);
    else if (problems.length < maxMistakes) problems.push({ ...place, ...keySetTwice(String(path.at(-1)), first) });
  });
  return problems;
}

function syntaxProblem(text: string): SyntaxProblem {
  const errors: ParseError[] = [];
  const { parse, printParseErrorCode } = jsonc();
  parse(text, errors, strict);
  const first = errors[0];
  if (first === undefined) return { line: 1, column: 1, message: "not valid JSON" };
  const place = positionAt(text, first.offset);
  const quotes = typographicQuotes(text.slice(first.offset, first.offset + 1), null);
  if (quotes !== null) return { ...place, ...quotes };
  return { ...place, message: `not valid JSON: ${explain(printParseErrorCode(first.error))}` };
}

/** `CommaExpected` → `comma expected`. */
function explain(code: string): string {
  if (code === "InvalidCommentToken") return "comments are not allowed in JSON; use TOML or YAML for them";
  if (code === "InvalidSymbol") return "text needs double quotes, or a true, false or null is misspelled";
  if (code === "PropertyNameExpected")
    return "a key in double quotes expected (a comma after the last one is not allowed)";
  return code.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`).toLowerCase();
}

function positions(text: string, tell: Tell): void {
  const root = jsonc().parseTree(text, [], strict);
  if (root === undefined) return;
  walk(root, [], compilePositions(text), tell);
}

function walk(node: Node, path: Path, placeOf: (offset: number) => FilePosition, tell: Tell): void {
  if (path.length >= maxDepth) return;
  for (const [index, child] of (node.children ?? []).entries()) {
    const isPair = child.type === "property";
    const key = isPair ? child.children?.[0] : undefined;
    const value = isPair ? child.children?.[1] : child;
    if (value === undefined) continue;
    const below = [...path, key === undefined ? index : String(key.value)];
    tell(below, placeOf((key ?? value).offset), placeOf(value.offset));
    walk(value, below, placeOf, tell);
  }
}

function scalars(text: string): readonly Scalar[] | null {
  const errors: ParseError[] = [];
  const root = jsonc().parseTree(text, errors, strict);
  if (root === undefined || errors.length > 0) return null;
  const found: Scalar[] = [];
  collect(root, [], found);
  return found;
}

function collect(node: Node, path: Path, found: Scalar[]): void {
  const { type, offset, length, children } = node;
  if (type === "object" || type === "array") {
    for (const [index, child] of (children ?? []).entries()) {
      const pair: readonly (Node | undefined)[] =
        child.type === "property" ? (child.children ?? []) : [undefined, child];
      const [key, value] = pair;
      if (value !== undefined) collect(value, [...path, key === undefined ? index : String(key.value)], found);
    }
    return;
  }
  const quote = type === "string" ? 1 : 0;
  found.push({ path, start: offset + quote, end: offset + length - quote, value: node.value });
}
