/**
 * Where a key leads from a cell of a grid whose rows have so many columns (the last may have fewer), as the index of
 * another cell; null: the key moves nothing. Pure.
 */
export function cellAfter(
  { key, ctrlKey }: Pick<KeyboardEvent, "key" | "ctrlKey">,
  at: number,
  { count, columns }: { readonly count: number; readonly columns: number },
): number | null {
  const row = at - (at % columns);
  const wanted = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: ctrlKey ? 0 : row,
    End: ctrlKey ? count - 1 : Math.min(row + columns, count) - 1,
  }[key];
  if (wanted === undefined) return null;
  return wanted >= 0 && wanted < count ? wanted : at;
}
