import { cut, measure } from "../../content/length.ts";

/** A name that somebody may have, or why not, for people. */
export type NameCheck = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly why: string };

/** Marks on letters of these scripts have letters of their own; what is left of them only makes look-alikes. */
const LOOSE_MARKS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}])\p{M}+/gu;
/** Of other scripts, which are written with marks. */
const MARKS_MOST = /(?<few>\p{M}{3})\p{M}+/gu;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]/gu;

/** As it is shown: one line without what nobody sees. */
export function readName(text: string, max: number): NameCheck {
  if (text.length > max * 16) return { ok: false, why: `a name has at most ${max} characters` };
  const plain = text
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/\s+/gu, " ")
    .replaceAll(INVISIBLE, "")
    .replaceAll(LOOSE_MARKS, "")
    .replace(/^\p{M}+/u, "")
    .replaceAll(MARKS_MOST, "$<few>")
    .replaceAll(/ +/gu, " ")
    .trim();
  if (plain === "") return { ok: false, why: "a name is needed" };
  if (measure(plain, "codepoints") > max) return { ok: false, why: `a name has at most ${max} characters` };
  if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(plain))
    return { ok: false, why: "a name has at least one letter or digit" };
  if (
    skeleton(plain)
      .replaceAll(/[^a-z]/gu, "")
      .includes("guest") &&
    /[([{<]/u.test(plain)
  )
    return { ok: false, why: "others see (guest) behind the name anyway: leave it out" };
  return { ok: true, name: plain };
}

/** What looks alike is the same here: letters of other scripts, capitals, marks, digits that look like letters. */
export function skeleton(name: string): string {
  const folded = name.normalize("NFKD").replaceAll(/[\p{M}\p{Cf}\s]+/gu, "");
  const lower = Array.from(folded, (letter) => ALIKE.get(letter) ?? letter.toLowerCase());
  return Array.from(lower.join("").normalize("NFKD"), (letter) => ALIKE.get(letter) ?? letter)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll(/[._'`´’-]+/gu, "");
}

/** Another name that `isFree`, as near as can be. */
export function suggestName(name: string, max: number, isFree: (name: string) => boolean): string {
  for (let count = 2; count < 1000; count += 1) {
    const end = ` ${count}`;
    const other = cut(name, max - end.length, "codepoints").trim() + end;
    if (isFree(other)) return other;
  }
  return "";
}

/** Letters, and which one of ASCII they look like. */
const ALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аɑαАΑ",
    b: "ВЬвΒЪ",
    c: "сϲСϹ",
    d: "ԁ",
    e: "еёєЕΕЁ",
    f: "ϝ",
    g: "ɡԍ",
    h: "һнНΗ",
    i: "1lI|іїΙІӀιɩıﺍ!",
    j: "јЈ",
    k: "кκКΚ",
    m: "МмΜ",
    n: "ոпΝη",
    o: "0оοσОΟօ",
    p: "рρРΡ",
    q: "ԛ",
    r: "гᴦ",
    s: "5$ѕЅ",
    t: "тτТΤ",
    u: "υսцμ",
    v: "νѵѴ",
    w: "ѡԝωшш",
    x: "хχХΧ×",
    y: "уγУΥүҮ",
    z: "ᴢΖ2",
  }).flatMap(([to, letters]) => Array.from(letters, (letter) => [letter, to] as const)),
);
