interface ListLines {
  readonly ordered: boolean;
  /** The lines of each item, without its mark, and without as much white space as that takes. */
  readonly items: readonly (readonly string[])[];
  /** The line after them. */
  readonly end: number;
}

/**
 * The list that begins at a line; null: none does. `item`: the beginning of an item, with the groups `indent` and
 * `mark`, which is a number with a dot or one sign. Numbers count from 1. What stands further right is of its item.
 */
export function listLinesAt(lines: readonly string[], at: number, item: RegExp): ListLines | null {
  const { indent = "", mark } = item.exec(lines[at] ?? "")?.groups ?? {};
  if (mark === undefined) return null;
  const ordered = mark.endsWith(".");
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    const own = /^ */.exec(line)?.[0].length ?? 0;
    const found = own === indent.length ? item.exec(line)?.groups : undefined;
    if (found !== undefined) {
      const isNext = ordered ? found["mark"] === `${items.length + 1}.` : found["mark"]?.endsWith(".") === false;
      if (!isNext) break;
      items.push([line.replace(item, "")]);
    } else if (own > indent.length && own < line.length && items.length > 0) {
      const width = indent.length + (ordered ? `${items.length}. ` : "- ").length;
      items.at(-1)?.push(line.slice(Math.min(own, width)));
    } else break;
  }
  return items.length === 0 ? null : { ordered, items, end };
}
