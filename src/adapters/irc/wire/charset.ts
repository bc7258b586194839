import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import type * as Chardet from "chardet";
import type * as Iconv from "iconv-lite";
import { detectCharset } from "./detect-charset.ts";
import { ESC, isJis, jis } from "./iso-2022-jp.ts";
import { mendedUtf8 } from "./mended-utf8.ts";

/**
 * How text is written on the wire. Made by `charsetOf`; every one has ASCII as it is, so CR, LF and NUL only come from
 * themselves.
 */
export interface Charset {
  readonly name: string;
  /**
   * UTF-8 where it is valid UTF-8, else this charset; ISO-2022-JP where its escape sequences are. Where this is UTF-8,
   * a line with a few damaged bytes is UTF-8 too, and any other has the most likely charset.
   */
  readonly decode: (bytes: Uint8Array) => string;
  /** Characters it lacks become `?`: `fit` says which. */
  readonly encode: (text: string) => Uint8Array;
  /** Bytes of the encoded text. */
  readonly measure: (text: string) => number;
  /**
   * The text with `?` for every character it lacks, and which those are, each once. What nobody sees is left out in
   * silence.
   */
  readonly fit: (text: string) => { readonly text: string; readonly lost: readonly string[] };
}

/**
 * By the setting `Charset`; empty and `autodetect` are UTF-8. Null when nobody knows it, or when no line can be written
 * in it.
 */
export function charsetOf(setting: string): Charset | null {
  const name = setting.trim().toLowerCase();
  if (["", "autodetect", "utf-8", "utf8"].includes(name)) return utf8;
  if (["iso-2022-jp", "iso2022jp", "jis"].includes(name)) return iso2022Jp();
  return iconv().encodingExists(name) && keepsAscii(name) ? legacy(name, codecOf(name)) : null;
}

type Load = ((name: "iconv-lite") => typeof Iconv) & ((name: "chardet") => typeof Chardet);

const load: Load = createRequire(import.meta.url);
let loadedIconv: typeof Iconv | null = null;
let loadedChardet: typeof Chardet | null = null;

/**
 * Loaded where a charset beside UTF-8 is met: most accounts never need it, and it would take a good part of the
 * start-up time.
 */
function iconv(): typeof Iconv {
  loadedIconv ??= load("iconv-lite");
  return loadedIconv;
}

/** Loaded when the first bytes come that are not UTF-8. */
function chardet(): typeof Chardet {
  loadedChardet ??= load("chardet");
  return loadedChardet;
}

const utf8: Charset = {
  name: "utf-8",
  decode: (bytes) => decodeJis(bytes) ?? decodeUtf8(bytes) ?? mendedUtf8(bytes) ?? decodeGuessed(bytes),
  encode: (text) => Buffer.from(text),
  measure: (text) => Buffer.byteLength(text),
  // Half a surrogate pair has no UTF-8: it becomes U+FFFD, as encoders have it.
  fit: (text) => ({ text: text.toWellFormed(), lost: [] }),
};

/** Joiners, variation selectors, and the zero-width space that keeps a name from calling its owner. */
const UNSEEN = /^\p{Default_Ignorable_Code_Point}$/u;

interface Codec {
  readonly encode: (text: string) => Buffer;
  readonly decode: (bytes: Uint8Array) => string;
}

function codecOf(name: string): Codec {
  return {
    encode: (text) => iconv().encode(text, name, { addBOM: false }),
    decode: (bytes) => iconv().decode(asBuffer(bytes), name, { stripBOM: false }),
  };
}

/** Half-width kana are not in it, their full-width forms are. */
function iso2022Jp(): Charset {
  const { encode, decode } = jis(iconv());
  const { fit, ...charset } = legacy("iso-2022-jp", { encode, decode });
  return {
    ...charset,
    decode: (bytes) => (bytes.includes(ESC) ? null : decodeUtf8(bytes)) ?? decode(bytes),
    fit: (text) => fit(text.replaceAll(/[\uff61-\uff9f]+/gu, (kana) => kana.normalize("NFKC"))),
  };
}

function legacy(name: string, { encode, decode }: Codec): Charset {
  const has = (character: string): boolean => decode(encode(character)) === character;
  return {
    name,
    decode: (bytes) => decodeJis(bytes) ?? decodeUtf8(bytes) ?? decode(bytes),
    encode,
    measure: (text) => encode(text).length,
    fit: (text) => {
      if (has(text)) return { text, lost: [] };
      const lost = new Set<string>();
      let fitted = "";
      for (const character of text) {
        const kept = has(character);
        const seen = !UNSEEN.test(character);
        if (kept || seen) fitted += kept ? character : "?";
        if (!kept && seen) lost.add(character);
      }
      // A line without any text is refused.
      return { text: fitted === "" ? "?" : fitted, lost: [...lost] };
    },
  };
}

/**
 * True for the charsets in which a line of the protocol can be written: not for UTF-16, UTF-7 or EBCDIC, nor for one
 * that only keeps the low byte of each character, where U+010A would be a line feed.
 */
function keepsAscii(name: string): boolean {
  const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
  const bytes = Buffer.from(ascii, "latin1");
  if (iconv().decode(bytes, name) !== ascii || !iconv().encode(ascii, name, { addBOM: false }).equals(bytes))
    return false;
  return !iconv()
    .encode("\u0100\u010a\u010d", name, { addBOM: false })
    .some((byte) => LINE_ENDS.has(byte));
}

const LINE_ENDS: ReadonlySet<number> = new Set([0, 10, 13]);

/** Its bytes are ASCII as well, so the escape sequences have to be looked for first. */
function decodeJis(bytes: Uint8Array): string | null {
  return isJis(bytes) ? jis(iconv()).decode(bytes) : null;
}

function decodeGuessed(bytes: Uint8Array): string {
  const decode = (part: Buffer, name: string): string => iconv().decode(part, name, { stripBOM: false });
  return decode(asBuffer(bytes), detectCharset(bytes, { chardet: chardet(), decode }));
}

function decodeUtf8(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? asBuffer(bytes).toString("utf8") : null;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
