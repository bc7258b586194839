/** Where a text stops being JSON, as an offset from 0, and what was expected there. */
export interface JsonError {
  readonly offset: number;
  readonly expected: Expected;
}

/** What may come next; after an opening bracket also its closing one. */
type Expected =
  | "a value"
  | "a value or ]"
  | "a key"
  | "a key or }"
  | ": after the key"
  | ", or ]"
  | ", or }"
  | "the end";

/** Punctuation stands for itself. */
type Token = "[" | "]" | "{" | "}" | ":" | "," | "string" | "other value" | "end of text" | "no token";

/**
 * Finds the first place where a text that `JSON.parse` refuses breaks RFC 8259; null when there is none. One pass
 * without recursion, because the text is a stranger's: V8 does not always say the place, and a parser that calls itself
 * can be nested to death.
 */
export function findJsonError(text: string): JsonError | null {
  const open: string[] = [];
  let expected: Expected = "a value";
  for (let offset = skipBlanks(text, 0); ;) {
    const { token, end } = readToken(text, offset);
    if (token === "end of text" && expected === "the end") return null;
    const next = step(token, expected, open);
    if (next === null) return { offset, expected };
    expected = next;
    offset = skipBlanks(text, end);
  }
}

/** What is expected after this token; null when it may not stand here. Keeps the stack of open brackets. */
function step(token: Token, expected: Expected, open: string[]): Expected | null {
  switch (expected) {
    case "a value":
    case "a value or ]":
      if (token === "]" && expected === "a value or ]") return afterClosing(open);
      if (token === "string" || token === "other value") return afterValue(open);
      if (token !== "[" && token !== "{") return null;
      open.push(token);
      return token === "[" ? "a value or ]" : "a key or }";
    case "a key":
    case "a key or }":
      if (token === "}" && expected === "a key or }") return afterClosing(open);
      return token === "string" ? ": after the key" : null;
    case ": after the key":
      return token === ":" ? "a value" : null;
    case ", or ]":
      if (token === "]") return afterClosing(open);
      return token === "," ? "a value" : null;
    case ", or }":
      if (token === "}") return afterClosing(open);
      return token === "," ? "a key" : null;
    case "the end":
      return null;
  }
}

function afterValue(open: readonly string[]): Expected {
  if (open.length === 0) return "the end";
  return open.at(-1) === "[" ? ", or ]" : ", or }";
}

function afterClosing(open: string[]): Expected {
  open.pop();
  return afterValue(open);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at += 1;
  return at;
}

const OTHER_VALUE = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function readToken(text: string, from: number): { readonly token: Token; readonly end: number } {
  const first = text.charAt(from);
  switch (first) {
    case "":
      return { token: "end of text", end: from };
    case "[":
    case "]":
    case "{":
    case "}":
    case ":":
    case ",":
      return { token: first, end: from + 1 };
    case '"': {
      const end = endOfString(text, from + 1);
      return end === null ? { token: "no token", end: from } : { token: "string", end };
    }
    default:
      OTHER_VALUE.lastIndex = from;
      return OTHER_VALUE.test(text)
        ? { token: "other value", end: OTHER_VALUE.lastIndex }
        : { token: "no token", end: from };
  }
}

/** Offset after the closing quote; null when the string is not one. */
function endOfString(text: string, from: number): number | null {
  for (let at = from; at < text.length;) {
    const character = text.charAt(at);
    if (character === '"') return at + 1;
    if (character < " ") return null;
    ESCAPE.lastIndex = at;
    if (character !== "\\") at += 1;
    else if (ESCAPE.test(text)) at = ESCAPE.lastIndex;
    else return null;
  }
  return null;
}
