const PAGE_SIZE = 50;

/** The page of a list that `?page=` names, with its neighbours; for lists that are loaded whole. */
export function paginate<T>(all: readonly T[], url: URL) {
  const pages = Math.max(1, Math.ceil(all.length / PAGE_SIZE));
  const requested = Number(url.searchParams.get("page") ?? 1);
  const page = Number.isInteger(requested) ? Math.min(Math.max(requested, 1), pages) : 1;
  const href = (n: number) => {
    const params = new URLSearchParams(url.search);
    params.delete("notice");
    if (n === 1) params.delete("page");
    else params.set("page", String(n));
    return params.size === 0 ? url.pathname : `${url.pathname}?${params}`;
  };
  return {
    items: all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    ...(page > 1 && { previous: href(page - 1) }),
    ...(page < pages && { next: href(page + 1) }),
  };
}
