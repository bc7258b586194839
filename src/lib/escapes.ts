import { createRequire } from "node:module";
import type * as Entities from "entities/decode";

const load: (name: "entities/decode") => typeof Entities = createRequire(import.meta.url);

/** A character (a code point) that a place in a text may stand for, and where the text continues after it. */
export interface DecodedChar {
  readonly code: number;
  readonly end: number;
}

/** Escapes within escapes that are undone: what others wrote in two, in a line of JSON. */
const LAYERS = 3;
/** Of a named or numbered character of HTML, without its signs. */
const ENTITY_CHARS = 32;

const [BACKSLASH, AMPERSAND, PERCENT, PLUS, BLANK, LETTER_X] = [0x5c, 0x26, 0x25, 0x2b, 0x20, 0x78];

/** Whether a place with this code unit may stand for anything but itself. */
export function opensEscape(unit: number): boolean {
  return unit === BACKSLASH || unit === AMPERSAND || unit === PERCENT || unit === PLUS;
}

/**
 * What the places of a text may stand for: the character itself, and what comes out when escapes of JSON (and of logs:
 * `\xe9`, `\xc3\xa9`), of HTML and of addresses are undone, also when they are mixed. Each place is decoded once, so
 * that a whole text costs linear time.
 */
export class EscapedText {
  readonly #text: string;
  readonly #known = new Map<number, readonly DecodedChar[]>();

  constructor(text: string) {
    this.#text = text;
  }

  readings(at: number): readonly DecodedChar[] {
    const code = this.#text.codePointAt(at);
    if (code === undefined) return [];
    const found: DecodedChar[] = [{ code, end: at + (code > 0xffff ? 2 : 1) }];
    if (!opensEscape(code)) return found;
    for (let layer = 1; layer <= LAYERS; layer += 1) {
      for (const each of this.#decoded(at, layer)) {
        if (!found.some(({ code: known, end }) => known === each.code && end === each.end)) found.push(each);
      }
    }
    const blanks = found.filter((each) => each.code === PLUS).map(({ end }) => ({ code: BLANK, end }));
    return [...found, ...blanks];
  }

  /** The escapes that begin here when all around them is read with one layer less; none: there are none. */
  #decoded(at: number, layer: number): readonly DecodedChar[] {
    if (layer === 0 || !opensEscape(this.#text.charCodeAt(at))) return [];
    const key = at * (LAYERS + 1) + layer;
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#whole(this.#decode(at, layer), layer);
      this.#known.set(key, found);
    }
    return found;
  }

  /** A high surrogate and the low one that is escaped after it are one character. */
  #whole(found: readonly DecodedChar[], layer: number): readonly DecodedChar[] {
    const [first] = found;
    if (first === undefined || first.code < 0xd800 || first.code > 0xdbff) return found;
    const low = this.#decoded(first.end, layer)[0];
    if (low === undefined || low.code < 0xdc00 || low.code > 0xdfff) return found;
    return [{ code: (first.code - 0xd800) * 0x400 + (low.code - 0xdc00) + 0x1_0000, end: low.end }, first];
  }

  #decode(at: number, layer: number): readonly DecodedChar[] {
    const sign = this.#read(at, layer - 1);
    if (sign === undefined) return [];
    switch (sign.code) {
      case BACKSLASH:
        return this.#ofBackslash(at, sign.end, layer - 1);
      case AMPERSAND:
        return this.#ofHtml(sign.end, layer - 1);
      case PERCENT:
        return this.#ofBytes(at, (next) => this.#percented(next, layer - 1));
      default:
        return [];
    }
  }

  /** The character here with so many layers undone as there are, at most `layer`. */
  #read(at: number, layer: number): DecodedChar | undefined {
    for (let each = layer; each > 0; each -= 1) {
      const [found] = this.#decoded(at, each);
      if (found !== undefined) return found;
    }
    return at < this.#text.length ? { code: this.#text.charCodeAt(at), end: at + 1 } : undefined;
  }

  /** Of JSON, and of logs, which have bytes: `\xc3\xa9`. */
  #ofBackslash(start: number, at: number, layer: number): readonly DecodedChar[] {
    const sign = this.#read(at, layer);
    if (sign === undefined) return [];
    const letter = String.fromCharCode(sign.code);
    if (sign.code === LETTER_X) return this.#ofBytes(start, (next) => this.#slashed(next, layer));
    if (letter === "u") {
      const number = this.#braced(sign.end, layer) ?? this.#hex(sign.end, 4, layer);
      return number === null ? [] : [number];
    }
    const code = SHORT[letter];
    return code === undefined ? [] : [{ code, end: sign.end }];
  }

  #ofHtml(start: number, layer: number): readonly DecodedChar[] {
    let name = "";
    let at = start;
    while (name.length <= ENTITY_CHARS) {
      const sign = this.#read(at, layer);
      const letter = sign === undefined ? "" : String.fromCodePoint(sign.code);
      // As browsers read it, a number ends where its digits do, with or without `;`.
      if (letter === ";" || (NUMBERED.test(name) && !NUMBERED.test(name + letter))) {
        const code = entity(name);
        return code === null ? [] : [{ code, end: letter === ";" ? (sign?.end ?? at) : at }];
      }
      if (sign === undefined || sign.code > 0x7f) return [];
      at = sign.end;
      if (!/[#0-9A-Za-z]/u.test(letter)) return [];
      name += letter;
    }
    return [];
  }

  /** As UTF-8 where they are, and as Latin-1. `byte`: the one that is written at a place. */
  #ofBytes(at: number, byte: (at: number) => DecodedChar | null): readonly DecodedChar[] {
    const first = byte(at);
    if (first === null) return [];
    const more = first.code < 0xc2 ? 0 : first.code < 0xe0 ? 1 : first.code < 0xf0 ? 2 : first.code < 0xf5 ? 3 : 0;
    if (more === 0) return [first];
    let code = first.code & (0x3f >> more);
    let { end } = first;
    for (let count = 0; count < more; count += 1) {
      const next = byte(end);
      if (next === null || next.code >> 6 !== 0b10) return [first];
      code = code * 64 + (next.code & 0x3f);
      ({ end } = next);
    }
    return [{ code, end }, first];
  }

  #percented(at: number, layer: number): DecodedChar | null {
    const sign = this.#read(at, layer);
    return sign?.code === PERCENT ? this.#hex(sign.end, 2, layer) : null;
  }

  #slashed(at: number, layer: number): DecodedChar | null {
    const sign = this.#read(at, layer);
    const letter = sign?.code === BACKSLASH ? this.#read(sign.end, layer) : undefined;
    return letter?.code === LETTER_X ? this.#hex(letter.end, 2, layer) : null;
  }

  /** `{1f600}`, after `\u`, as in logs of Rust and JavaScript. */
  #braced(start: number, layer: number): DecodedChar | null {
    if (this.#text[start] !== "{") return null;
    for (let digits = 1; digits <= 6; digits += 1) {
      const number = this.#hex(start + 1, digits, layer);
      if (number !== null && this.#text[number.end] === "}") return { code: number.code, end: number.end + 1 };
    }
    return null;
  }

  #hex(start: number, digits: number, layer: number): DecodedChar | null {
    let code = 0;
    let end = start;
    for (let count = 0; count < digits; count += 1) {
      const sign = this.#read(end, layer);
      const digit = sign === undefined ? "" : String.fromCharCode(sign.code);
      if (sign === undefined || !/[0-9A-Fa-f]/u.test(digit)) return null;
      code = code * 16 + Number.parseInt(digit, 16);
      ({ end } = sign);
    }
    return { code, end };
  }
}

const SHORT: Readonly<Record<string, number>> = {
  '"': 0x22,
  "'": 0x27,
  "\\": BACKSLASH,
  "/": 0x2f,
  b: 8,
  t: 9,
  n: 10,
  f: 12,
  r: 13,
};

const NUMBERED = /^#(?:[xX]([0-9A-Fa-f]+)|([0-9]+))$/u;
let entities: typeof Entities | undefined;

/** What is between `&` and `;`. */
function entity(name: string): number | null {
  const [, hex, decimal] = NUMBERED.exec(name) ?? [];
  if (hex !== undefined || decimal !== undefined) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ffff ? code : null;
  }
  if (name === "" || name.includes("#")) return null;
  // Its table takes some milliseconds to load, and most lines have no use for it.
  entities ??= load("entities/decode");
  const text = entities.decodeHTMLStrict(`&${name};`);
  const code = text.codePointAt(0) ?? 0;
  return text.length === (code > 0xffff ? 2 : 1) ? code : null;
}
