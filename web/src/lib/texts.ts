/**
 * What a page says. Each page has one table, `web/src/<page>/texts.ts`, made by `textsOf`: texts, or functions of what
 * stands in them. Another language is an object with the same keys; one that lacks a key does not compile.
 */
type Table = Readonly<Record<string, string | ((...parts: never[]) => string)>>;

/** In the language of this browser. `others`: by their codes, as in `<html lang>`; English is always there. */
export function textsOf<English extends Table>(
  english: English,
  others: Readonly<Record<string, NoInfer<English>>> = {},
  wanted: readonly string[] = navigator.languages,
): English {
  for (const tag of wanted) {
    const code = tag.split("-", 1)[0]?.toLowerCase() ?? "";
    if (code === "en") break;
    const found = others[code];
    if (found !== undefined) return found;
  }
  return english;
}

/** One of something, or several: `3 messages`. English only: each language has its own rules. */
export const plural = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
