/** Rows that one page of a list shows. */
const PAGE_SIZE = 50;

/** One part of a list, and the addresses of the parts beside it. */
export interface ListPage<T> {
  items: readonly T[];
  previous?: string;
  next?: string;
}

/**
 * The part of a list that `?page=` names, the first unless told. It is for lists that are read whole
 * because they stay short (keys, people, tenants, models): only their pages must not grow with them.
 */
export function paginate<T>(all: readonly T[], url: URL): ListPage<T> {
  const pages = Math.max(1, Math.ceil(all.length / PAGE_SIZE));
  const asked = Number(url.searchParams.get("page") ?? 1);
  const page = Number.isInteger(asked) ? Math.min(Math.max(asked, 1), pages) : 1;
  const href = (n: number) => n === 1 ? url.pathname : `${url.pathname}?page=${n}`;
  return {
    items: all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    ...(page > 1 && { previous: href(page - 1) }),
    ...(page < pages && { next: href(page + 1) }),
  };
}
