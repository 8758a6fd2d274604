/**
 * An exact host or a leading wildcard (`*.example.com`, which does not match `example.com`),
 * lower-cased and IDNA-normalized, with an optional `:port`. Source: CONTRACT section 2.
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
  // The URL parser removes `:443`, so the entry omits it too.
  return (wildcard ? "*." : "") + url.hostname.replace(/\.$/, "") +
    (url.port === "" ? "" : `:${url.port}`);
}

export function isDomainAllowed(url: URL, entries: readonly string[]): boolean {
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  const defaultPort = url.protocol === "http:" ? "80" : "443";
  // A URL omits the default port of its scheme; an entry keeps `:80`.
  const port = url.port || defaultPort;
  return entries.some((entry) => {
    const colon = entry.lastIndexOf(":");
    const hasPort = colon > entry.lastIndexOf("]") && colon !== -1;
    const name = hasPort ? entry.slice(0, colon) : entry;
    if ((hasPort ? entry.slice(colon + 1) : defaultPort) !== port) return false;
    return name.startsWith("*.")
      ? host.endsWith(name.slice(1)) && host.length > name.length - 1
      : host === name;
  });
}
