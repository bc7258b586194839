import type * as Chardet from "chardet";

/** More tells no more. */
const LOOKED_AT_MAX = 2048;
/** Below this a guess of the library is as good as none. */
const SURE = 80;
/** What is not UTF-8, and nothing else that can be told, is most likely this: it is ISO-8859-1 with some signs more. */
const FALLBACK = "windows-1252";

/**
 * What the library may be sure of: where words mix ASCII letters with others, where they do not, and where they may do
 * both.
 */
const LATIN = ["ISO-8859-2", "ISO-8859-9", "windows-1250", "windows-1254", "windows-1257"];
const OTHER = [
  "windows-1251",
  "KOI8-R",
  "ISO-8859-5",
  "ISO-8859-6",
  "ISO-8859-7",
  "ISO-8859-8",
  "windows-1253",
  "windows-1255",
];
const ASIAN = ["Shift_JIS", "EUC-JP", "EUC-KR", "Big5", "GB18030"];

/**
 * The most likely charset of one line that is not UTF-8. One line of chat is little to go by: kana are sure signs; the
 * library (trigrams of the commonest words) is believed when it is sure, and Cyrillic is likelier than any other
 * alphabet; words that mix ASCII letters with others are Latin.
 */
export function detectCharset(
  line: Uint8Array,
  libraries: {
    readonly chardet: Pick<typeof Chardet, "analyse">;
    readonly decode: (bytes: Buffer, charset: string) => string;
  },
): string {
  const text = Buffer.from(line.subarray(0, LOOKED_AT_MAX)).toString("latin1");
  const words = text.split(/[\0- ]+/u).filter((word) => /[\u0080-\u00ff]/u.test(word));
  const bytes = Buffer.from(words.join(" "), "latin1");
  for (const japanese of ["Shift_JIS", "EUC-JP"]) {
    const decoded = libraries.decode(bytes, japanese);
    if (/[\u3041-\u3096\u30a1-\u30fa]/u.test(decoded) && !decoded.includes("\ufffd")) return japanese;
  }
  const matches = new Map(libraries.chardet.analyse(bytes).map(({ name, confidence }) => [name as string, confidence]));
  const isOther = isOtherAlphabet(words);
  const possible = new Set([...(isOther ? OTHER : LATIN), ...ASIAN]);
  const [sure] = [...matches].find(([name, confidence]) => confidence >= SURE && possible.has(name)) ?? [];
  if (sure !== undefined || !isOther) return sure ?? FALLBACK;
  const [windows = 0, koi = 0, greek = 0] = ["windows-1251", "KOI8-R", "ISO-8859-7"].map((name) => matches.get(name));
  if (windows !== koi) return windows > koi ? "windows-1251" : "KOI8-R";
  if (windows === 0 && greek > 0) return "ISO-8859-7";
  // Small letters are the more frequent ones; each charset has them where the other has the capitals.
  return count(bytes, 0xe0, 0xff) >= count(bytes, 0xc0, 0xdf) ? "windows-1251" : "KOI8-R";
}

/** Whether most words have either ASCII letters or others, but not both. */
function isOtherAlphabet(words: readonly string[]): boolean {
  const letters = words.flatMap((word) => word.split(/[^A-Za-z\u00a3\u00b8\u00c0-\u00ff]+/u));
  const high = letters.filter((word) => /[\u00c0-\u00ff]/u.test(word));
  const whole = high.filter((word) => word.length > 1 && !/[A-Za-z]/u.test(word));
  return whole.length > high.length - whole.length;
}

function count(bytes: Buffer, from: number, to: number): number {
  return bytes.filter((byte) => byte >= from && byte <= to).length;
}
