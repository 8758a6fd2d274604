/**
 * Attributes that mark a link to the current page or to one of its ancestors; none for other links,
 * and none where the author has set `aria-current`.
 */
export function activeLinkProps(
  { href, "aria-current": ariaCurrent }: Record<string, unknown>,
  current: URL,
): Record<string, string> {
  if (typeof href !== "string" || !href.startsWith("/") || ariaCurrent !== undefined) return {};
  const target = URL.parse(href, "http://localhost");
  if (target === null) return {};
  const here = withoutSlash(current.pathname);
  const there = withoutSlash(target.pathname);
  const sameQuery = target.search === "" || target.search === current.search;
  if (here === there && sameQuery) return { "data-current": "true", "aria-current": "page" };
  if (here === there || there === "/" || here.startsWith(`${there}/`)) {
    return { "data-ancestor": "true", "aria-current": "true" };
  }
  return {};
}

function withoutSlash(path: string): string {
  return path !== "/" && path.endsWith("/") ? path.slice(0, -1) : path;
}
