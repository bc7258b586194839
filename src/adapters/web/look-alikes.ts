import confusables from "unhomoglyph/data.json" with { type: "json" };

/** What nobody sees: by its category, by the standard (variation selectors, tags, fillers), or by its empty glyph. */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/** Letters that the table of the standard (UTS #39) keeps apart, and the ASCII letters that they look like. */
const MORE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "ᴀⲁ",
    b: "ʙвЪъⲃ",
    c: "ᴄ",
    d: "ᴅ",
    e: "ᴇєⲉ",
    f: "ꜰϝ",
    g: "ɢ",
    h: "ʜⲏꮋ",
    i: "ɪⲓꮖ",
    j: "ᴊ",
    k: "ᴋкκĸⲕ",
    l: "ʟ",
    m: "ᴍмʍⲙ",
    n: "ɴпⲛꮑ",
    o: "ᴏ",
    p: "ᴘ",
    q: "ꞯ",
    r: "ʀ",
    s: "ꜱ",
    t: "ᴛⲧ",
    u: "ᴜцμ",
    v: "ᴠ",
    w: "ᴡшω",
    x: "χⲭ",
    y: "ʏⲩ",
    z: "ᴢⲍ",
  }).flatMap(([to, letters]) => Array.from(letters, (letter) => [letter, to] as const)),
);

/** ASCII characters that look alike in lower case. */
const SAME: ReadonlyMap<string, string> = new Map(
  Object.entries({ l: "i", "1": "i", "|": "i", "!": "i", "0": "o", "2": "z", "5": "s", $: "s" }),
);

const TABLE: ReadonlyMap<string, string> = new Map([...Object.entries(confusables), ...MORE]);

/** Blocks of signs that show the letters A to Z: in parentheses, negative circles and squares, and as in flags. */
const SHAPES = [0x249c, 0x1f110, 0x1f150, 0x1f170, 0x1f1e6] as const;

/**
 * What looks alike is the same here: letters of other scripts, capitals, marks, digits that look like letters. It is
 * the skeleton of UTS #39 without regard to capitals, so the look-alikes of a letter and of its capital count.
 */
export function skeleton(name: string): string {
  const bare = visible(name.normalize("NFD"));
  const seen = likened(bare);
  // A word in Greek alone is not read as Latin: there, a capital and its small letter look like different letters.
  const isLatin = /\p{Script=Latin}/u.test(bare) || /^[\x21-\x7e]*$/u.test(seen);
  return Array.from(isLatin ? seen : likened(bare.toLowerCase()), (letter) => SAME.get(letter) ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll(/[._'`´’-]+/gu, "");
}

/** Twice, because a letter in lower case may look like others than its capital. */
const likened = (text: string): string => likenedOnce(likenedOnce(text));

/** The table comes before NFKD, which turns some letters into others that look different. */
function likenedOnce(text: string): string {
  const letters = Array.from(text, (letter) => inShape(letter) ?? TABLE.get(letter) ?? letter);
  return visible(letters.join("").normalize("NFKD")).toLowerCase();
}

function inShape(letter: string): string | undefined {
  const code = letter.codePointAt(0) ?? 0;
  const first = SHAPES.find((shape) => code >= shape && code < shape + 26);
  return first === undefined ? undefined : String.fromCodePoint(code - first + 0x61);
}

const visible = (text: string): string => text.replaceAll(/[\p{M}\s]+/gu, "").replaceAll(INVISIBLE, "");
