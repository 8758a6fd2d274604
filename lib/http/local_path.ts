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
