import type * as Iconv from "iconv-lite";

/**
 * ISO-2022-JP (RFC 1468): seven bits, and escape sequences that say whether bytes are ASCII or pairs of JIS X 0208. The
 * pairs are those of EUC-JP without their high bits, so that charset's tables do.
 */
export interface Jis {
  readonly decode: (bytes: Uint8Array) => string;
  /** Ends in ASCII, as every line must. */
  readonly encode: (text: string) => Buffer;
}

export const ESC = 0x1b;
const ASCII = Buffer.from("\u001b(B");
const KANJI = Buffer.from("\u001b$B");

/** By their escape sequences: how many bytes a character has, and what EUC-JP puts before it. */
const SETS: readonly (readonly [string, Set2022])[] = [
  ["(B", { bytes: 1, lead: null }],
  ["(J", { bytes: 1, lead: null }],
  ["$@", { bytes: 2, lead: null }],
  ["$B", { bytes: 2, lead: null }],
  ["$(D", { bytes: 2, lead: 0x8f }],
  ["(I", { bytes: 1, lead: 0x8e }],
];

interface Set2022 {
  readonly bytes: 1 | 2;
  readonly lead: number | null;
}

/** Whether bytes that may be ASCII are ISO-2022-JP. */
export function isJis(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(ESC); at !== -1; at = bytes.indexOf(ESC, at + 1)) {
    const next = String.fromCharCode(bytes[at + 1] ?? 0, bytes[at + 2] ?? 0);
    if (next === "$B" || next === "$@") return true;
  }
  return false;
}

export function jis(iconv: typeof Iconv): Jis {
  return {
    decode: (bytes) => iconv.decode(Buffer.from(toEuc(bytes)), "euc-jp"),
    encode: (text) => {
      const parts: Buffer[] = [];
      let inKanji = false;
      for (const character of text) {
        const euc = iconv.encode(character, "euc-jp");
        const isPair = euc.length === 2 && isHigh(euc[0]) && isHigh(euc[1]);
        if (isPair !== inKanji) parts.push(isPair ? KANJI : ASCII);
        inKanji = isPair;
        // An escape in the text would be read as one of ours.
        const isAscii = euc.length === 1 && euc[0] !== ESC;
        if (isPair) parts.push(Buffer.from(euc.map((byte) => byte & 0x7f)));
        else parts.push(isAscii ? euc : Buffer.from("?"));
      }
      if (inKanji) parts.push(ASCII);
      return Buffer.concat(parts);
    },
  };
}

function toEuc(bytes: Uint8Array): number[] {
  const euc: number[] = [];
  let set: Set2022 = { bytes: 1, lead: null };
  for (let at = 0; at < bytes.length;) {
    const escape = bytes[at] === ESC ? setAt(bytes, at + 1) : null;
    if (escape !== null) {
      set = escape.set;
      at = escape.end;
      continue;
    }
    const character = bytes.subarray(at, at + set.bytes);
    // Control codes stand for themselves everywhere.
    const isText = character.length === set.bytes && character.every((byte) => byte > 0x20 && byte < 0x7f);
    const isHighText = isText && (set.bytes === 2 || set.lead !== null);
    if (isHighText && set.lead !== null) euc.push(set.lead);
    if (isHighText) euc.push(...character.map((byte) => byte | 0x80));
    else euc.push(bytes[at] ?? 0);
    at += isHighText ? set.bytes : 1;
  }
  return euc;
}

function setAt(bytes: Uint8Array, at: number): { readonly set: Set2022; readonly end: number } | null {
  const next = String.fromCharCode(...bytes.subarray(at, at + 3));
  const found = SETS.find(([escape]) => next.startsWith(escape));
  return found === undefined ? null : { set: found[1], end: at + found[0].length };
}

function isHigh(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0xa1 && byte <= 0xfe;
}
