import type { TomlError } from "smol-toml";
import { keySetTwice, typographicQuotes } from "./format.ts";
import type { SyntaxProblem } from "./format.ts";

/*
 * What the usual mistakes in TOML look like to smol-toml, and what to do about them. A line may be as long as the file:
 * every step here takes time that is linear in the line.
 */

type Said = Pick<SyntaxProblem, "message" | "remedy">;

/** A text whose second quote is missing. */
const UNCLOSED = "control characters are not allowed in strings";
/** A text without quotes that begins like a number: an address, a duration. */
const NUMERAL = "illegal character in numeric literal";
const BAD_KEY = "illegal character in key";
const BARE_KEY = /^[\w-]+$/u;
const unquoted = /^(\s*(?:[\w-]+|"[^"]*"|'[^']*')\s*=\s*)(?!["'[{])\S/u;
const numeral = /^\s*([\w-]+)\s*=\s*([+-]?\d[^\s"'#,{}[\]]*)\s*(?:#.*)?$/u;
const header = /^\s*\[([^[\]]+)\]/u;
/** A key and a value with a space, a colon or nothing between them. */
const withoutEquals = /^\s*[\w-]+\s*(?:[:"']|\s)/u;

/** Tables of which a configuration has several. */
const LIST = /^\[\[(?:same\w+)?gateway(?:\.\w+)?\]\]$/iu;

/** What smol-toml says, and what that means. */
const SAID: Readonly<Record<string, Said>> = {
  "expected end of table array declaration": missingBracket("]]", "[[gateway]]"),
  "expected comma or end of structure": {
    message: "not valid TOML: a comma is missing before this, or a bracket that closes the list",
    remedy: 'write it as in [{ account = "…", channel = "…" }, { account = "…", channel = "…" }]',
  },
  "each key-value declaration must be followed by an end-of-line": {
    message: "not valid TOML: only a comment may follow here",
    remedy: 'write each setting on a line of its own, and \\" for a quote inside a text',
  },
  "unrecognised escape sequence": badEscape(),
  "invalid unicode escape": badEscape(),
  "invalid non-hex character in unicode escape": badEscape(),
  "unfinished array": { message: "not valid TOML: this list has no end", remedy: "close it with ]" },
  "incomplete key-value: cannot find end of key": {
    message: "not valid TOML: a key without a value stands before this, or a list or table has no end",
    remedy: 'write it as in Nick = "…", and close a list with ] and a table with }',
  },
  "unfinished table": { message: "not valid TOML: this table has no end", remedy: "close it with }" },
};

function badEscape(): Said {
  const message = "not valid TOML: in double quotes, \\ and what follows it stand for another character";
  return { message, remedy: "write \\\\ for each \\, or put the text in single quotes" };
}

function missingBracket(brackets: string, example: string): Said {
  return {
    message: `not valid TOML: ${brackets} is missing at the end of this line`,
    remedy: `write it as in ${example}`,
  };
}

/** The line without its mistake; null if it is unclear what was meant. */
export function fix(line: string, message: string, serial: number): string | null {
  const isHeader = header.test(line);
  if (message.includes("trying to redefine")) {
    if (isHeader) return `["duplicate table ${serial}"]`;
    return /^\s*[^[{\s]/u.test(line) && !/"""|'''|[[{]/u.test(line) ? "" : null;
  }
  if (message.includes(BAD_KEY)) return line.trimStart().startsWith("[") ? `["table ${serial}"]` : null;
  if (message.includes(UNCLOSED)) {
    const { key, before } = unclosedIn(line) ?? {};
    return key !== undefined && before === key ? `${key} = 0` : null;
  }
  if (message.includes(NUMERAL)) {
    const [, key] = numeral.exec(line) ?? [];
    return key === undefined ? null : `${key} = 0`;
  }
  const assignment = message.includes("invalid value") ? unquoted.exec(line) : null;
  return assignment === null ? null : `${assignment[1] ?? ""}0`;
}

/** smol-toml's message carries an excerpt of the file; only its first sentence is free of it. */
export function explain(error: TomlError, lines: readonly string[]): Said {
  const said = (error.message.split("\n", 1)[0] ?? "").replace("Invalid TOML document: ", "");
  const line = lines[error.line - 1] ?? "";
  if (said.startsWith("trying to redefine")) return explainTwice(error, lines);
  const at = error.column - 1;
  const key = keyOf(line.slice(0, at));
  if (said === "invalid value" || said === BAD_KEY) {
    const quotes = typographicQuotes(line[at] ?? "", key);
    if (quotes !== null) return quotes;
  }
  if (said === BAD_KEY) return explainBadKey(line, line.slice(at).trim());
  if (said === "invalid value" && key !== null)
    return needsQuotes(key, /^[^\s"',}\]]*/u.exec(line.slice(at))?.[0] ?? "");
  const [, numbered, digits = ""] = said === NUMERAL ? (numeral.exec(line) ?? []) : [];
  if (numbered !== undefined) return needsQuotes(numbered, digits);
  const open = said === UNCLOSED ? unclosedIn(line) : null;
  if (open !== null)
    return { message: "a quote is missing at the end of this text", remedy: quoted(open.key, open.value) };
  return SAID[said] ?? { message: `not valid TOML: ${said}` };
}

function explainTwice({ line: number, column }: TomlError, lines: readonly string[]): Said {
  const line = lines[number - 1] ?? "";
  if (/^\s*\[/u.test(line)) {
    const name = nameOf(line);
    const list = name.startsWith("[[") ? name : `[${name}]`;
    const before = lines.slice(0, number - 1).map(nameOf);
    const first = before.indexOf(name) + 1;
    const part = `[${name.replaceAll(/[[\]]/gu, "")}.`;
    const below = before.findIndex((earlier) => earlier.startsWith(part) || earlier.startsWith(`[${part}`));
    if (first === 0 && name === list && below >= 0) {
      const message = `${name} stands below ${before[below] ?? ""} on line ${below + 1}, which is a part of it`;
      return { message, remedy: `move ${name} and its keys above that line` };
    }
    const where = first > 0 ? `, first on line ${first}` : "";
    const remedy = LIST.test(list) ? `write ${list} for each of them` : "put all its keys under one header";
    return { message: `the table ${name} is defined twice${where}`, remedy };
  }
  const key = keyAt(line.slice(column - 1));
  return keySetTwice(key, key === null ? null : firstLineOf(key, lines, number));
}

const nameOf = (line: string): string => line.trim().split(/[\s#]/u, 1)[0] ?? "";

/** Where the table that the line belongs to sets the key first; null: it cannot be said. */
function firstLineOf(key: string, lines: readonly string[], number: number): number | null {
  let first: number | null = null;
  for (let at = number - 1; at > 0; at -= 1) {
    const line = (lines[at - 1] ?? "").trimStart();
    if (line.startsWith("[")) break;
    if (keyAt(line) === key) first = at;
  }
  return first;
}

/** The key that an assignment begins with, without quotes; null: it begins with something else. */
function keyAt(text: string): string | null {
  const [, key = ""] = /^("[^"]*"|'[^']*'|[\w.-]+)\s*=/u.exec(text) ?? [];
  return key === "" ? null : key.replaceAll(/["']/gu, "");
}

/** The key of a value, given what is before the value. */
function keyOf(before: string): string | null {
  const head = before.trimEnd();
  if (!head.endsWith("=")) return null;
  const name = head.slice(0, -1).trimEnd();
  let start = name.length;
  while (start > 0 && BARE_KEY.test(name.charAt(start - 1))) start -= 1;
  return start === name.length ? null : name.slice(start);
}

interface Unclosed {
  readonly key: string;
  readonly value: string;
  /** What is before the equals sign. */
  readonly before: string;
}

/** The text that has no second quote in this line. */
function unclosedIn(line: string): Unclosed | null {
  let open = -1;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (open === -1) open = sign === '"' || sign === "'" ? at : -1;
    else if (sign === "\\" && line[open] === '"') at += 1;
    else if (sign === line[open]) open = -1;
  }
  const before = open === -1 ? "" : line.slice(0, open);
  const key = keyOf(before);
  if (key === null) return null;
  return { key, value: line.slice(open + 1), before: before.trimEnd().slice(0, -1).trim() };
}

/** How the text of a key is written. Only the name of a channel is shown: everything else may be a secret. */
function quoted(key: string, value: string): string {
  const [, word] = (key.toLowerCase() === "channel" ? /^(#[\w.:#-]{1,100})[\s,}\]]*$/u.exec(value) : null) ?? [];
  return `write ${key} = "${word ?? "…"}"`;
}

function needsQuotes(key: string, value: string): Said {
  if (value === "") return { message: "this key has no value", remedy: quoted(key, "") };
  const isSwitch = /^(?:true|false)$/iu.test(value);
  const message = isSwitch ? "true and false are written in small letters" : "text needs quotes";
  return { message, remedy: isSwitch ? `write ${key} = ${value.toLowerCase()}` : quoted(key, value) };
}

/** Only the name of a table is shown: a line without an equals sign may be a secret. `rest`: from the bad sign on. */
function explainBadKey(line: string, rest: string): Said {
  if (rest === "" && line.trimStart().startsWith("[")) return missingBracket("]", "[irc.libera]");
  if (rest === "") return { message: "not valid TOML: this key has no value", remedy: 'write it as in Nick = "…"' };
  if (withoutEquals.test(line) && (rest.startsWith(":") || !line.includes("=")))
    return {
      message: "not valid TOML: = is missing between this key and its value",
      remedy: 'write it as in Nick = "…"',
    };
  const message = `not valid TOML: a name without quotes only has letters from A to Z, digits, - and _`;
  const [, name = ""] = header.exec(line) ?? [];
  const [first = "", ...more] = name.trim().split(".");
  if (!/^[\p{L}\p{N}\s._-]{1,100}$/u.test(name)) return { message, remedy: "put the name in quotes" };
  const quotedName = BARE_KEY.test(first) && more.length > 0 ? `${first}."${more.join(".")}"` : `"${name.trim()}"`;
  return { message, remedy: `write [${quotedName}]` };
}
