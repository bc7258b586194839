import { createHash } from "node:crypto";

/**
 * How texts become words that can be looked up, and what somebody looks for in them. Both sides go through the same
 * functions, so the index needs no rules of its own, and nothing that people type is syntax there.
 */

/** `words`: whole words. `trigrams`: every part of a word, for a larger index. */
export type WordMode = "words" | "trigrams";

/** Characters of a word that count; what is longer is no word that people look for. */
const WORD_CHARS = 64;
/** Words of a text, and of a query, that count. */
const TEXT_WORDS = 4096;
/** Characters of a text that count: what is longer costs more time than the thread of the log has at once. */
const TEXT_CHARS = 64 * 1024;
export const QUERY_WORDS = 16;

/** Writings without spaces between words, and Hangul, which joins endings to them: Unicode scripts. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々";
const WORD = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}\\p{Co}])+`, "gu");
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const IS_ASCII = /^\p{ASCII}*$/u;
const ACCENTS = /[\u0300-\u036F]/g;

/** What is looked for: all of these. */
export type Term =
  /** Words that follow each other; mostly one. `open`: the last one may go on. */
  { readonly words: readonly string[]; readonly open: boolean };

/** The words of a text as they are compared: small letters, no accents, no wide or joined forms. */
export function wordsOf(text: string): readonly string[] {
  return (fold(text.slice(0, TEXT_CHARS)).match(WORD) ?? []).slice(0, TEXT_WORDS);
}

function fold(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").toLowerCase().replaceAll(ACCENTS, "").replaceAll("ς", "σ").normalize("NFC");
}

/**
 * What somebody typed: words that all must occur, `"some words"` in this order, `begin*` for how a word begins. All
 * other characters only separate words. Empty when there is no word in it.
 */
export function termsOf(query: string): readonly Term[] {
  const terms: Term[] = [];
  for (const [, phrase, plain] of query.matchAll(/"([^"]*)"?|([^"\s]+)/gu)) {
    if (phrase !== undefined) add(terms, { words: wordsOf(phrase), open: false });
    else {
      const words = wordsOf(plain ?? "");
      for (const [index, word] of words.entries()) {
        add(terms, { words: [word], open: index === words.length - 1 && plain?.endsWith("*") === true });
      }
    }
  }
  return terms;
}

function add(terms: Term[], term: Term): void {
  const left = QUERY_WORDS - terms.reduce((sum, { words }) => sum + words.length, 0);
  if (term.words.length > 0 && left > 0) terms.push({ ...term, words: term.words.slice(0, left) });
}

/** What is kept of a text in the index: each once, with spaces between them. */
export function tokensOf(text: string, mode: WordMode): string {
  const tokens = new Set<string>();
  for (const word of wordsOf(text)) {
    const size = gramOf(word, mode);
    if (size === null) tokens.add(cut(word));
    else for (const gram of gramsOf(word, size)) tokens.add(gram);
  }
  return [...tokens].join(" ");
}

/** No text has this character in a word, so that no word is taken for an author. */
const AUTHOR = "\u{FDD0}";

/** What is kept of the name or the id of an author, which is looked for as a whole; capitals do not count. */
export function authorToken(name: string): string {
  return AUTHOR + createHash("sha256").update(name.toLowerCase()).digest("hex").slice(0, 32);
}

/** Words that are kept in pieces, and how many characters those have; null: it is kept whole. */
function gramOf(word: string, mode: WordMode): number | null {
  if (IS_UNSPACED.test(word)) return 2;
  return mode === "trigrams" ? 3 : null;
}

/** A piece from each character on; the last ones are shorter, so that what is shorter is found at an end, too. */
function gramsOf(word: string, size: number): string[] {
  const characters = Array.from(word);
  return characters.map((_, index) => characters.slice(index, index + size).join(""));
}

function cut(word: string): string {
  return word.length <= WORD_CHARS ? word : Array.from(word).slice(0, WORD_CHARS).join("");
}

export interface CompiledQuery {
  /** For FTS5: words in quotation marks, joined by AND. */
  readonly match: string;
  /** It asks for how a word begins: FTS5 gathers all such words at each question, however few messages are wanted. */
  readonly begins: string | null;
  /** Whether a text has it all. */
  readonly holds: (text: string) => boolean;
  /** What the index gives has it all: it need not be looked at. */
  readonly isSure: boolean;
}

/** Never empty for terms that are not. The index is asked for at most one beginning, only if nothing else is there. */
export function compileTerms(terms: readonly Term[], mode: WordMode): CompiledQuery {
  const parts = new Set<string>();
  const beginnings = new Set<string>();
  const needles: string[] = [];
  let isSure = true;
  for (const { words, open } of terms) {
    let needle = "";
    for (const [index, word] of words.entries()) {
      const isLast = index === words.length - 1;
      const size = gramOf(word, mode);
      const characters = Array.from(word);
      if (size === null) (open && isLast ? beginnings : parts).add(cut(word));
      else if (characters.length < size) beginnings.add(word);
      else for (const gram of gramsOf(word, size)) if (Array.from(gram).length === size) parts.add(gram);
      if (size !== null && characters.length > size) isSure = false;
      // What is kept in pieces may begin and end within a longer word.
      const before = index === 0 && size !== null ? "" : " ";
      const after = !isLast || open || size !== null ? "" : " ";
      needle += `${before}${word}${after}`;
    }
    if (words.length > 1) isSure = false;
    needles.push(needle);
  }
  if (beginnings.size > (parts.size === 0 ? 1 : 0)) isSure = false;
  const holds = (text: string): boolean => {
    const whole = ` ${wordsOf(text).join(" ")} `;
    return needles.every((needle) => whole.includes(needle));
  };
  const [longest = ""] = [...beginnings].sort((a, b) => b.length - a.length);
  if (parts.size === 0) return { match: `"${longest}"*`, begins: longest, holds, isSure };
  return { match: Array.from(parts, (part) => `"${part}"`).join(" AND "), begins: null, holds, isSure };
}
