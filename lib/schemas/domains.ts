/**
 * Entries of an agent's `allowedDomains`: an exact host or a leading wildcard
 * (`*.example.com`, which does not match `example.com`), lower-cased and IDNA-normalised, with an
 * optional `:port`. Source: CONTRACT section 2.
 */
export function normalizeDomain(entry: string): string | undefined {
  const wildcard = entry.startsWith("*.");
  const rest = wildcard ? entry.slice(2) : entry;
  if (rest === "" || /[/@?#\\*\s%]/.test(rest) || !URL.canParse(`https://${rest}`)) {
    return undefined;
  }
  const url = new URL(`https://${rest}`);
  const isAddress = url.hostname.startsWith("[") || /^[\d.]+$/.test(url.hostname);
  if (url.hostname === "" || url.hostname.startsWith(".") || (wildcard && isAddress)) {
    return undefined;
  }
  // A `:443` that the URL parser drops as the default is kept out of the entry as well.
  return (wildcard ? "*." : "") + url.hostname.replace(/\.$/, "") +
    (url.port === "" ? "" : `:${url.port}`);
}

/** Whether `url` may be reached under the (normalised) `entries`. */
export function isDomainAllowed(url: URL, entries: readonly string[]): boolean {
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  const usual = url.protocol === "http:" ? "80" : "443";
  // A URL drops the port that is its scheme's own, an entry keeps `:80`.
  const port = url.port || usual;
  return entries.some((entry) => {
    const colon = entry.lastIndexOf(":");
    const hasPort = colon > entry.lastIndexOf("]") && colon !== -1;
    const name = hasPort ? entry.slice(0, colon) : entry;
    if ((hasPort ? entry.slice(colon + 1) : usual) !== port) return false;
    return name.startsWith("*.")
      ? host.endsWith(name.slice(1)) && host.length > name.length - 1
      : host === name;
  });
}
