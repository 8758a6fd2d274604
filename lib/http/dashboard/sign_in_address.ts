import { safeRedirectPath } from "../local_path.ts";

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
