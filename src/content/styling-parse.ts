import type { Block, Inline } from "../contract/content.ts";
import { isUnseen } from "./controls.ts";
import { endOfUrl } from "./links.ts";

/**
 * Message styling (XEP-0393) as a tree: `*strong*`, `_emphasis_`, `~strike~`, code, fences and quotes. Lines that are
 * neither fence nor quote are one paragraph. An address is never cut by a mark. A quote or a fence without words in it
 * is the text that was typed.
 */
export function parseStyling(text: string, isKept: Kept = isWithinWord): readonly Block[] {
  const plain = text.replaceAll(/\r\n?/g, "\n");
  if (!DIRECTIVES.test(plain)) return plain === "" ? [] : [{ t: "para", of: [{ t: "text", text: plain }] }];
  return blocksOf(plain.split("\n"), 0, isKept);
}

/** As clients read it that follow XEP-0393 to the letter. */
export const parseLetter = (text: string): readonly Block[] => parseStyling(text, () => false);

/** Whether a mark closes nothing, although XEP-0393 lets it. */
type Kept = (line: string, at: number) => boolean;

/** Whether a reader of XEP-0393 would find formatting in the text, which a message can forbid (`<unstyled/>`). */
export function looksStyled(text: string): boolean {
  return (
    BLOCKS.test(text) ||
    parseLetter(text).some((block) => block.t !== "para" || block.of.some((inline) => inline.t !== "text"))
  );
}

/** What readers may take for a block, though there is nothing in it. */
const BLOCKS = /^(?:>|```)/m;
const DIRECTIVES = /[*_~`]|^>/m;
/** Quotes within each other. */
const DEPTH_MAX = 16;
const FENCE = "```";

/** XEP-0393 §6.1. */
function blocksOf(lines: readonly string[], depth: number, isKept: Kept): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const kind = kindOf(lines[at] ?? "", depth);
    const end = kind === "pre" ? fenceEnd(lines, at) : runEnd(lines, at, kind, depth);
    const own = lines.slice(at, end);
    if (kind === "pre") blocks.push(fenced(own));
    else if (kind === "quote") blocks.push(quoted(own, depth, isKept));
    else blocks.push({ t: "para", of: joinLines(own, isKept) });
    at = end;
  }
  return blocks;
}

type Kind = "pre" | "quote" | "plain";

function kindOf(line: string, depth: number): Kind {
  if (line.startsWith(FENCE)) return "pre";
  return line.startsWith(">") && depth < DEPTH_MAX ? "quote" : "plain";
}

/** After the line that closes the fence, or the last one. */
function fenceEnd(lines: readonly string[], at: number): number {
  const close = lines.indexOf(FENCE, at + 1);
  return close === -1 ? lines.length : close + 1;
}

function runEnd(lines: readonly string[], at: number, kind: Kind, depth: number): number {
  let end = at + 1;
  while (end < lines.length && kindOf(lines[end] ?? "", depth) === kind) end += 1;
  return end;
}

function quoted(lines: readonly string[], depth: number, isKept: Kept): Block {
  if (lines.every((line) => /^[>\s\p{Cc}]*$/u.test(line))) return typed(lines);
  const inner = lines.map((line) => line.replace(/^>\s?/u, ""));
  return { t: "quote", of: blocksOf(inner, depth + 1, isKept) };
}

const typed = (lines: readonly string[]): Block => ({ t: "para", of: [{ t: "text", text: lines.join("\n") }] });

/** What comes after the opening marks and is no name of a language is content: nothing is lost. */
function fenced(lines: readonly string[]): Block {
  const [first = "", ...rest] = lines;
  const info = first.slice(FENCE.length).trim();
  const isLang = /^[\w+#.-]+$/.test(info);
  const content = rest.at(-1) === FENCE ? rest.slice(0, -1) : rest;
  const text = (info === "" || isLang ? content : [info, ...content]).join("\n");
  if (isUnseen(text)) return typed(lines);
  return { t: "pre", text, lang: isLang ? info : null };
}

function joinLines(lines: readonly string[], isKept: Kept): readonly Inline[] {
  const of: Inline[] = [];
  let text = "";
  for (const [index, line] of lines.entries()) {
    if (index > 0) text += "\n";
    for (const inline of spansOf(line, 0, line.length, { addresses: addressesIn(line), isKept })) {
      if (inline.t === "text") text += inline.text;
      else {
        if (text !== "") of.push({ t: "text", text });
        of.push(inline);
        text = "";
      }
    }
  }
  if (text !== "") of.push({ t: "text", text });
  return of;
}

interface Rules {
  readonly addresses: Addresses;
  readonly isKept: Kept;
}

/** Addresses of a line: from where each begins to where it ends. */
type Addresses = ReadonlyMap<number, number>;

function addressesIn(line: string): Addresses {
  const found = new Map<number, number>();
  let last = 0;
  for (const { index } of line.matchAll(/https?:\/\//gi)) {
    // One within another is a part of it; to look for the end of each would take the square of their number.
    if (index < last) continue;
    last = endOfUrl(line, index);
    if (last > index) found.set(index, last);
  }
  return found;
}

const MARKS: ReadonlyMap<string, "bold" | "italic" | "strike" | "code"> = new Map([
  ["*", "bold"],
  ["_", "italic"],
  ["~", "strike"],
  ["`", "code"],
]);

/** XEP-0393 §6.2. A span has no span of its own kind in it, because the first mark that can close it does. */
function spansOf(line: string, begin: number, end: number, rules: Rules): readonly Inline[] {
  const of: Inline[] = [];
  const unclosed = new Set<string>();
  let from = begin;
  let at = begin;
  const flush = (to: number): void => {
    if (to > from) of.push({ t: "text", text: line.slice(from, to) });
  };
  while (at < end) {
    const char = line.charAt(at);
    const mark = MARKS.get(char);
    if (mark === undefined || unclosed.has(char) || !opens(line, at, begin)) {
      at = rules.addresses.get(at) ?? at + 1;
      continue;
    }
    const close = closeOf(line, at, end, mark === "code" ? { ...rules, addresses: NO_ADDRESSES } : rules);
    if (close === -1) {
      unclosed.add(char);
      at += 1;
      continue;
    }
    if (isUnseen(line.slice(at + 1, close))) {
      at += 1;
      continue;
    }
    flush(at);
    if (mark === "code") of.push({ t: "code", text: line.slice(at + 1, close) });
    else of.push({ t: mark, of: spansOf(line, at + 1, close, rules) });
    from = at = close + 1;
  }
  flush(end);
  return of;
}

const NO_ADDRESSES: Addresses = new Map();

/** At the beginning, which for the content of a span is right after another mark, or after a space. */
function opens(line: string, at: number, begin: number): boolean {
  const next = line.charAt(at + 1);
  const isBegin = at === begin || isSpace(line.charAt(at - 1));
  return isBegin && next !== "" && next !== line.charAt(at) && !isSpace(next);
}

function closeOf(line: string, open: number, end: number, { addresses, isKept }: Rules): number {
  const char = line.charAt(open);
  for (let at = open + 1; at < end;) {
    if (at > open + 1 && line.charAt(at) === char && !isSpace(line.charAt(at - 1)) && !isKept(line, at)) return at;
    at = addresses.get(at) ?? at + 1;
  }
  return -1;
}

/**
 * XEP-0393 lets a mark close before a letter. Identifiers and paths such as `_FILE_OFFSET_BITS` and `~/src/~x` would
 * lose their signs by that, and `*2*3` its product, so marks may not close there, except `*` before letters, and all in
 * scripts that have no spaces between words.
 */
function isWithinWord(line: string, at: number): boolean {
  const next = line.charAt(at + 1);
  if (line.charAt(at) === "*") return /^\p{N}$/u.test(next);
  return IDENTIFYING.has(line.charAt(at)) && /^[\p{L}\p{N}]$/u.test(next) && !SPACELESS.test(next);
}

const IDENTIFYING = new Set("_~");
const SPACELESS =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

function isSpace(char: string): boolean {
  return /^[\s\p{Cc}]$/u.test(char);
}
