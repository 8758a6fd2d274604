const LOOPBACK_NAMES = new Set(["localhost", "[::1]"]);

/**
 * As a browser (`scheme://host[:port]` without the default port); `undefined` for a path, a
 * wildcard, credentials, or `http:` for anything but localhost and loopback.
 */
export function normalizeOrigin(value: string): string | undefined {
  // The URL parser also accepts a missing `//`, spaces and an empty user.
  if (!/^[a-z]+:\/\/[^\s/\\@*]+\/?$/i.test(value) || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  const bare = url.pathname === "/" && url.search === "" && url.hash === "" &&
    url.username === "" && url.password === "" && !/[?#]$/.test(value);
  if (!bare || url.hostname === "") return undefined;
  if (url.protocol === "https:") return url.origin;
  return url.protocol === "http:" && isLoopbackHost(url.hostname) ? url.origin : undefined;
}

export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_NAMES.has(hostname) || hostname.endsWith(".localhost") ||
    /^127(\.\d{1,3}){3}$/.test(hostname);
}
