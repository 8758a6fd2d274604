/**
 * Follows redirects within an origin like a browser with cookies, until they leave it; returns where they
 * lead then. Throws if an answer is no redirect.
 */
export async function followRedirects(
  href: string,
  { within, cookies = new Map() }: { within: string; cookies?: Map<string, string> },
): Promise<string> {
  let url = href;
  while (url.startsWith(within)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const header of response.headers.getSetCookie()) {
      const [name = "", value = ""] = header.split(";", 1)[0]!.split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const text = await response.text();
    if (location === null) throw new Error(`${response.status}: ${text}`);
    url = new URL(location, url).href;
  }
  return url;
}
