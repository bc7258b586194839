import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { fits } from "./filter.ts";
import { partTexts } from "./texts.ts";

export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What the rows are sorted by; absent: they are not sorted by this column. Null comes last both ways. */
  readonly by?: (row: Row) => string | number | null;
  readonly numeric?: boolean;
  /** Heads its row. */
  readonly rowHead?: boolean;
  /** Gone where the page is narrow. */
  readonly wide?: boolean;
  /** In sight at the right edge where the page is narrow. */
  readonly stays?: boolean;
}

interface TableProps<Row> {
  /** Its name; shown unless `captionHidden`. */
  readonly caption: string;
  readonly captionHidden?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Only rows of which this text has all words; `textOf` says what a row has. */
  readonly filter?: string;
  readonly textOf?: (row: Row) => string;
  /** At first; absent: as the rows come. */
  readonly sort?: { readonly key: string; readonly down?: boolean };
  readonly isSelected?: (row: Row) => boolean;
  readonly onSelect?: (row: Row) => void;
  /** Instead of rows when there is none. */
  readonly empty?: ComponentChildren;
}

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { caption, captionHidden = false, columns, rows, keyOf, isSelected, onSelect } = props;
  const sort = useSignal(props.sort ?? null);
  const column = columns.find(({ key }) => key === sort.value?.key);
  const shown = sorted(filtered(rows, props.filter, props.textOf), column?.by, sort.value?.down === true);
  const press = (key: string): void => {
    const same = sort.value?.key === key;
    sort.value = { key, down: same && sort.value?.down !== true };
  };
  return (
    <div class="table">
      <table>
        <caption class={captionHidden ? "aside" : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((each) => (
              <Head key={each.key} column={each} sort={sort.value} press={press} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr
              key={keyOf(row)}
              class={rowClass(isSelected?.(row) === true, onSelect !== undefined)}
              onClick={onSelect === undefined ? undefined : () => onSelect(row)}
            >
              {columns.map((each) => (
                <Cell key={each.key} column={each} row={row} pressed={onSelect && isSelected?.(row)} />
              ))}
            </tr>
          ))}
          {shown.length > 0 ? null : (
            <tr>
              <td class="empty" colSpan={columns.length}>
                {rows.length === 0 ? props.empty : partTexts.nothingFits}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sort: { readonly key: string; readonly down?: boolean } | null;
  readonly press: (key: string) => void;
}

function Head<Row>({ column, sort, press }: HeadProps<Row>): JSX.Element {
  const own = sort?.key === column.key ? (sort.down === true ? "descending" : "ascending") : undefined;
  return (
    <th scope="col" class={classOf(column)} aria-sort={own}>
      {column.by === undefined ? (
        column.head
      ) : (
        <button type="button" class="sort" title={partTexts.sortBy(column.head)} onClick={() => press(column.key)}>
          {column.head}
          <span class="arrow" aria-hidden="true">
            {own === undefined ? "" : own === "descending" ? "▾" : "▴"}
          </span>
        </button>
      )}
    </th>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  /** Undefined: rows are not picked. */
  readonly pressed: boolean | undefined;
}

/** Who has no mouse picks a row by the button in its head. */
function Cell<Row>({ column, row, pressed }: CellProps<Row>): JSX.Element {
  const content = column.cell(row);
  if (column.rowHead !== true) return <td class={classOf(column)}>{content}</td>;
  return (
    <th scope="row" class={classOf(column)}>
      {pressed === undefined ? (
        content
      ) : (
        <button type="button" class="pick" aria-pressed={pressed}>
          {content}
        </button>
      )}
    </th>
  );
}

function rowClass(isSelected: boolean, isPickable: boolean): string | undefined {
  const names = [isSelected ? "selected" : "", isPickable ? "pickable" : ""].filter((name) => name !== "");
  return names.length === 0 ? undefined : names.join(" ");
}

function classOf<Row>({ numeric = false, wide = false, stays = false }: Column<Row>): string | undefined {
  const names = [numeric ? "number" : "", wide ? "wide" : "", stays ? "stays" : ""].filter((name) => name !== "");
  return names.length === 0 ? undefined : names.join(" ");
}

function filtered<Row>(
  rows: readonly Row[],
  filter: string | undefined,
  textOf: ((row: Row) => string) | undefined,
): readonly Row[] {
  if (filter === undefined || filter.trim() === "" || textOf === undefined) return rows;
  return rows.filter((row) => fits(textOf(row), filter));
}

/** Rows that are alike keep their order. */
function sorted<Row>(rows: readonly Row[], by: Column<Row>["by"], down: boolean): readonly Row[] {
  if (by === undefined) return rows;
  return rows.toSorted((a, b) => {
    const [one, other] = [by(a), by(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const order =
      typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
    return down ? -order : order;
  });
}
