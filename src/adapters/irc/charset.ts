import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import type * as Iconv from "iconv-lite";

/** How text is written on the wire. Made by `charsetOf`; every one has ASCII as it is, so CR, LF and NUL only come from themselves. */
export interface Charset {
  readonly name: string;
  /** UTF-8 where it is valid UTF-8, else this charset (Windows-1252 where this is UTF-8). */
  readonly decode: (bytes: Uint8Array) => string;
  /** Characters it lacks become `?`: `fit` says which. */
  readonly encode: (text: string) => Uint8Array;
  /** Bytes of the encoded text. */
  readonly measure: (text: string) => number;
  /** The text with `?` for every character it lacks, and which those are, each once. What nobody sees is left out in silence. */
  readonly fit: (text: string) => { readonly text: string; readonly lost: readonly string[] };
}

/** By the setting `Charset`; empty and `autodetect` are UTF-8. Null when nobody knows it, or when no line can be written in it. */
export function charsetOf(setting: string): Charset | null {
  const name = setting.trim().toLowerCase();
  if (["", "autodetect", "utf-8", "utf8"].includes(name)) return utf8;
  return iconv().encodingExists(name) && keepsAscii(name) ? legacy(name) : null;
}

let loaded: typeof Iconv | null = null;

/** Loaded where a charset beside UTF-8 is met: most accounts never need it, and it would take a good part of the start-up time. */
function iconv(): typeof Iconv {
  loaded ??= createRequire(import.meta.url)("iconv-lite") as typeof Iconv;
  return loaded;
}

/** What is not UTF-8 and comes from a server that should speak it is most likely this. */
const FALLBACK = "windows-1252";

const utf8: Charset = {
  name: "utf-8",
  decode: (bytes) => decodeUtf8(bytes) ?? iconv().decode(asBuffer(bytes), FALLBACK),
  encode: (text) => Buffer.from(text),
  measure: (text) => Buffer.byteLength(text),
  // Half a surrogate pair has no UTF-8: it becomes U+FFFD, as encoders have it.
  fit: (text) => ({ text: text.toWellFormed(), lost: [] }),
};

/** Joiners, variation selectors, and the zero-width space that keeps a name from calling its owner. */
const UNSEEN = /^\p{Default_Ignorable_Code_Point}$/u;

function legacy(name: string): Charset {
  const encode = (text: string): Buffer => iconv().encode(text, name, { addBOM: false });
  const has = (character: string): boolean => iconv().decode(encode(character), name) === character;
  return {
    name,
    decode: (bytes) => decodeUtf8(bytes) ?? iconv().decode(asBuffer(bytes), name, { stripBOM: false }),
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
 * True for the charsets in which a line of the protocol can be written: not for UTF-16, UTF-7 or EBCDIC, nor for one that only keeps the
 * low byte of each character, where U+010A would be a line feed.
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

function decodeUtf8(bytes: Uint8Array): string | null {
  return isUtf8(bytes) ? asBuffer(bytes).toString("utf8") : null;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
