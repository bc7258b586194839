import { cut, measure } from "../../content/length.ts";
import { INVISIBLE, skeleton } from "./look-alikes.ts";

/** A name that somebody may have, or why not, for people. */
export type NameCheck = { readonly ok: true; readonly name: string } | { readonly ok: false; readonly why: string };

/** Marks on letters of these scripts have letters of their own; what is left of them only makes look-alikes. */
const LOOSE_MARKS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}])\p{M}+/gu;
/** Of other scripts, which are written with marks. */
const MARKS_MOST = /(?<few>\p{M}{3})\p{M}+/gu;

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

/** Another name that `isFree`, as near as can be. */
export function suggestName(name: string, max: number, isFree: (name: string) => boolean): string {
  for (let count = 2; count < 1000; count += 1) {
    const end = ` ${count}`;
    const other = cut(name, max - end.length, "codepoints").trim() + end;
    if (isFree(other)) return other;
  }
  return "";
}
