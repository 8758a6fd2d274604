import { perLanguage } from "./texts/translate.ts";

/** What each sortable column compares, by column id. */
export type SortKeys<Row> = Readonly<Record<string, (row: Row) => string | number>>;

export interface Sorting {
  /** Id of the column. */
  by: string;
  isDescending: boolean;
}

const text = perLanguage((language) =>
  new Intl.Collator(language, { numeric: true, sensitivity: "base" })
);

/**
 * Sorts by the column that `?sort=` names; `-` before it reverses. Without a known one the order is
 * that of `by`, or the given one if that is not a column.
 */
export function sortRows<Row>(
  rows: readonly Row[],
  { url, keys, by }: { url: URL; keys: SortKeys<Row>; by: Sorting },
): { rows: Row[]; sorting: Sorting } {
  const requested = url.searchParams.get("sort") ?? "";
  const name = requested.replace(/^-/, "");
  const isKnown = Object.hasOwn(keys, name);
  const sorting = isKnown ? { by: name, isDescending: requested.startsWith("-") } : by;
  const key = keys[sorting.by];
  if (key === undefined) return { rows: [...rows], sorting };
  const sign = sorting.isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  keyed.sort((a, b) => sign * compare(a.key, b.key));
  return { rows: keyed.map(({ row }) => row), sorting };
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : text().compare(`${a}`, `${b}`);
}

/** The address of the same list, sorted by a column; the other way round if it already is. */
export function sortHref(url: URL, { by, isDescending }: Sorting, column: string): string {
  const params = new URLSearchParams(url.search);
  params.delete("page");
  params.delete("notice");
  params.set("sort", by === column && !isDescending ? `-${column}` : column);
  return `${url.pathname}?${params}`;
}
