/**
 * `target` when it is a path on this very site, else `fallback`: what follows a sign-in is named in
 * the URL, and a link somebody sends must not end on their page. Sign-in pages are no target either.
 */
export function safeRedirectPath(target: string | null, fallback: string): string {
  if (target === null || !/^\/(?![/\\])/.test(target)) return fallback;
  // The URL parser drops tabs and line breaks, so `/\t/host` has to be judged as browsers read it.
  const base = "http://local.invalid";
  if (!URL.canParse(target, base)) return fallback;
  const url = new URL(target, base);
  if (url.origin !== base || /^\/(\/|sign-|setup)/.test(url.pathname)) return fallback;
  return url.pathname + url.search;
}

const HOME = "/home";

/**
 * Where somebody who is not signed in is sent, and where they come back to from there: the page they
 * asked for, or the one whose form they sent. The `Referer` names that page, for not every address
 * that a form is sent to is one.
 */
export function signInRedirect(
  req: Request,
  { url, baseUrl }: { url: URL; baseUrl: string },
): string {
  if (req.method === "GET" || req.method === "HEAD") {
    return `/sign-in?next=${encodeURIComponent(url.pathname + url.search)}`;
  }
  const next = pageOfForm(req.headers.get("referer"), [url.host, new URL(baseUrl).host]);
  return `/sign-in?next=${encodeURIComponent(next)}&interrupted=yes`;
}

/** Behind a proxy the request's own host may be another than the one that browsers know. */
function pageOfForm(referer: string | null, hosts: readonly string[]): string {
  if (referer === null || !URL.canParse(referer)) return HOME;
  const from = new URL(referer);
  if (!hosts.includes(from.host)) return HOME;
  // A notice was about the change before this one.
  from.searchParams.delete("notice");
  return safeRedirectPath(from.pathname + from.search, HOME);
}
