import type { Inline } from "../contract/content.ts";
import { emojiNamed } from "./emoji-names.ts";
import { plainText } from "./plain.ts";
import { decodeSlack, emojiInline, isWithinWord, type SlackNames, slackTokenAt, textOf } from "./slack-tokens.ts";

/**
 * Words of Slack's mrkdwn: `*bold*`, `_italic_`, `~strike~`, code, tokens between `<` and `>`, `:emoji:`, entities. A
 * mark opens where no word ends and closes where none begins; it ends at the next sign of its kind, on the same line.
 * `<u>` and `</u>`, which only our own texts have, are around what is underlined.
 */
export function parseSlackWords(text: string, names: SlackNames): readonly Inline[] {
  if (text === "") return [];
  return SIGNS.test(text) ? new Reader(text, names).read(0, text.length, 0) : [textOf(decodeSlack(text))];
}

const SIGNS = /[*_~`<:]/;
const PLACES = /[*_~`<:\n]/g;
const CODE = /`([^`\n]+)`/y;
const EMOJI = /:(?<name>[\p{L}\p{N}_+'-]{1,100})(?:::skin-tone-(?<tone>[2-6]))?:/uy;
const UNDERLINED = /<(\/?)u>/y;
/** Styles within each other. */
const DEPTH_MAX = 16;

const MARKS: ReadonlyMap<string, "bold" | "italic" | "strike"> = new Map([
  ["*", "bold"],
  ["_", "italic"],
  ["~", "strike"],
]);

/** What may mean something, in the order of the text. */
type Place =
  | { readonly is: "leaf"; readonly at: number; readonly end: number; readonly inline: Inline | null }
  /** `next`: where the next sign of its kind is on the line; -1: nowhere. */
  | { readonly is: "mark"; readonly at: number; readonly end: number; readonly sign: string; next: number }
  /** `to`: where the token is that ends it; -1: nowhere. */
  | { readonly is: "underline"; readonly at: number; readonly end: number; to: number };

class Reader {
  readonly #text: string;
  readonly #names: SlackNames;
  readonly #places: readonly Place[];
  /** The next of the places. */
  #index = 0;

  constructor(text: string, names: SlackNames) {
    this.#text = text;
    this.#names = names;
    this.#places = this.#scan();
  }

  read(from: number, to: number, depth: number): readonly Inline[] {
    const of: Inline[] = [];
    let begin = from;
    for (;;) {
      const place = this.#places[this.#index];
      if (place === undefined || place.at >= to) break;
      this.#index += 1;
      const found = place.is === "leaf" ? place : this.#styled(place, { from, to, depth });
      if (found === null) continue;
      put(of, textOf(decodeSlack(this.#text.slice(begin, place.at))));
      if (found.inline !== null) put(of, found.inline);
      begin = found.end;
    }
    put(of, textOf(decodeSlack(this.#text.slice(begin, to))));
    return of;
  }

  #styled(
    place: Exclude<Place, { is: "leaf" }>,
    { from, to, depth }: { readonly from: number; readonly to: number; readonly depth: number },
  ): { readonly inline: Inline; readonly end: number } | null {
    if (depth >= DEPTH_MAX) return null;
    const close = place.is === "mark" ? place.next : place.to;
    if (close === -1 || close >= to) return null;
    if (place.is === "mark" && !this.#isPair(place, { from, to })) return null;
    const of = this.read(place.end, close, depth + 1);
    // The sign that closes it.
    if (this.#places[this.#index]?.at === close) this.#index += 1;
    if (place.is === "underline") return { inline: { t: "underline", of }, end: close + UNDERLINE_END };
    return { inline: { t: MARKS.get(place.sign) ?? "bold", of }, end: close + 1 };
  }

  #isPair(
    { at, sign, next }: Extract<Place, { is: "mark" }>,
    { from, to }: { readonly from: number; readonly to: number },
  ): boolean {
    const [before, behind] = [
      at === from ? "" : wordEnd(this.#text, at),
      next + 1 === to ? "" : this.#text.charAt(next + 1),
    ];
    const isFree = !WORD_END.test(before) && before !== sign && behind !== sign && !this.#isWord(next + 1, to);
    return isFree && next > at + 1 && !isBlank(this.#text, at + 1) && !isBlank(this.#text, next - 1);
  }

  #isWord(at: number, to: number): boolean {
    return at < to && WORD.test(String.fromCodePoint(this.#text.codePointAt(at) ?? 0));
  }

  /** Everything that may mean something, once, from the beginning to the end. */
  #scan(): readonly Place[] {
    const places: Place[] = [];
    const last = new Map<string, Extract<Place, { is: "mark" }>>();
    const open: Extract<Place, { is: "underline" }>[] = [];
    const text = this.#text;
    PLACES.lastIndex = 0;
    for (let found = PLACES.exec(text); found !== null; found = PLACES.exec(text)) {
      const [at, sign] = [found.index, found[0]];
      if (sign === "\n") last.clear();
      else if (MARKS.has(sign)) {
        const mark = { is: "mark" as const, at, end: at + 1, sign, next: -1 };
        const before = last.get(sign);
        if (before !== undefined) before.next = at;
        last.set(sign, mark);
        places.push(mark);
      } else {
        const place = underlineAt(text, at, open) ?? this.#leafAt(text, at, sign);
        if (place === null) continue;
        places.push(place);
        PLACES.lastIndex = place.end;
      }
    }
    return places;
  }

  #leafAt(text: string, at: number, sign: string): Place | null {
    if (sign === "`") {
      CODE.lastIndex = at;
      const [, code] = CODE.exec(text) ?? [];
      if (code === undefined) return null;
      return { is: "leaf", at, end: CODE.lastIndex, inline: { t: "code", text: wordsOfCode(code, this.#names) } };
    }
    if (sign === "<") {
      const token = slackTokenAt(text, at, this.#names);
      return token === null ? null : { is: "leaf", at, ...token };
    }
    const emoji = emojiAt(text, at);
    return emoji === null ? null : { is: "leaf", at, ...emoji };
  }
}

const UNDERLINE_END = "</u>".length;
const WORD = /^[\p{L}\p{N}\p{M}_]/u;
const WORD_END = /[\p{L}\p{N}\p{M}_]$/u;

/** The character before a place. */
const wordEnd = (text: string, at: number): string => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";

const isBlank = (text: string, at: number): boolean => /^\s$/.test(text.charAt(at));

/** `open`: those that have no end yet. */
function underlineAt(text: string, at: number, open: Extract<Place, { is: "underline" }>[]): Place | null {
  UNDERLINED.lastIndex = at;
  const [, slash] = UNDERLINED.exec(text) ?? [];
  if (slash === undefined) return null;
  const end = UNDERLINED.lastIndex;
  if (slash === "") {
    const place = { is: "underline" as const, at, end, to: -1 };
    open.push(place);
    return place;
  }
  const begun = open.pop();
  if (begun === undefined) return null;
  begun.to = at;
  return { is: "leaf", at, end, inline: null };
}

/** Code, in which tokens are their words: the network makes links of addresses there, too. */
export function wordsOfCode(code: string, names: SlackNames): string {
  let words = "";
  let from = 0;
  for (let at = code.indexOf("<"); at !== -1; at = code.indexOf("<", Math.max(from, at + 1))) {
    const token = slackTokenAt(code, at, names);
    if (token === null) continue;
    words += decodeSlack(code.slice(from, at));
    if (token.inline !== null) words += plainText([{ t: "para", of: [token.inline] }]);
    from = token.end;
  }
  return words + decodeSlack(code.slice(from));
}

/** Emoji that are nobody's, such as the `:30:` of a time, are text. */
function emojiAt(text: string, at: number): { readonly inline: Inline; readonly end: number } | null {
  EMOJI.lastIndex = at;
  const { name, tone } = EMOJI.exec(text)?.groups ?? {};
  if (name === undefined) return null;
  const end = EMOJI.lastIndex;
  const isSure = emojiNamed(name) !== null && (/[a-z]/i.test(name) || tone !== undefined);
  const isApart = !WORD_END.test(wordEnd(text, at)) && !WORD.test(text.slice(end, end + 2));
  const isFree = isApart && /\p{L}|^[+-]1$/u.test(name);
  if ((!isSure && !isFree) || isWithinWord(text, at, end)) return null;
  return { inline: emojiInline(name, tone === undefined ? null : Number(tone)), end };
}

/** Text after text becomes one. */
function put(of: Inline[], inline: Inline): void {
  const last = of.at(-1);
  if (inline.t === "text" && inline.text === "") return;
  if (inline.t === "text" && last?.t === "text") of[of.length - 1] = textOf(last.text + inline.text);
  else of.push(inline);
}
