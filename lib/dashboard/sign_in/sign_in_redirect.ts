/** `target` if it is a path on this site and no sign-in page: prevents open redirects. */
export function safeRedirectPath(target: string | null, fallback: string): string {
  if (target === null || !/^\/(?![/\\])/.test(target)) return fallback;
  // The URL parser removes tabs and line breaks, so `/\t/host` is checked as browsers read it.
  const base = "http://local.invalid";
  if (!URL.canParse(target, base)) return fallback;
  const url = new URL(target, base);
  if (url.origin !== base || /^\/(\/|sign-|setup)/.test(url.pathname)) return fallback;
  return url.pathname + url.search;
}

const HOME = "/home";

/**
 * Leads back to the requested page, or to the page of the submitted form. That is the `Referer`,
 * because a form's action may not be a page.
 */
export function signInRedirect(
  req: Request,
  { url, baseUrl }: { url: URL; baseUrl: string },
): string {
  const next = encodeURIComponent(nextPage(req, { url, baseUrl }));
  return `/sign-in?next=${next}${isRead(req) ? "" : "&interrupted=yes"}`;
}

/** The page to open after signing in. */
export function nextPage(req: Request, { url, baseUrl }: { url: URL; baseUrl: string }): string {
  if (isRead(req)) return url.pathname + url.search;
  return pageOfForm(req.headers.get("referer"), [url.host, new URL(baseUrl).host]);
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD";
}

/** The page from which a form was sent. Behind a proxy the request's host can differ from the public one. */
export function pageOfForm(referer: string | null, hosts: readonly string[]): string {
  if (referer === null || !URL.canParse(referer)) return HOME;
  const from = new URL(referer);
  if (!hosts.includes(from.host)) return HOME;
  // The notice belongs to an earlier change.
  from.searchParams.delete("notice");
  return safeRedirectPath(from.pathname + from.search, HOME);
}
