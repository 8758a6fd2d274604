import { type Sorting, type SortKeys, sortRows } from "./sort_rows.ts";
import type { PartRequest } from "../store/values/record.ts";

const PAGE_SIZE = 50;
/** Far above every quota. */
const MAX_PAGE = 100_000;

/** The rows of a page, and the addresses of its neighbours. */
export interface ListPage<T> {
  items: T[];
  previous?: string;
  next?: string;
}

/** A list that is stored in the order in which its page shows it first. */
interface StoredList<T> {
  url: URL;
  /** What `?sort=` may name; any other order than the stored one needs all rows. */
  keys: SortKeys<T>;
  /** The stored order. */
  by: Sorting;
  readPart: (part: PartRequest) => Promise<T[]>;
  readAll: () => Promise<T[]>;
}

/** The page of a list that `?page=` names, with its neighbours; for lists that are loaded whole. */
export function paginate<T>(all: readonly T[], url: URL): ListPage<T> {
  const pages = Math.max(1, Math.ceil(all.length / PAGE_SIZE));
  const page = Math.min(requestedPage(url), pages);
  const items = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return { items, ...neighbours(url, { page, isLast: page >= pages }) };
}

/** The same for a stored list, of which only the page is read if it is shown in the stored order. */
export async function paginateStored<T>(
  { url, keys, by, readPart, readAll }: StoredList<T>,
): Promise<{ part: ListPage<T>; sorting: Sorting }> {
  const { sorting } = sortRows<T>([], { url, keys, by });
  const page = requestedPage(url);
  if (sorting.by === by.by && sorting.isDescending === by.isDescending) {
    const rows = await readPart({ offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE + 1 });
    if (rows.length > 0 || page === 1) {
      const isLast = rows.length <= PAGE_SIZE;
      const part = { items: rows.slice(0, PAGE_SIZE), ...neighbours(url, { page, isLast }) };
      return { part, sorting };
    }
  }
  const { rows } = sortRows(await readAll(), { url, keys, by });
  return { part: paginate(rows, url), sorting };
}

function requestedPage(url: URL): number {
  const requested = Number(url.searchParams.get("page") ?? 1);
  return Number.isInteger(requested) ? Math.min(Math.max(requested, 1), MAX_PAGE) : 1;
}

function neighbours(url: URL, { page, isLast }: { page: number; isLast: boolean }) {
  const href = (n: number) => {
    const params = new URLSearchParams(url.search);
    params.delete("notice");
    if (n === 1) params.delete("page");
    else params.set("page", String(n));
    return params.size === 0 ? url.pathname : `${url.pathname}?${params}`;
  };
  return {
    ...(page > 1 && { previous: href(page - 1) }),
    ...(!isLast && { next: href(page + 1) }),
  };
}
