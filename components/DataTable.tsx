import type { ComponentChildren } from "preact";
import { sortHref, type Sorting } from "@/lib/dashboard/sort_rows.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface Column<Row> {
  id: string;
  heading: string;
  /** The list can be sorted by this column; `sorting` must be given too. */
  isSortable?: boolean;
  isNumber?: boolean;
  /** The heading is for screen readers only, as above buttons. */
  isHeadingHidden?: boolean;
  cell: (row: Row) => ComponentChildren;
}

export interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  caption: string;
  /** The first one names its row. */
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  url: URL;
  sorting?: Sorting;
}

/** Rows of the same kind. Headings are links that sort; on phones each row is a card. */
export function DataTable<Row>(
  { caption, columns, rows, rowKey, url, sorting }: DataTableProps<Row>,
) {
  return (
    <div class="data-table-box">
      <table class="data-table">
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.id} column={column} url={url} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ id, heading, isNumber, isHeadingHidden, cell }, n) => {
                const attributes = {
                  ...isNumber && { class: "number" },
                  ...isHeadingHidden ? { class: "table-actions" } : { "data-heading": t(heading) },
                };
                return n === 0
                  ? <th key={id} scope="row">{cell(row)}</th>
                  : <td key={id} {...attributes}>{cell(row)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading<Row>(
  { column: { id, heading, isSortable, isNumber, isHeadingHidden }, url, sorting }: {
    column: Column<Row>;
    url: URL;
    sorting: Sorting | undefined;
  },
) {
  const order = sorting?.by !== id ? undefined : sorting.isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      {...isNumber && { class: "number" }}
      {...order !== undefined && { "aria-sort": order }}
    >
      {isSortable && sorting !== undefined
        ? (
          <a class="sort" href={sortHref(url, sorting, id)} aria-current="false">
            {t(heading)}
          </a>
        )
        : isHeadingHidden
        ? <span class="sr-only">{t(heading)}</span>
        : t(heading)}
    </th>
  );
}
